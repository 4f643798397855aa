"""NetHack's keys by the words that BALROG gives them."""

from __future__ import annotations

from agentgym.core.grammar import Call, Command, Grammar, Invalid
from agentgym.core.prose import extract, peelings
from agentgym.core.text import objection

META, CONTROL = 0x80, 0x1F
COMPASS = {
    "north": "k", "east": "l", "south": "j", "west": "h",
    "northeast": "u", "southeast": "n", "southwest": "b", "northwest": "y",
}  # fmt: skip
OTHERS: dict[str, tuple[int, str]] = {  # word, key, what it does
    "up": (ord("<"), "go up the staircase you stand on."),
    "down": (ord(">"), "go down the staircase you stand on."),
    "wait": (ord("."), "rest a move; in a question of direction, yourself; of a place, this one."),
    "more": (ord("\r"), "the return key: turn a page, end a line of text."),
    "esc": (27, "leave a menu or a question."),
    "space": (ord(" "), "the space key."),
    "adjust": (META | ord("a"), "change the letter of an item."),
    "annotate": (META | ord("A"), "name this dungeon level."),
    "apply": (ord("a"), "use a tool."),
    "attributes": (CONTROL & ord("x"), "show your attributes."),
    "autopickup": (ord("@"), "switch picking up while walking on or off."),
    "call": (ord("C"), "name a monster, an item or a kind of item."),
    "cast": (ord("Z"), "cast a spell."),
    "chat": (META | ord("c"), "talk to someone beside you."),
    "close": (ord("c"), "close a door beside you."),
    "conduct": (META | ord("C"), "show which challenges you have kept."),
    "dip": (META | ord("d"), "dip an item into something."),
    "drop": (ord("d"), "drop an item."),
    "droptype": (ord("D"), "drop several items."),
    "eat": (ord("e"), "eat something."),
    "engrave": (ord("E"), "write on the floor."),
    "enhance": (META | ord("e"), "advance a skill."),
    "fight": (ord("F"), "fight in a direction, whether or not you see a monster there."),
    "fire": (ord("f"), "shoot what is in your quiver."),
    "force": (META | ord("f"), "force a lock."),
    "glance": (ord(";"), "tell what a symbol on the map is; then move the cursor there."),
    "inventory": (ord("i"), "show what you carry."),
    "inventtype": (ord("I"), "show one kind of what you carry."),
    "invoke": (META | ord("i"), "use the power of an artifact."),
    "jump": (META | ord("j"), "jump to a place."),
    "kick": (4, "kick something beside you, such as a locked door."),
    "known": (ord("\\"), "show which kinds of items you have discovered."),
    "look": (ord(":"), "tell what lies here."),
    "loot": (META | ord("l"), "open a box that lies here."),
    "monster": (META | ord("m"), "use the power of the monster you have turned into."),
    "move": (ord("m"), "move in a direction without fighting or picking up."),
    "offer": (META | ord("o"), "sacrifice to the gods, on an altar."),
    "open": (ord("o"), "open a door beside you."),
    "overview": (CONTROL & ord("o"), "show the levels you have been on."),
    "pay": (ord("p"), "pay what you owe in a shop."),
    "pickup": (ord(","), "pick up what lies here."),
    "pray": (META | ord("p"), "pray to your god for help."),
    "puton": (ord("P"), "put on a ring or an amulet."),
    "quaff": (ord("q"), "drink something."),
    "quiver": (ord("Q"), "choose what to shoot."),
    "read": (ord("r"), "read a scroll or a spellbook."),
    "remove": (ord("R"), "take off a ring or an amulet."),
    "ride": (META | ord("R"), "mount or dismount."),
    "rub": (META | ord("r"), "rub a lamp or a stone."),
    "rush": (ord("g"), "run in a direction until something turns up."),
    "search": (ord("s"), "search beside you for hidden doors, ways and traps."),
    "seearmor": (ord("["), "show the armor you wear."),
    "seerings": (ord("="), "show the rings you wear."),
    "seespells": (ord("+"), "show the spells you know."),
    "seetools": (ord("("), "show the tools in use."),
    "seetrap": (ord("^"), "tell the kind of a trap beside you."),
    "seeweapon": (ord(")"), "show the weapon in your hand."),
    "sit": (META | ord("s"), "sit down."),
    "swap": (ord("x"), "swap your two weapons."),
    "takeoff": (ord("T"), "take off one piece of armor."),
    "takeoffall": (ord("A"), "take off several things."),
    "teleport": (CONTROL & ord("t"), "teleport, if you can."),
    "throw": (ord("t"), "throw something."),
    "tip": (META | ord("T"), "empty a container."),
    "travel": (ord("_"), "go to a place: then < or > for stairs, _ for an altar, or move the cursor, and `wait`."),
    "turn": (META | ord("t"), "turn the undead away."),
    "twoweapon": (ord("X"), "fight with two weapons, or no longer."),
    "untrap": (META | ord("u"), "make a trap harmless."),
    "wear": (ord("W"), "put on a piece of armor."),
    "wield": (ord("w"), "take a weapon in hand."),
    "wipe": (META | ord("w"), "wipe your face."),
    "zap": (ord("z"), "zap a wand."),
}
KEYS: dict[str, int] = {
    **{name: ord(key) for name, key in COMPASS.items()},
    **{f"far {name}": ord(key.upper()) for name, key in COMPASS.items()},
    **{word: key for word, (key, _) in OTHERS.items()},
}
TYPED = "type"
LONGEST = 60  # characters typed in one action
FORBIDDEN = "#!"  # extended commands, among them leaving the rules of the game; and the shell


class Keyboard(Grammar):
    """BALROG's words, and any other key: a single character, or two digits, stands for itself."""

    def __init__(self, words: tuple[str, ...], rules: str):
        commands = [_command(word) for word in words]
        told = (
            "press the keys of a text one after another: the letter of an item, the answer to a question, a line, or a "
            f"number and a key to repeat it, at most {LONGEST} characters. A single key needs no `type`."
        )
        commands.append(Command(f"{TYPED} <text>", told, examples=("type a", "type Elbereth", "type 20s"), free="line"))
        super().__init__(commands, rules=rules)

    def parse(self, action: str) -> Call | Invalid:
        """Read one action, alone or in prose."""
        prose = () if objection(action) else peelings(extract(action, self.first_words))
        for said in (action.strip(), *prose):
            if (len(said) == 1 and said.isprintable()) or (len(said) == 2 and said.isascii() and said.isdigit()):
                return _typed(said)
        call = super().parse(action)
        return _typed(call["text"]) if isinstance(call, Call) and call.name == TYPED else call


def pressed(call: Call) -> list[int]:
    """The keys of an action."""
    return [ord(letter) for letter in call["text"]] if call.name == TYPED else [KEYS[call.name]]


def _typed(text: str) -> Call | Invalid:
    if len(text) > LONGEST or not all(" " <= letter <= "~" for letter in text):
        return Invalid(f"at most {LONGEST} characters of ASCII can be typed in one action.")
    if set(text) & set(FORBIDDEN):
        return Invalid(
            f"{' and '.join(FORBIDDEN)} cannot be typed; use the words of the actions, such as pray or loot."
        )
    return Call(TYPED, {"text": text})


def _command(word: str) -> Command:
    if word in COMPASS:
        return Command(
            word, f"go, fight or point {word}.", examples=(word,), variants=(f"move {word}", f"go {word}"), name=word
        )
    if word.startswith("far "):
        way = word.removeprefix("far ")
        return Command(
            word, f"walk {way} until something turns up.", examples=(word,), variants=(f"move {word}",), name=word
        )
    return Command(word, OTHERS[word][1], examples=(word,), name=word)

"""Names of places, people and living things, in invented tongues: what belongs to one country sounds alike."""

from __future__ import annotations

from dataclasses import dataclass

from agentgym.envs._kit.encyclopedia.rng import BlockRandom


@dataclass(frozen=True, slots=True)
class Tongue:
    """Sounds and endings of a tongue."""

    onsets: tuple[str, ...]
    vowels: tuple[str, ...]
    codas: tuple[str, ...]
    towns: tuple[str, ...]
    men: tuple[str, ...]
    women: tuple[str, ...]
    families: tuple[str, ...]

    def stem(self, rng: BlockRandom, most: int = 2) -> str:
        """A syllable or, in 45 of 100 cases, `most` syllables, capitalised, with sounds drawn by `rng`."""
        count = 1 if rng.chance(0.55) else most
        parts = [rng.pick(self.onsets) + rng.pick(self.vowels) for _ in range(count)]
        return ("".join(parts) + rng.pick(self.codas)).capitalize()

    def town(self, rng: BlockRandom) -> str:
        """The name of a place."""
        return _join(self.stem(rng), rng.pick(self.towns))

    def person(self, rng: BlockRandom, woman: bool) -> tuple[str, str]:
        """A given name, which is that of a `woman` or of a man, and a family name, drawn by `rng`."""
        given = _join(self.stem(rng, 1), rng.pick(self.women if woman else self.men))
        return given, _join(self.stem(rng), rng.pick(self.families))


def _join(stem: str, ending: str) -> str:
    """A stem with an ending; vowels that meet become one, and no letter stands three times in a row."""
    if ending and stem[-1] in "aeiou" and ending[0] in "aeiou":
        stem = stem[:-1] or stem
    if len(stem) > 1 and ending and stem[-1] == stem[-2] == ending[0]:
        stem = stem[:-1]
    return stem + ending


def _tongue(*lists: str) -> Tongue:
    return Tongue(*(tuple(part.strip("-") for part in words.split()) for words in lists))


TONGUES = (
    _tongue(
        "b br d f g gr h k l m n r s sk st sv t tr v hj", "a e i o u o a", "l r n rn lm nd sk v t",
        "-by -vik -holm -stad -fjord -dal -nes -lund -borg", "-ar -e -ulf -in -mund", "-a -hild -run -dis",
        "-sen -vik -gaard -berg -lund -dahl",
    ),
    _tongue(
        "b c ch d f g gu l m n p qu r s t v z", "a e i o u ia io", "n r l s", "-ara -ello -ante -ona -eda -illo -osa",
        "-o -io -ante -ardo", "-a -ela -ina -isa", "-ez -ari -ondo -elli -ero -ano",
    ),
    _tongue(
        "b ch d g k l m n p r s sh t v z zh", "a e i o u a y", "r k n sk v l m",
        "-ov -grad -itsa -evo -ino -slav -any", "-an -islav -imir -or", "-a -ana -enka -ya",
        "-ovin -enko -ich -arov -ak -ych",
    ),
    _tongue(
        "b d f g h j k kh m n q r s sh t y z", "a i u a aa e", "m d r l n f s", "-abad -ir -ud -eh -an -iya -ash",
        "-id -im -an -ush", "-a -iya -eh -una", "-i -ani -zadeh -awi -oun",
    ),
    _tongue(
        "h k m n r s sh t ts w y j", "a i o u e ai ou", "n", "-mori -saki -gawa -da -mura -hama -shima",
        "-o -ki -ta -ro", "-ko -mi -ka -na", "-moto -yama -da -no -se -hara",
    ),
    _tongue(
        "b c d f g gl gw h l ll m n p r rh t tr", "a e i o y w ae", "n th r ll dd s l",
        "-mor -aber -wyn -dun -ford -gan -combe", "-an -fan -wyn -ed", "-wen -eth -is -a", "-ow -ard -ey -ton -ick -yn",
    ),
    _tongue(
        "b d f g h k l m n p r s sch t v w z kl", "a e i o u ei au", "l r n rt ng st ch lz",
        "-heim -burg -feld -tal -brueck -au -hafen", "-bert -rich -mar -win", "-linde -a -trud -ine",
        "-mann -er -bach -stein -hofer -ke",
    ),
    _tongue(
        "b h k l m n p t v w nd mb", "a e i o u oa ua", "-", "-lani -toa -nga -papa -kele -mbe -vula",
        "-oa -ani -eru -olo", "-ela -ina -oma -ali", "-nui -tala -moana -keni -ruva -sela",
    ),
)  # fmt: skip

LANDS = (("ia", "ian"), ("land", "landic"), ("una", "unan"), ("esse", "essian"), ("ora", "oran"), ("mark", "markian"))


def country(tongue: Tongue, rng: BlockRandom) -> tuple[str, str, str]:
    """A country, the word for what comes from there, and its language, on one stem of `tongue` that `rng` draws."""
    stem = tongue.stem(rng)
    land, of = rng.pick(LANDS)
    base = _join(stem, "")
    return _join(base, land), _join(base, of), _join(base, "ish" if len(base) < 6 else "ic")


GENUS = ("a", "us", "is", "ium", "oides", "ella", "ops", "ura", "anthus", "ictis", "ornis", "odon")
LATIN = ("Ac", "Bel", "Cal", "Chlor", "Dor", "Erem", "Fal", "Gly", "Hel", "Lept", "Mel", "Myr", "Nyct", "Oph", "Per",
         "Phil", "Rhin", "Sal", "Ser", "Tan", "Tel", "Ur", "Ver", "Xan", "Zon")  # fmt: skip
MIDDLE = ("an", "ar", "er", "il", "in", "ol", "om", "or", "yc", "yr", "et", "ac", "ul", "os", "id")


def genus(rng: BlockRandom) -> str:
    """A scientific name of a genus."""
    return rng.pick(LATIN) + rng.pick(MIDDLE) + (rng.pick(MIDDLE) if rng.chance(0.4) else "") + rng.pick(GENUS)


def family(genus_name: str, animal: bool) -> str:
    """The family of a genus: the stem of `genus_name` with the ending of zoologists, if `animal`, or of botanists."""
    stem = genus_name
    for ending in sorted(GENUS, key=len, reverse=True):
        if stem.endswith(ending) and len(stem) - len(ending) > 3:
            stem = stem.removesuffix(ending)
            break
    return stem + ("idae" if animal else "aceae")


def latinised(word: str) -> str:
    """A name as the second part of a scientific name, such as `tolviki` or `norviae`."""
    word = word.lower().replace(" ", "").replace("-", "")
    return word.rstrip("aeiou") + ("ensis" if word.endswith(("a", "d", "k")) else "i")

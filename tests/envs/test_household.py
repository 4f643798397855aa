"""The household: words, rules and goals."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest

import agentgym
from agentgym.core import DataError, TaskError
from agentgym.envs.text._household.engine import admissible
from agentgym.envs.text._household.game import compile_game
from agentgym.envs.text.household import load_game
from tests.envs.kitchen import CLEAN, COOL, HEAT, KITCHEN, LOOK, SIMPLE, TWO, kitchen, play, said


def test_the_first_observation_lists_the_room_and_the_task():
    text, _ = gym.make("AgentGym/Household-v1").reset(options={"task": kitchen()})
    assert text.startswith(
        "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see a "
        "countertop 1, a drawer 2, a drawer 1, a fridge 1, a microwave 1, a sidetable 1, and a sinkbasin 1.\n\n"
        "Your task is to: put a clean apple in fridge.\nActions: go to <receptacle>, "
    )


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        (["go to fridge 1"], "You arrive at fridge 1. The fridge 1 is closed."),
        (["go to fridge 1", "open fridge 1"], "You open the fridge 1. The fridge 1 is open. In it, you see a apple 2."),
        (["go to fridge 1", "open fridge 1", "close fridge 1"], "You close the fridge 1."),
        (
            ["go to microwave 1", "open microwave 1"],
            "You open the microwave 1. The microwave 1 is open. In it, you see nothing.",
        ),
        (["go to countertop 1"], "You arrive at countertop 1. On the countertop 1, you see a apple 1, and a mug 2."),
        (["go to countertop 1", "examine countertop 1"], "On the countertop 1, you see a apple 1, and a mug 2."),
        (["go to countertop 1", "take mug 2 from countertop 1"], "You pick up the mug 2 from the countertop 1."),
        (["look"], "You are in the middle of a room. Looking quickly around you, you see nothing."),
        (["go to drawer 1", "look"], "You are facing the drawer 2, and drawer 1. Next to it, you see nothing."),
        (["inventory"], "You are not carrying anything."),
        (["go to sidetable 1", "use desklamp 1"], "You turn on the desklamp 1."),
        (["go to sidetable 1", "use desklamp 1", "use desklamp 1"], "You turn on the desklamp 1."),
    ],
)
def test_feedback_is_the_original_s(actions, sentence):
    assert said(*actions) == sentence


@pytest.mark.parametrize(
    ("move", "sentence"),
    [
        ("move mug 2 to sidetable 1", "You move the mug 2 to the sidetable 1."),
        ("put mug 2 in/on sidetable 1", "You move the mug 2 to the sidetable 1."),
        ("PUT  mug 2 on  Sidetable 1 ", "You move the mug 2 to the sidetable 1."),
    ],
)
def test_both_dialects_put_things_down(move, sentence):
    assert said("go to countertop 1", "take mug 2 from countertop 1", "go to sidetable 1", move) == sentence


def test_states_are_what_examine_says():
    hold = ["go to countertop 1", "take apple 1 from countertop 1"]
    for verbs, sentence in (
        ([], "There's nothing special about apple 1."),
        (["heat"], "This is a hot apple 1."),
        (["cool"], "This is a cold apple 1."),
        (["clean"], "This is a clean apple 1."),
        (["heat", "clean"], "This is a hot and clean apple 1."),
        (["cool", "clean"], "This is a cool and clean apple 1."),
        (["heat", "cool"], "This is a cold apple 1."),
        (["cool", "heat"], "This is a hot apple 1."),
    ):
        actions = list(hold)
        for verb in verbs:
            station = {"heat": "microwave 1", "cool": "fridge 1", "clean": "sinkbasin 1"}[verb]
            actions += [f"go to {station}", f"{verb} apple 1 with {station}"]
        assert said(*actions, "examine apple 1") == sentence


def test_slicing_needs_a_knife_in_the_hand_and_changes_the_words():
    knife = ["go to drawer 2", "open drawer 2", "take knife 1 from drawer 2", "go to countertop 1"]
    assert said(*knife, "slice apple 1 with knife 1") == "You sliced the apple 1 with the knife 1."
    after = ["slice apple 1 with knife 1", "move knife 1 to countertop 1", "take apple 1 from countertop 1"]
    assert said(*knife, *after, "examine apple 1") == "This is a sliced apple 1."
    assert said("go to countertop 1", "slice apple 1 with knife 1").startswith("Nothing happens.")


def test_what_was_moved_between_neighbours_lies_next_to_them():
    """A quirk of the original's `look`, for receptacles that share their spot."""
    actions = ["go to drawer 1", "open drawer 1", "open drawer 2", "take mug 1 from drawer 1", "move mug 1 to drawer 2"]
    assert said(*actions, "look") == "You are facing the drawer 2, and drawer 1. Next to it, you see a mug 1."


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        (["open fridge 1"], "You are not at the fridge 1; go to it first."),
        (["go to drawer 1", "go to drawer 2"], "You are already at the drawer 2; examine it to see what is there."),
        (["go to fridge 1", "take apple 2 from fridge 1"], "The fridge 1 is closed; open it first."),
        (["go to countertop 1", "open countertop 1"], "The countertop 1 has nothing to open."),
        (["go to countertop 1", "take mug 1 from countertop 1"], "There is no 'mug 1' in or on the countertop 1."),
        (["go to countertop 1", "take mug 9 from countertop 1"], "There is no 'mug 9' in or on the countertop 1."),
        (
            ["go to sidetable 1", "take desklamp 1 from sidetable 1"],
            "The desklamp 1 cannot be taken; use it where it stands.",
        ),
        (
            ["go to countertop 1", "take mug 2 from countertop 1", "take apple 1 from countertop 1"],
            "You are carrying the mug 2; your hand holds one object at a time.",
        ),
        (
            [
                "go to countertop 1",
                "take apple 1 from countertop 1",
                "go to drawer 1",
                "open drawer 1",
                "move apple 1 to drawer 1",
            ],
            "A apple cannot be put in or on a drawer.",
        ),
        (
            ["go to countertop 1", "take mug 2 from countertop 1", "go to fridge 1", "heat mug 2 with fridge 1"],
            "You heat things with a microwave, not with a fridge.",
        ),
        (["go to nowhere 1"], "There is no 'nowhere 1' to go to; say its name and number."),
    ],
)
def test_the_impossible_is_refused_with_a_reason_and_changes_nothing(actions, reason):
    world, answers = play(kitchen(), *actions)
    text, reward, terminated, truncated, info = answers[-1]
    assert text == f"Nothing happens.\n{reason}"
    assert (info["error"], info["action_valid"], reward, terminated, truncated) == (reason, False, 0.0, False, False)
    before, _ = play(kitchen(), *actions[:-1])
    assert world.state_key() == before.state_key()


def test_a_refusal_does_not_tell_where_things_are():
    there, absent = (said("go to fridge 1", f"take {name} from fridge 1") for name in ("apple 2", "apple 7"))
    assert there == absent


@pytest.mark.parametrize(
    ("goal", "actions"),
    [
        (
            (SIMPLE, "mug", "sidetable"),
            ["go to countertop 1", "take mug 2 from countertop 1", "go to sidetable 1", "move mug 2 to sidetable 1"],
        ),
        (
            (LOOK, "mug", "desklamp"),
            ["go to countertop 1", "take mug 2 from countertop 1", "go to sidetable 1", "use desklamp 1"],
        ),
        (
            (CLEAN, "mug", "fridge"),
            [
                "go to countertop 1",
                "take mug 2 from countertop 1",
                "go to sinkbasin 1",
                "clean mug 2 with sinkbasin 1",
                "go to fridge 1",
                "open fridge 1",
                "move mug 2 to fridge 1",
            ],
        ),
        (
            (HEAT, "apple", "sidetable"),
            [
                "go to countertop 1",
                "take apple 1 from countertop 1",
                "go to microwave 1",
                "heat apple 1 with microwave 1",
                "go to sidetable 1",
                "move apple 1 to sidetable 1",
            ],
        ),
        (
            (COOL, "mug", "countertop"),
            [
                "go to countertop 1",
                "take mug 2 from countertop 1",
                "go to fridge 1",
                "cool mug 2 with fridge 1",
                "go to countertop 1",
                "move mug 2 to countertop 1",
            ],
        ),
        (
            (TWO, "mug", "countertop"),
            [
                "go to drawer 1",
                "open drawer 1",
                "take mug 1 from drawer 1",
                "go to countertop 1",
                "move mug 1 to countertop 1",
            ],
        ),
    ],
)
def test_each_type_is_won_by_the_last_action_only(goal, actions):
    for reward in ("sparse", "dense"):
        _, answers = play(kitchen(goal), *actions, reward=reward)
        assert [info["success"] for *_, info in answers] == [False] * (len(actions) - 1) + [True]
        assert [terminated for _, _, terminated, _, _ in answers] == [False] * (len(actions) - 1) + [True]
        total = sum(answer[1] for answer in answers)
        start = 0.5 if goal[0] == TWO else 0.0  # one mug stands there already
        assert total == pytest.approx(1.0 if reward == "sparse" else 1.0 - start)
    assert all(answer[1] == 0 for answer in play(kitchen(goal), *actions)[1][:-1])


def test_a_goal_state_in_the_wrong_state_is_no_success():
    _, answers = play(
        kitchen((CLEAN, "mug", "fridge")),
        *[
            "go to countertop 1",
            "take mug 2 from countertop 1",
            "go to fridge 1",
            "open fridge 1",
            "move mug 2 to fridge 1",
        ],
    )
    assert not answers[-1][-1]["success"]
    _, answers = play(
        kitchen((LOOK, "mug", "desklamp")),
        *["go to sidetable 1", "use desklamp 1", "go to countertop 1", "take mug 2 from countertop 1"],
    )
    assert not answers[-1][-1]["success"]  # the lamp is lit elsewhere


def test_dense_reward_gains_nothing_by_going_back_and_forth():
    _, answers = play(
        kitchen(),
        "go to countertop 1",
        *["take apple 1 from countertop 1", "move apple 1 to countertop 1"] * 5,
        reward="dense",
    )
    assert sum(answer[1] for answer in answers) == 0
    assert any(answer[1] > 0 for answer in answers)


def test_admissible_actions_are_exactly_what_is_accepted():
    world, _ = play(kitchen(), "go to countertop 1", "take apple 1 from countertop 1", "go to fridge 1")
    listed = world.admissible_actions()
    expected = [
        "cool apple 1 with fridge 1",
        "examine apple 1",
        "examine fridge 1",
        "go to countertop 1",
        "go to drawer 1",
    ]
    expected += [
        "go to drawer 2",
        "go to microwave 1",
        "go to sidetable 1",
        "go to sinkbasin 1",
        "help",
        "inventory",
        "look",
    ]
    assert listed == [*expected, "open fridge 1"]
    others = [
        f"{verb} apple 1 with {where['name']}" for verb in ("heat", "clean", "cool") for where in KITCHEN["receptacles"]
    ]
    for action in sorted({*listed, *others, "close fridge 1", "move apple 1 to fridge 1", "use desklamp 1"}):
        fork = world.fork(reseed=0)
        assert fork.step(action)[-1]["action_valid"] == (action in listed), action


def test_tasks_that_cannot_be_played_are_refused():
    env = gym.make("AgentGym/Household-v1")
    for spec, words in (
        (kitchen((SIMPLE, "apple", "fridge")), "met at its beginning"),
        (kitchen((SIMPLE, "apple", "drawer")), "no way to the goals"),
        (kitchen((SIMPLE, "pear", "fridge")), "no object of the task"),
        (kitchen((SIMPLE, "apple", "sofa")), "needs a 'sofa'"),
        (kitchen((LOOK, "apple", "floorlamp")), "needs a lamp"),
        (kitchen(objects=[{"name": "apple 1", "in": ["shelf 1"]}]), "which is no receptacle"),
        (kitchen(start=99), "the last spot is 5"),
        (kitchen(goals=[KITCHEN["goals"][0]] * 2), "two goals"),
    ):
        with pytest.raises(TaskError, match=words):
            env.reset(options={"task": spec})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "there is no game"),
        ("[]", "is no game file"),
        ("{", "is no game file"),
        ('{"grammar": "", "pddl_problem": ""}', "has no task"),
        (
            json.dumps({"grammar": '"rhs": "Your task is to: x."}', "pddl_problem": "(define ("}),
            "leaves a bracket open",
        ),
        (json.dumps({"grammar": '"rhs": "Your task is to: x."}', "pddl_problem": "(define (a))"}), "sections"),
    ],
)
def test_files_that_are_no_games_are_refused(tmp_path, text, words):
    path = tmp_path / "game.tw-pddl"
    if text is not None:
        path.write_text(text)
    with pytest.raises(DataError, match=words) as caught:
        load_game(path)
    assert "\n" not in str(caught.value)


def test_a_fork_shares_nothing_that_changes():
    env = gym.make("AgentGym/Household-v1")
    env.reset(options={"task": kitchen()})
    twin = agentgym.fork(env, reseed=1)
    for action in ("go to countertop 1", "take apple 1 from countertop 1"):
        twin.step(action)
    game = compile_game(kitchen())
    assert env.unwrapped.admissible_actions() == sorted(admissible(game, game.start))


def test_the_page_shows_every_receptacle_and_no_markup_of_a_task() -> None:
    env = gym.make("AgentGym/Household-v1", split="val", render_mode="html")
    env.reset(seed=0)
    spec = json.loads(json.dumps(env.unwrapped.task.spec))
    spec["sentence"] = "put <script>alert(1)</script> away"
    env.reset(options={"task": spec})
    page = env.render()
    assert all(f">{record['name']}<" in page for record in spec["receptacles"] + spec["objects"])
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert 'class="spot here"' not in page
    env.step(next(action for action in env.unwrapped.admissible_actions() if action.startswith("go to")))
    assert env.render().count('class="spot here"') == 1


def test_the_page_of_a_test_shows_what_was_seen_and_nothing_of_the_goal() -> None:
    env = gym.make("AgentGym/Household-v1", split="test", render_mode="html")
    for place in range(5):
        said, _ = env.reset(options={"task": place})
        told, over, world = said, False, env.unwrapped
        names = [record["name"] for record in world.task.spec["objects"]]
        while not over:
            page = env.render()
            assert not [name for name in names if f">{name}<" in page and name not in told]
            assert "wanted" not in page.partition("</style>")[2]
            said, _, terminated, truncated, _ = env.step(world.expert_action())
            told, over = f"{told}\n{said}", terminated or truncated
        assert [name for name in names if f">{name}<" in page or f">{name} (" in page]
        assert "not seen" in page

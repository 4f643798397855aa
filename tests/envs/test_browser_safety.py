"""What a browser leaves and takes: folders, environment, user, downloads, and the files of a folder site."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from pathlib import Path

import pytest

from agentgym.core import ConfigError
from agentgym.envs.web._browser import account, downloads, engine, profile
from agentgym.envs.web._browser.account import VARIABLE, Account
from agentgym.envs.web._browser.site import FolderSite, Request
from tests.envs.browsing import PagesEnv, needs_browser, own

ROOT = Path(__file__).parents[2]
US = Account(os.geteuid(), os.getegid())
START = "from tests.envs.browsing import PagesEnv\nenv = PagesEnv({'/': '<p>here'})\ntext = env.reset(seed=0)[0]\n"
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="what root may do is tried by root alone")


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """Files that are nobody's business."""
    (tmp_path / "victim" / "inner").mkdir(parents=True)
    for name in ("lock", "a", "inner/b"):
        (tmp_path / "victim" / name).write_text(name)
    return tmp_path / "victim"


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


# Folders


def test_a_link_with_the_name_of_an_orphan_is_not_followed(temporary: Path, victim: Path) -> None:
    for name in ("agentgym-browser-4194304-x", "agentgym-browser-x"):
        (temporary / name).symlink_to(victim)
    before = files(victim)
    profile.remove_orphans()
    assert files(victim) == before
    assert len(list(temporary.iterdir())) == 2


def test_links_within_an_orphan_are_removed_and_not_followed(temporary: Path, victim: Path) -> None:
    orphan = profile.Profile(US)
    (Path(orphan.home) / "deep").mkdir()
    (Path(orphan.home) / "deep" / "out").symlink_to(victim)
    (Path(orphan.path) / "file").symlink_to(victim / "a")
    before = files(victim)
    orphan.forget()  # as when its process was killed
    profile.remove_orphans()
    assert files(victim) == before
    assert list(temporary.iterdir()) == []


def test_an_orphan_that_is_still_written_into_keeps_its_lock_and_goes_the_next_time(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    orphan = profile.Profile(US)
    orphan.forget()
    remove = profile._remove

    def late(name: str, place: int) -> None:
        remove(name, place)
        if name == Path(orphan.home).name:  # a helper of the browser that has not ended yet
            os.mkdir(name, dir_fd=place)

    with monkeypatch.context() as patch:
        patch.setattr(profile, "_remove", late)
        profile.remove_orphans()
    assert files(temporary / Path(orphan.path).name) == sorted([profile.LOCK, Path(orphan.home).name])
    profile.remove_orphans()
    assert list(temporary.iterdir()) == []


def test_a_folder_whose_lock_is_a_link_is_left_alone(temporary: Path, victim: Path) -> None:
    (temporary / "agentgym-browser-y").mkdir()
    (temporary / "agentgym-browser-y" / "lock").symlink_to(victim / "lock")
    profile.remove_orphans()
    assert (temporary / "agentgym-browser-y" / "lock").is_symlink()
    assert (victim / "lock").read_text() == "lock"


def test_a_folder_in_use_stands_whoever_made_it(temporary: Path) -> None:
    """Its lock says so, in this process, in another, and in a child that inherits it and lets go."""
    used = profile.Profile(US)
    profile.remove_orphans()
    assert Path(used.home).is_dir()
    child = os.fork()
    if child == 0:
        used.forget()
        os._exit(0)
    os.waitpid(child, 0)
    code = f"import tempfile; tempfile.tempdir = {str(temporary)!r}\n"
    code += "from agentgym.envs.web._browser import profile; profile.remove_orphans()"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    assert Path(used.home).is_dir()
    used.remove()
    used.remove()
    assert list(temporary.iterdir()) == []


def test_looking_for_orphans_opens_nothing_for_writing(temporary: Path) -> None:
    profile.Profile(US).forget()
    code = "import os, sys; flags = []\n"
    code += "sys.addaudithook(lambda event, given: event == 'open' and flags.append(given[2] or 0))\n"
    code += f"import tempfile; tempfile.tempdir = {str(temporary)!r}\n"
    code += "from agentgym.envs.web._browser import profile; flags.clear(); profile.remove_orphans()\n"
    code += "assert flags; assert not any(flag & (os.O_WRONLY | os.O_RDWR) for flag in flags), flags"
    subprocess.run([sys.executable, "-B", "-c", code], cwd=ROOT, check=True)
    assert list(temporary.iterdir()) == []


def test_a_folder_without_a_lock_is_not_ours(temporary: Path) -> None:
    (temporary / "agentgym-browser-x").mkdir()
    (temporary / "agentgym-browser-file").write_text("")
    profile.remove_orphans()
    assert files(temporary) == ["agentgym-browser-file", "agentgym-browser-x"]


# Environment and user


def family(pid: int) -> list[int]:
    """A process and all that it started."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [pid, *(inner for child in children for inner in family(int(child)))]


@needs_browser
def test_the_browser_does_not_inherit_what_is_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-this-is-secret")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    engine.close_engine()
    env = PagesEnv({"/": "<p>here"})
    assert "here" in env.reset(seed=0)[0]
    found = [Path(f"/proc/{pid}/environ").read_bytes() for pid in family(env.context.wire.pid)]
    home = env.context.wire.profile.home
    env.close()
    engine.close_engine()
    assert len(found) > 1
    given = {entry.partition(b"=")[0].decode() for block in found for entry in block.split(b"\0") if entry}
    assert {"HOME", "PATH", "TZ"} <= given
    assert not {"OPENAI_API_KEY", "http_proxy", "AGENTGYM_CACHE", "PYTEST_CURRENT_TEST"} & given
    assert f"HOME={home}".encode() in found[0]


def run(code: str, said: str | None) -> subprocess.CompletedProcess[str]:
    """Python in a process of its own, with what is said about root."""
    variables = {name: value for name, value in os.environ.items() if name != VARIABLE}
    given = variables if said is None else {**variables, VARIABLE: said}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=given, capture_output=True, text=True, check=False
    )


@pytest.mark.full
@needs_browser
@needs_root
def test_root_is_warned_once_that_there_is_no_sandbox() -> None:
    again = "import subprocess, sys\nfrom agentgym.envs.web._browser import engine\nengine.close_engine()\n"
    code = f"{START}env.close()\n{again}env = PagesEnv({{'/': '<p>x'}})\nassert not env.reset(seed=0)[1]['failure']\n"
    child = f"subprocess.run([sys.executable, '-c', {START!r}], check=True)\n"
    done = run(code + child, None)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("without its sandbox") == 1
    assert VARIABLE in done.stderr
    assert run(START, "allow").stderr == ""


@needs_browser
@needs_root
def test_root_can_forbid_it() -> None:
    done = run(START, "refuse")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(
        f"ConfigError: no browser runs as root, for {VARIABLE} is 'refuse'; name a user there, or be another"
    )


@needs_root
@pytest.mark.parametrize("name", ["no-such-user", "root"])
def test_a_name_that_cannot_be_taken(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(VARIABLE, name)
    with pytest.raises(ConfigError, match=f"{VARIABLE} names '{name}'"):
        account.account()


@needs_browser
@needs_root
def test_root_can_run_it_as_another_user(tmp_path: Path) -> None:
    """With its sandbox, without our groups, in a folder that is that user's; downloads still reach us."""
    nobody = pwd.getpwnam("nobody")
    page = "<a download='t.csv' href='data:text/csv,a'>Get</a>"
    code = START.replace("<p>here", page.replace("'", '"')) + (
        "import pathlib\nfrom tests.envs.browsing import own\nfrom tests.envs.test_browser_safety import family\n"
        "env.step(f'click [{own(text, \"Get\")}]')\n"
        "pids = family(env.context.wire.pid)\n"
        "told = [line for pid in pids for line in pathlib.Path(f'/proc/{pid}/status').read_text().splitlines()]\n"
        "users = {line.split()[1] for line in told if line.startswith('Uid')}\n"
        "sandboxed = all(b'--no-sandbox' not in pathlib.Path(f'/proc/{pid}/cmdline').read_bytes() for pid in pids)\n"
        "print(users, sandboxed, env.downloads, pathlib.Path(env.context.wire.profile.home).stat().st_uid)\n"
    )
    done = run(code, "nobody")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{{'{nobody.pw_uid}'}} True {{'t.csv': b'a'}} {nobody.pw_uid}\n"
    assert done.stderr == ""


# Downloads


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloads, "MOST_BYTES", 1 << 20)
    monkeypatch.setattr(downloads, "MOST_IN_ALL", 5 << 19)  # 2.5 MiB
    monkeypatch.setattr(downloads, "MOST_FILES", 4)


def saving(size: int, count: int = 1) -> str:
    """Links to so many files of so many bytes."""
    return "".join(f"<a download=f{n} href='data:text/csv,{'x' * size}'>Save {n}</a>" for n in range(count))


def save(env: PagesEnv, text: str, number: int) -> str:
    """What is told of a download, which may begin after the click has been answered."""
    told = env.step(f"click [{own(text, f'Save {number}')}]")[0]
    for _ in range(100):
        if "ownload" in told:
            break
        env.context.wait_until(lambda: False, 0.1)
        told = env.step("wait")[0]
    return told


@needs_browser
def test_a_download_that_is_too_large_is_stopped_and_leaves_nothing(small: None) -> None:
    env = PagesEnv({"/": saving((1 << 20) + 1)})
    text, _ = env.reset(seed=0)
    assert "The download of 'f0.csv' was stopped: at most 1 MiB each and 2 MiB in all are kept." in save(env, text, 0)
    assert env.downloads == {}
    assert env.context.wait_until(lambda: not os.listdir(env.context.downloads.folder))
    env.close()


@needs_browser
def test_downloads_are_limited_in_all_until_the_next_episode(small: None) -> None:
    env = PagesEnv({"/": saving(1 << 20, 3)})
    text, _ = env.reset(seed=0)
    told = [save(env, text, number) for number in range(3)]
    assert ["Downloaded" in each for each in told] == [True, True, False]
    assert "was stopped" in told[-1]
    assert sorted(env.downloads) == ["f0.csv", "f1.csv"]
    text, _ = env.reset(seed=1)
    assert "Downloaded 'f2.csv'" in save(env, text, 2)
    env.close()


@needs_browser
def test_the_number_of_downloads_is_limited(small: None) -> None:
    env = PagesEnv({"/": saving(1, 5)})
    text, _ = env.reset(seed=0)
    told = [save(env, text, number) for number in range(5)]
    assert ["Downloaded" in each for each in told] == [True] * 4 + [False]
    assert "at most 4 files are kept" in told[-1]
    env.close()


@needs_browser
def test_a_download_that_a_frame_begins_is_stopped(small: None) -> None:
    """It would be counted by nobody."""
    inner = "<script>let a=document.createElement('a');a.href=URL.createObjectURL(new Blob([new Uint8Array(1<<22)]));a.download='x';a.click()</script>"  # noqa: E501
    env = PagesEnv({"/": "<iframe src=/frame></iframe>", "/frame": inner})
    env.reset(seed=0)
    env.step("wait")
    assert env.downloads == {}
    assert env.context.wait_until(lambda: not os.listdir(env.context.downloads.folder))
    env.close()


def test_a_download_that_ends_before_it_is_stopped_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    made = profile.Profile(US)
    kept = downloads.Downloads(made, lambda guid: None, lambda words, record: None)
    kept.discard("late")
    (Path(kept.folder) / "late").write_bytes(b"x")
    kept.go_on("late", "inProgress", 1)
    assert os.listdir(kept.folder) == ["late"]
    kept.go_on("late", "completed", 1)
    assert os.listdir(kept.folder) == []
    assert kept.files == {}
    made.remove()


def test_what_is_no_plain_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, victim: Path) -> None:
    told: list[str] = []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    made = profile.Profile(US)
    kept = downloads.Downloads(made, lambda guid: None, lambda words, record: told.append(words))
    (Path(kept.folder) / "link").symlink_to(victim / "a")
    (Path(kept.folder) / "folder").mkdir()
    os.mkfifo(Path(kept.folder) / "pipe")
    for guid in ("link", "folder", "pipe", "missing"):
        kept.begin(guid, guid)
        kept.go_on(guid, "completed", 1)
    assert kept.files == {}
    assert [words.endswith("failed.") for words in told] == [True] * 4
    assert os.listdir(kept.folder) == []
    assert (victim / "a").read_text() == "a"
    made.remove()


# Folder sites


def ask(site: FolderSite, path: str) -> tuple[int, bytes]:
    answer = site.respond(Request("GET", f"http://x.test{path}", {}))
    return answer.status, answer.body


def test_a_folder_site_does_not_leave_its_folder(tmp_path: Path, victim: Path) -> None:
    folder = tmp_path / "site"
    (folder / "sub").mkdir(parents=True)
    (folder / "index.html").write_text("home")
    (folder / "sub" / "index.html").symlink_to(victim / "a")
    (folder / "out").symlink_to(victim)
    (folder / "file").symlink_to(victim / "a")
    (folder / "within").symlink_to(folder / "index.html")
    (folder / "circle").symlink_to(folder / "circle")
    os.mkfifo(folder / "pipe")
    site = FolderSite(folder)
    assert ask(site, "/") == (200, b"home")
    assert ask(site, "/within") == (200, b"home")
    outside = ("/sub/", "/sub", "/out/a", "/out/", "/file", "/../victim/a", "/%2e%2e/victim/a", "//etc/passwd")
    for path in (*outside, "/circle", "/pipe", "/%00", "/" + "x" * 5000, "/none"):
        assert ask(site, path) == (404, b"not found"), path


def test_the_folder_itself_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "index.html").write_text("home")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert ask(FolderSite(tmp_path / "link"), "/") == (200, b"home")

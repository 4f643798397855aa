"""Tasks about a repository."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

from agentgym.envs._kit.tools import Unfit, best
from agentgym.envs.code._shell.book import BOOK, counted, differing
from agentgym.envs.code._shell.home import Home
from agentgym.envs.code._shell.repository import Commit, blob_id, described

HEADS = "refs/heads/"


def _commit(home: Home, repo: str, subject: str) -> Commit:
    """The commit of main with a subject; a repository has no subject twice."""
    return next(each for each in home.repositories[repo].history("main") if each.subject == subject)


def _goal(home: Home, repo: str) -> dict[str, Any]:
    """What the repository comes to, to be changed into what it should."""
    made = described(home.files, f"{repo}/.git", home.repositories[repo].commits)
    assert made is not None
    home.goals[repo] = made
    return made


def _tree(files: dict[str, bytes]) -> dict[str, str]:
    return {path: f"100644 {blob_id(data)}" for path, data in files.items()}


def _checked_out(home: Home, repo: str, files: dict[str, bytes]) -> None:
    """Put other files into the working folder, and into the index of the goal."""
    for path in home.under(repo):
        home.drop(path)
    kept = {"/".join(path.split("/")[:size]) for path in files for size in range(1, path.count("/") + 1)}
    for path in [path for path in home.files if path.startswith(f"{repo}/") and "/.git" not in path]:
        if path.removeprefix(f"{repo}/") not in kept:
            home.files.pop(path)
    for path, data in files.items():
        home.put(f"{repo}/{path}", data)
    home.goals[repo]["index"] = {path: f"{each} 0" for path, each in _tree(files).items()}


@BOOK.task(
    "number", "git -C {repo} log --all --author={author} --oneline | wc -l",
    "How many commits in {repo}, on all branches, are by {author}?",
    "Count the commits of {author} over all branches of the repository {repo}.",
    "Over every branch of {repo}, of how many commits is {author} the author?",
)  # fmt: skip
def _commits_by(home: Home, repo: str, author: str) -> float:
    return counted(sum(each.author == author.lower() for each in home.repositories[repo].commits.values()))


@BOOK.task(
    "name", "git -C {repo} log -1 --format=%s -- {tracked}",
    "What is the message of the last commit on main of {repo} that changed {tracked}?",
    "In {repo}, main is checked out: which message has the latest commit that touched {tracked}?",
    "Find the most recent commit of main in {repo} with a change of {tracked}; give its message.",
)  # fmt: skip
def _last_change(home: Home, repo: str, tracked: str) -> str:
    history = home.repositories[repo].history("main")
    for commit, before in zip(history, [*history[1:], None], strict=True):
        if before is None or commit.files.get(tracked) != before.files.get(tracked):
            return commit.subject
    raise Unfit


@BOOK.task(
    "name", 'git -C {repo} show --name-only --format= "$(git -C {repo} log --format=%H --grep={subject} main)"',
    'Which file did the commit "{subject}" on main of {repo} change? Give its path.',
    'In {repo}, the commit of main with the message "{subject}" touched one file; what is its path in the repository?',
    'Give the path of the file that "{subject}", a commit on main of {repo}, added, changed or removed.',
)  # fmt: skip
def _changed_file(home: Home, repo: str, subject: str) -> str:
    commit = _commit(home, repo, subject)
    before = home.repositories[repo].commits[commit.parents[0]].files if commit.parents else {}
    names = {*before, *commit.files}
    return next(iter([path for path in names if before.get(path) != commit.files.get(path)]), "")


@BOOK.task(
    "number", 'git -C {repo} ls-tree -r --name-only {branch} | while read -r f; do git -C {repo} show "{branch}:$f"; '
    'done | wc -l',
    "How many lines do all files on the branch {branch} of {repo} have together?",
    "Add up the lines of every file of {repo} as it stands on {branch}.",
    "On the branch {branch} of the repository {repo}, what is the total number of lines over all files?",
)  # fmt: skip
def _lines_on_branch(home: Home, repo: str, branch: str) -> float:
    files = home.repositories[repo].tip(branch).files
    return counted(sum(data.count(b"\n") for data in files.values()))


@BOOK.task(
    "list", "git -C {repo} diff --name-only main...{branch}",
    "Which files did the branch {branch} of {repo} add or change since it left main? Give their paths.",
    "In {repo}, list the paths that differ between {branch} and the commit where it forked off main.",
    "Going from the merge base with main to {branch} in {repo}, which paths were touched?",
)  # fmt: skip
def _touched(home: Home, repo: str, branch: str) -> list[str]:
    ours, theirs = home.repositories[repo].history("main"), home.repositories[repo].history(branch)
    base = next(each for each in theirs if each in ours)
    new = theirs[0].files
    return differing([path for path in {*new, *base.files} if new.get(path) != base.files.get(path)])


@BOOK.task(
    "name", "git -C {repo} log {branch} --format=%an -- . | sort | uniq -c | sort -rn | head -1 | awk '{print $2}'",
    "Who has made the most commits that {branch} of {repo} contains?",
    "Counting all commits reachable from {branch} in {repo}, which author has the most?",
    "Name the author with the largest number of commits in the history of {branch}, repository {repo}.",
)  # fmt: skip
def _busiest_author(home: Home, repo: str, branch: str) -> str:
    return best(Counter(each.author for each in home.repositories[repo].history(branch)), among=2).capitalize()


@BOOK.task(
    "state", 'git -C {repo} branch {fresh_branch} "$(git -C {repo} log --format=%H --grep={subject} main)"',
    'In {repo}, make a branch {fresh_branch} at the commit "{subject}" of main, without checking it out.',
    'The repository {repo} needs the branch {fresh_branch}, pointing to the commit of main called "{subject}"; stay '
    'on main.',
    'Let {fresh_branch} be a new branch of {repo} that ends at "{subject}", a commit of main. Keep main checked out.',
)  # fmt: skip
def _new_branch(home: Home, repo: str, fresh_branch: str, subject: str) -> None:
    _goal(home, repo)["refs"][HEADS + fresh_branch] = _commit(home, repo, subject).id


@BOOK.task(
    "state", "git -C {repo} branch -D {branch}",
    "Delete the branch {branch} of {repo}, merged or not.",
    "The branch {branch} in {repo} was given up: remove it.",
    "Drop {branch} from the branches of the repository {repo}, even if it was never merged.",
)  # fmt: skip
def _delete_branch(home: Home, repo: str, branch: str) -> None:
    del _goal(home, repo)["refs"][HEADS + branch]


@BOOK.task(
    "state", 'git -C {repo} tag v{rank}.{n} "$(git -C {repo} log --format=%H --grep={subject} main)"',
    'Tag the commit "{subject}" on main of {repo} as v{rank}.{n}.',
    'In {repo}, put the tag v{rank}.{n} on the commit of main with the message "{subject}".',
    'The commit "{subject}" (main, repository {repo}) is release v{rank}.{n}; give it that tag.',
)  # fmt: skip
def _tag(home: Home, repo: str, rank: int, n: int, subject: str) -> None:
    _goal(home, repo)["refs"][f"refs/tags/v{rank}.{n}"] = _commit(home, repo, subject).id


@BOOK.task(
    "state", "git -C {repo} checkout -q {branch}",
    "Check out the branch {branch} in {repo}.",
    "Switch the repository {repo} to {branch}.",
    "Let the working folder of {repo} show the branch {branch}.",
)  # fmt: skip
def _switch(home: Home, repo: str, branch: str) -> None:
    _goal(home, repo)["head"] = f"ref: {HEADS}{branch}"
    _checked_out(home, repo, dict(home.repositories[repo].tip(branch).files))


@BOOK.task(
    "state", "git -C {repo} merge -q --no-edit {branch}",
    "Merge the branch {branch} of {repo} into main.",
    "In {repo}, bring what is on {branch} into main by a merge.",
    "Let main of the repository {repo} contain {branch}: merge it, with whatever message.",
)  # fmt: skip
def _merge(home: Home, repo: str, branch: str) -> None:
    made, goal = home.repositories[repo], _goal(home, repo)
    ours, theirs = made.tip("main"), made.tip(branch)
    base = next(each for each in made.history(branch) if each in made.history("main"))
    changed = {path: data for path, data in theirs.files.items() if base.files.get(path) != data}
    files = {**ours.files, **changed}
    forward = base == ours
    goal["refs"][f"{HEADS}main"] = theirs.id if forward else [_tree(files), [ours.id, theirs.id], None]
    _checked_out(home, repo, files)


@BOOK.task(
    "state", ("mkdir -p {repo}/{fresh} && echo {value} > {repo}/{fresh}/{noun}.txt",
              "cd {repo} && git add {fresh} && git commit -qm 'Add the {noun} of {fresh}'"),
    'In {repo}, add the file {fresh}/{noun}.txt with the one line {value} and commit it on main as "Add the {noun} '
    'of {fresh}".',
    'Commit to main of {repo} a new file {fresh}/{noun}.txt that says {value}; the message is "Add the {noun} of '
    '{fresh}".',
    'Make a commit on main in {repo}, with the message "Add the {noun} of {fresh}", that adds {fresh}/{noun}.txt, '
    'whose '
    "only line is {value}.",
)  # fmt: skip
def _commit_file(home: Home, repo: str, fresh: str, noun: str, value: int) -> None:
    goal, tip = _goal(home, repo), home.repositories[repo].tip("main")
    files = {**tip.files, f"{fresh}/{noun}.txt": f"{value}\n".encode()}
    goal["refs"][f"{HEADS}main"] = [_tree(files), [tip.id], f"Add the {noun} of {fresh}"]
    _checked_out(home, repo, files)


@BOOK.task(
    "state", ("cd {repo} && git rm -q {tracked}", "git commit -qm 'Drop {noun} {n}'"),
    'In {repo}, remove {tracked} and commit that on main with the message "Drop {noun} {n}".',
    'Commit the removal of {tracked} to main of {repo}; say "Drop {noun} {n}".',
    'The file {tracked} of the repository {repo} is to go: delete it in a commit on main called "Drop {noun} {n}".',
)  # fmt: skip
def _commit_removal(home: Home, repo: str, tracked: str, noun: str, n: int) -> None:
    goal, tip = _goal(home, repo), home.repositories[repo].tip("main")
    files = {path: data for path, data in tip.files.items() if path != tracked}
    goal["refs"][f"{HEADS}main"] = [_tree(files), [tip.id], f"Drop {noun} {n}"]
    _checked_out(home, repo, files)


@BOOK.task(
    "state", 'mkdir -p "$(dirname {text})" && cd {repo} && c=$(git log --diff-filter=D --format=%H -1) && '
    'f=$(git show --diff-filter=D --name-only --format= "$c") && git show "$c^:$f" > ~/{text}',
    "The last file that was deleted on main of {repo} is needed again: write what it held to the new file {text}, "
    "outside.",
    "On main of {repo} a file was removed by the last deletion. Save its content from before that as {text} in the "
    "home.",
    "Get back the content of the file most recently deleted on main in {repo}, as the new file {text}; leave {repo} "
    "alone.",
)  # fmt: skip
def _recover(home: Home, repo: str, text: str) -> None:
    history = home.repositories[repo].history("main")
    for commit, before in pairwise(history):
        gone = [path for path in before.files if path not in commit.files]
        if gone:
            home.put(text, before.files[gone[0]])
            return
    raise Unfit

"""Tasks about archives."""

from __future__ import annotations

from agentgym.envs._kit.tools import Unfit, best
from agentgym.envs.code._shell.book import BOOK, counted, differing
from agentgym.envs.code._shell.home import Home
from agentgym.envs.code._shell.stored import gzipped, members, unzipped


def _members(home: Home, path: str) -> dict[str, bytes]:
    """The files in an archive."""
    return members(home.files[path].data) or {}


def _short(path: str) -> str:
    return path.rpartition("/")[2]


@BOOK.task(
    "number", "tar xzOf {archive} --wildcards '*.txt' | wc -l",
    "How many lines do the .txt files in {archive} have together?",
    "Without leaving anything unpacked: count the lines of all .txt files in the archive {archive}.",
    "What is the total number of lines in the text files (.txt) packed in {archive}?",
)  # fmt: skip
def _packed_lines(home: Home, archive: str) -> float:
    return counted(sum(data.count(b"\n") for path, data in _members(home, archive).items() if path.endswith(".txt")))


@BOOK.task(
    "name", "tar tzvf {archive} | awk '{print $3, $6}' | sort -rn | head -1 | sed 's#.*/##'",
    "Which file in {archive} is the largest? Give its name without folders.",
    "Name the file with the most bytes in the archive {archive}, without its path.",
    "Of the files packed in {archive}, which one is biggest? Just the file name.",
)  # fmt: skip
def _largest_member(home: Home, archive: str) -> str:
    return best({_short(path): len(data) for path, data in _members(home, archive).items()}, among=3)


@BOOK.task(
    "name", "tar xzOf {archive} --wildcards '*.csv' | sort | head -1 > /dev/null; tar tzf {archive} | grep csv$ | "
    "sort | sed -n 1p | "
    "while read -r f; do tar xzOf {archive} \"$f\" | sed -n 's/^serial //p'; done",
    "In {archive} there are .csv files. What serial stands in the one whose name is first by letters?",
    "Take the alphabetically first .csv file in {archive}: which serial does its line serial give?",
    "What is the serial in the first .csv file, in order of name, of the archive {archive}?",
)  # fmt: skip
def _serial(home: Home, archive: str) -> str:
    found = {path: data for path, data in _members(home, archive).items() if path.endswith(".csv")}
    return found[min(found)].decode().splitlines()[0].removeprefix("serial ")


@BOOK.task(
    "list", "tar tzf {archive} | grep '/parts/' | sed 's#.*/##'",
    "Which files in {archive} lie in its folder parts? Give the names without folders.",
    "List the names of the files that {archive} keeps below parts.",
    "What are the files in the folder parts of the archive {archive} called?",
)  # fmt: skip
def _in_folder(home: Home, archive: str) -> list[str]:
    return differing([_short(path) for path in _members(home, archive) if "/parts/" in path])


@BOOK.task(
    "state", "mkdir -p {folder} && tar xzf {archive} -C {folder}",
    "Unpack {archive} into the new folder {folder}.",
    "Make the folder {folder} and extract all of {archive} there, with the paths that it has inside.",
    "The contents of {archive}, paths as in the archive, shall be in {folder}, which is new.",
)  # fmt: skip
def _unpack(home: Home, archive: str, folder: str) -> None:
    for path, data in _members(home, archive).items():
        home.put(f"{folder}/{path}", data)


@BOOK.task(
    "state", "mkdir -p {folder} && tar xzf {archive} -C {folder} --strip-components=2 --wildcards '*/parts/*'",
    "Unpack only the folder parts of {archive}: its files shall lie directly in the new folder {folder}.",
    "Extract the files that {archive} holds below parts, and nothing else, straight into the new folder {folder}.",
    "Make {folder} with the files of parts in {archive} in it, without any folder between.",
)  # fmt: skip
def _unpack_part(home: Home, archive: str, folder: str) -> None:
    for path, data in _members(home, archive).items():
        if "/parts/" in path:
            home.put(f"{folder}/{_short(path)}", data)


@BOOK.task(
    "state", 'mkdir -p "$(dirname {tar})" && tar czf {tar} -C projects "$(basename {project})"',
    "Pack the folder {project} into the new archive {tar}; paths in it begin with the name of that folder.",
    "Make the gzipped tar archive {tar} of {project}, so that unpacking it gives that one folder with all files.",
    "Put {project} into {tar}, a tar packed with gzip, its members named from the folder's own name on.",
)  # fmt: skip
def _pack(home: Home, project: str, tar: str) -> None:
    home.put(tar, "")
    start = project.rpartition("/")[0] + "/"
    home.archives[tar] = {path.removeprefix(start): home.files[path].data for path in home.under(project)}


@BOOK.task(
    "state", 'mkdir -p "$(dirname {tar})" && (cd {project} && find . -name \'*.py\' | tar czf ~/{tar} -T -)',
    "Pack the .py files of {project} into the new archive {tar}, with paths relative to {project}.",
    "Make {tar} (tar and gzip) of all Python files below {project}, and only those; paths begin below {project}.",
    "The archive {tar} shall hold every .py file of {project} under its path within that folder, and nothing else.",
)  # fmt: skip
def _pack_sources(home: Home, project: str, tar: str) -> None:
    home.put(tar, "")
    found = home.under(project, ".py")
    home.archives[tar] = {path.removeprefix(f"{project}/"): home.files[path].data for path in found}


@BOOK.task(
    "state", 'mkdir -p {folder} && for f in downloads/*.txt.gz; do gzip -t "$f" 2> /dev/null || mv "$f" {folder}/; '
    'done',
    "Some of the files downloads/*.txt.gz are damaged. Move those into the new folder {folder}.",
    "Test the files ending in .txt.gz in downloads; each that is broken shall be moved to {folder}, a new folder.",
    "Make {folder} and put every corrupt .txt.gz file of downloads there, away from the sound ones.",
)  # fmt: skip
def _move_damaged(home: Home, folder: str) -> None:
    found = [path for path in home.under("downloads", ".txt.gz") if unzipped(home.files[path].data) is None]
    if not found:
        raise Unfit
    for path in found:
        home.move(path, f"{folder}/{_short(path)}")


@BOOK.task(
    "number", "tar xOf {nested} --wildcards '*.tar.gz' | tar xzO | awk -F': ' 'NF == 2 {s += $2} END {print s}'",
    "In {nested} lies another archive. What is the sum of the numbers after the colons in all of its files?",
    "Unpack the archive inside {nested}: its files have lines such as name: 12. Add up those numbers over all of them.",
    "What do the numbers behind the colons in the files of the inner archive of {nested} add up to?",
)  # fmt: skip
def _nested_sum(home: Home, nested: str) -> float:
    (inner,) = [data for path, data in _members(home, nested).items() if path.endswith(".tar.gz")]
    lines = [line for data in (members(inner) or {}).values() for line in data.decode().splitlines()]
    return counted(sum(int(line.partition(": ")[2]) for line in lines if ": " in line))


@BOOK.task(
    "list", "tar xOf {nested} --wildcards '*.tar.gz' | tar tz",
    "In {nested} lies another archive. Which files does that one hold?",
    "Name the files in the archive that is packed inside {nested}.",
    "List what the inner archive of {nested} contains.",
)  # fmt: skip
def _nested_names(home: Home, nested: str) -> list[str]:
    (inner,) = [data for path, data in _members(home, nested).items() if path.endswith(".tar.gz")]
    return differing(list(members(inner) or {}))


@BOOK.task(
    "state", "gunzip {packed}",
    "Unpack {packed} where it is, so that the log itself takes its place.",
    "Replace {packed} by its unpacked content, the same name without .gz.",
    "Gunzip {packed} in its folder; the packed file shall be gone afterwards.",
)  # fmt: skip
def _unpack_log(home: Home, packed: str) -> None:
    home.put(packed.removesuffix(".gz"), unzipped(home.files[packed].data) or b"")
    home.drop(packed)


@BOOK.task(
    "state", "gzip {log}",
    "Pack {log} with gzip where it is, so that only the .gz remains.",
    "Replace {log} by a gzip file of the same name with .gz at its end.",
    "The log {log} shall be compressed to .gz beside the others, and not stay unpacked.",
)  # fmt: skip
def _pack_log(home: Home, log: str) -> None:
    home.archives[f"{log}.gz"] = {"": home.files[log].data}
    home.put(f"{log}.gz", gzipped(home.files[log].data))
    home.drop(log)

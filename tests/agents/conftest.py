"""The small model and its tokenizer, which the tests of training use as well."""

import importlib.util

if importlib.util.find_spec("torch") is None:  # these need the extra `train`
    collect_ignore = ["test_chat_format.py", "test_chat_rewriting.py", "test_engine.py", "test_engine_modes.py"]
    collect_ignore += ["test_generation.py", "test_ray_policy.py", "test_rereading.py"]
else:
    from tests.train.conftest import make_engine, tokenizer

    __all__ = ["make_engine", "tokenizer"]

if not all(map(importlib.util.find_spec, ("torch", "openai", "starlette", "uvicorn"))):  # train, endpoint and serve
    collect_ignore = [*globals().get("collect_ignore", []), "test_served.py", "test_vllm.py"]

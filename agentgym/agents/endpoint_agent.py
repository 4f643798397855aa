"""The agent `endpoint`, made of its options."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.agents.address import KEY_VARIABLE, OPENAI, Address
from agentgym.agents.budget import FREE, Budget, Prices, read_prices
from agentgym.agents.chat import EndpointPolicy, chat_prompt
from agentgym.agents.endpoint import Endpoint, LimitName
from agentgym.core import ConfigError


def endpoint_policy(
    *,
    model: str,
    base_url: str = OPENAI,
    api_key_env: str | None = None,
    temperature: float | None = None,
    top_p: float | None = None,
    extra_body: Mapping[str, Any] | None = None,
    drop: Sequence[str] = (),
    limit_name: LimitName | None = None,
    max_tokens: int = 512,
    window: int | None = None,
    system: str = "",
    prompt: str = "",
    max_prompt_tokens: int | None = None,
    pictures: bool = False,
    tools: bool = False,
    keep_thinking: bool = False,
    concurrency: int = 8,
    timeout: float = 300.0,
    retries: int = 5,
    price_in: float | None = None,
    price_out: float | None = None,
    prices: str | None = None,
    max_cost: float | None = None,
    max_total_tokens: int | None = None,
) -> EndpointPolicy:
    """The agent `endpoint`; see `Endpoint` for what its options do.

    Args:
        model: The model's name on the server.
        base_url: Such as `http://localhost:8000/v1`.
        api_key_env: Environment variable that holds the key. `OPENAI_API_KEY` is read by itself for OpenAI's own host,
            and sent to no other.
        temperature, top_p: Of sampling; None leaves it to the server.
        extra_body: Further parameters of each question.
        drop: Which of `seed` and `max_tokens` are not sent.
        limit_name: `max_tokens` or `max_completion_tokens`.
        max_tokens: Most tokens of one answer.
        window, system, prompt, max_prompt_tokens: See `chat_prompt`; tokens are estimated.
        pictures: Whether the model is shown what the world draws.
        tools: Whether the world's tools are offered, for the model to call.
        keep_thinking: Whether the model is shown its earlier thoughts.
        concurrency: Conversations under way at once.
        timeout: Seconds from a question to the last byte of its answer.
        retries: Tries after the first.
        price_in, price_out: US dollars per million tokens read and written.
        prices: A TOML file in their place; see `read_prices`.
        max_cost, max_total_tokens: What may be spent in all, in US dollars and in tokens read and written; None for no
            limit.

    Raises:
        ConfigError: if a variable is named and not set, or an option is out of range or without effect.
    """
    endpoint = open_endpoint(
        model=model, base_url=base_url, api_key_env=api_key_env, temperature=temperature, top_p=top_p,
        extra_body=extra_body, drop=drop, limit_name=limit_name, concurrency=concurrency, timeout=timeout,
        retries=retries, price_in=price_in, price_out=price_out, prices=prices, max_cost=max_cost,
        max_total_tokens=max_total_tokens,
    )  # fmt: skip
    asked = chat_prompt(window, system, prompt, max_prompt_tokens)
    return EndpointPolicy(
        endpoint, max_tokens=max_tokens, prompt=asked, sees=pictures, calls=tools, keep_thinking=keep_thinking
    )


def open_endpoint(
    *,
    model: str,
    base_url: str,
    api_key_env: str | None,
    temperature: float | None,
    top_p: float | None,
    extra_body: Mapping[str, Any] | None,
    drop: Sequence[str],
    limit_name: LimitName | None,
    concurrency: int,
    timeout: float,
    retries: int,
    price_in: float | None,
    price_out: float | None,
    prices: str | None,
    max_cost: float | None,
    max_total_tokens: int | None,
) -> Endpoint:
    """The endpoint of an agent that asks one, made of the agent's options.

    Args:
        model, base_url, api_key_env, temperature, top_p, extra_body, drop, limit_name: As of `endpoint_policy`.
        concurrency, timeout, retries, price_in, price_out, prices, max_cost, max_total_tokens: The same.

    Raises:
        ConfigError: if a variable is named and not set, or an option is out of range.
    """
    if api_key_env is not None and not os.environ.get(api_key_env):
        raise ConfigError(f"the environment variable {api_key_env} is not set; put the API key into it")
    if api_key_env is None and Address.of(base_url).shown.startswith(f"https://{Address.of(OPENAI).host}/"):
        api_key_env = KEY_VARIABLE
    paid = _prices(model, price_in, price_out, prices)
    if max_cost is not None and paid == FREE:
        raise ConfigError("max_cost needs to know what tokens cost: give price_in and price_out, or prices")
    return Endpoint(
        base_url,
        model,
        api_key=os.environ.get(api_key_env, "") if api_key_env else "",
        temperature=temperature,
        top_p=top_p,
        extra_body=extra_body,
        drop=drop,
        limit_name=limit_name,
        timeout=timeout,
        retries=retries,
        prices=paid,
        budget=Budget(max_cost, max_total_tokens),
        concurrency=concurrency,
    )


def _prices(model: str, price_in: float | None, price_out: float | None, prices: str | None) -> Prices:
    if prices is None:
        return Prices(price_in or 0.0, price_out or 0.0)
    if price_in is not None or price_out is not None:
        raise ConfigError("prices are given twice: by price_in or price_out, and by prices; leave one out")
    return read_prices(prices, model)

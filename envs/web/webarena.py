"""WebArena's tasks on your own copies of its sites: config files, addresses, and the published evaluators."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from agentgym.core.checks import check_model
from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.generated import checked, path_to, switch
from agentgym.core.tasks import Spec, Task, TaskSet
from agentgym.core.text_model import TextModel
from agentgym.envs.web import WEBARENA
from agentgym.envs.web._browser.context import Context
from agentgym.envs.web._browser.credentials import Credentials, check_credentials
from agentgym.envs.web._browser.env import BrowserConfig
from agentgym.envs.web._browser.hosts import HostList
from agentgym.envs.web._browser.site import FolderSite, Site
from agentgym.envs.web._webarena.configs import ConfigBook, start_urls
from agentgym.envs.web._webarena.evaluators import Rules
from agentgym.envs.web._webarena.play import ConfigEnv
from agentgym.envs.web._webarena.storage import read_state, sign_in


def check_addresses(name: str, value: Any) -> tuple[tuple[str, str], ...]:
    """Addresses by the names of sites, as pairs.

    Args:
        name: What the value is called.
        value: What was given.
    """
    if not isinstance(value, Mapping) or not all(isinstance(text, str) for pair in value.items() for text in pair):
        raise ConfigError(f"{name} maps each site to its address, both texts, got {value!r}")
    return tuple(value.items())


def check_sites(name: str, value: Any) -> tuple[str, ...]:
    """Names of sites, as a tuple.

    Args:
        name: What the value is called.
        value: What was given.
    """
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(site, str) for site in value):
        raise ConfigError(f"{name} is a list of sites, such as ['shopping', 'reddit'], got {value!r}")
    return tuple(value)


@dataclass(frozen=True)
class WebArenaConfig(BrowserConfig):
    """The keyword arguments of `WebArenaEnv`."""

    tasks: Path = path_to("a config file or of a folder of them", required=True, shapes_tasks=False)
    addresses: tuple[tuple[str, str], ...] = checked(MISSING, check_addresses, shapes_tasks=False)
    storage: Path | None = path_to("a folder", shapes_tasks=False)
    sites: tuple[str, ...] | None = checked(None, check_sites, shapes_tasks=False)
    strict: bool = switch(False, shapes_tasks=False)
    model: TextModel | None = checked(None, check_model, shapes_tasks=False)
    credentials: Credentials | None = checked(None, check_credentials, shapes_tasks=False)


class WebArenaEnv(ConfigEnv):
    """WebArena's tasks on sites of your own.

    **Description.** The agent starts on a page of a shop, its administration, a forum, a code host or a map, works in a
    real browser, and ends the task with `stop [answer]` or `infeasible [reason]`. Tasks come from WebArena's config
    files (`test.raw.json`, or a folder of `<number>.json`); the sites are those you run, nothing else can be reached.
    A site's recorded pages in a folder are served inside the browser.

    **Observation, actions.** See `BrowserEnv`; WebArena's own forms of actions are understood.

    **Reward.** At the end 1 if every evaluator of the task holds, otherwise 0: `string_match` (`exact_match`,
    `must_include`, `fuzzy_match`), `url_match`, `program_html`, with the verdicts of the published evaluators.
    `fuzzy_match` asks `model`; without one an answer must have nearly the same words and the same numbers. `infeasible`
    counts as the answer `N/A` and is right only where that is wanted. Locators run in the page; of the original's
    helper functions those in the published tasks are known, by name.

    **Signing in.** Each config names a storage state; those of the folder `storage` are put into the episode's browser.
    Without it every episode begins signed out.

    **Splits.** The original has none. All tasks of one template stand in one split, 80/10/10 of the templates by a
    stable hash. The sites keep what an episode changed: start their containers anew before a measurement.

    **Source.** WebArena (Zhou et al. 2024, arXiv:2307.13854).

    Args:
        tasks: Path of a config file or of a folder of them.
        addresses: Where each site is, such as `{"SHOPPING": "http://localhost:7770"}`; a folder for recorded pages.
        storage: Folder of the storage states that the configs name.
        sites: Only tasks on these sites alone, such as `["shopping", "reddit"]`.
        strict: Whether addresses must be equal, not merely hold the right one, with no filter more, and an answer that
            offers several things to choose from is wrong. The published evaluators are not strict.
        model: Compares answers in `fuzzy_match`, and reasons given in place of `N/A`.
        credentials: Name and password for hosts that ask for them by HTTP, such as
            `{"shop.example": ["ann", "..."]}`; the agent is told neither.
        observe, picture, viewport, trace, split, max_turns, render_mode: See `BrowserEnv`.

    Raises:
        DataError: if a config is not as the original's, or an address is missing.
        ConfigError: if an address is no address and no folder, or holds a name and password.
    """

    card = WEBARENA
    config: WebArenaConfig = WebArenaConfig(tasks=Path("test.raw.json"), addresses={})  # type: ignore[arg-type]  # kept as pairs

    def _configured(self) -> None:
        super()._configured()
        config = self.config
        self._addresses, self._served = _where(dict(config.addresses))
        self._book = load_configs(str(config.tasks.resolve()), json.dumps(self._addresses), config.sites)
        self._judged = Rules(self._addresses, config.model, config.strict)

    def tasks(self, split: str) -> TaskSet:
        """The tasks of a split."""
        return self._book.panel(split)

    def check_task(self, spec: Spec) -> None:
        """Refuse start pages that could not be opened."""
        allowed = HostList([*self._hosts_given, *self._served])
        for url in start_urls(spec):
            if not allowed.allows(url):
                raise TaskError(f"the start page {url[:80]!r} is on none of the sites: {allowed}")

    @property
    def _hosts_given(self) -> list[str]:
        found = [urlsplit(url).netloc for url in self._addresses.values()]
        return sorted({host for host in found if host not in self._served})

    def _rules(self) -> Rules:
        return self._judged

    def _hosts(self, task: Task) -> Sequence[str]:
        return self._hosts_given

    def _sites(self, task: Task) -> Mapping[str, Site]:
        return self._served

    def _credentials(self, task: Task) -> Mapping[str, tuple[str, str]]:
        return self.config.credentials or {}

    def _furnish(self, context: Context, task: Task) -> None:
        named = task.spec.get("storage_state")
        if self.config.storage is not None and named:
            sign_in(context, read_state(self.config.storage, str(named)))


def _where(addresses: Mapping[str, str]) -> tuple[dict[str, str], dict[str, Site]]:
    """Address of every site by its name, and the sites that are served inside the browser by their hosts."""
    found: dict[str, str] = {}
    served: dict[str, Site] = {}
    for name, given in addresses.items():
        if given.startswith(("http://", "https://")):
            found[name] = given.rstrip("/")
            _check_host(name, given)
        elif Path(given).is_dir():
            host = f"{name.lower().replace('_', '-')}.test"
            found[name], served[host] = f"http://{host}", FolderSite(given)
        else:
            raise ConfigError(
                f"the address of {name} is {given!r}; give one that begins with http:// or https://, or a folder of "
                "recorded pages"
            )
    return found, served


def _check_host(name: str, address: str) -> None:
    """Refuse an `address` of the site `name` whose host cannot be allowed."""
    try:
        HostList([urlsplit(address).netloc])
    except ConfigError as error:
        raise ConfigError(f"the address of {name}: {error}") from None
    except ValueError:  # of urlsplit
        raise ConfigError(f"the address of {name} has no host; give one such as http://localhost:7770") from None


@lru_cache(maxsize=8)
def load_configs(path: str, addresses: str, sites: tuple[str, ...] | None) -> ConfigBook:
    """A config file; read once.

    Args:
        path: Of the file or folder.
        addresses: By site name, as JSON.
        sites: See `ConfigBook`.
    """
    return ConfigBook(Path(path), json.loads(addresses), sites)

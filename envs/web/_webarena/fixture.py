"""A small recorded shop and forum with tasks in WebArena's format: `AgentGym/WebArena-v0` without servers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PAGE = '<!doctype html><meta charset="utf-8"><title>{title}</title><h1>{title}</h1>{body}'
LAMPS = {"arc": ("Arc lamp", "$89.00", 7), "globe": ("Globe lamp", "$34.50", 0), "clip": ("Clip lamp", "$12.99", 41),
         "tripod": ("Tripod lamp", "$120.00", 3), "lava": ("Lava lamp", "$27.25", 12)}  # fmt: skip
POSTS = {"books": ("A friendly reminder", "ada"), "pics": ("The harbour at dawn", "bo"), "news": ("Bridge opens", "cy")}


def config_file(folder: str | Path) -> dict[str, Any]:
    """Write two recorded sites and a config file into a folder; the constructor arguments."""
    place = Path(folder)
    shop, forum = place / "shop", place / "forum"
    tasks: list[dict[str, Any]] = []

    def add(site: str, template: int, intent: str, **judged: Any) -> None:
        """Add a task in WebArena's form.

        Args:
            site: Name of the site that it begins on.
            template: Number of the group of tasks that it belongs to.
            intent: What is asked for.
            judged: `kinds` of evaluation, and what these compare with.
        """
        empty: dict[str, Any] = {"reference_answers": None, "reference_url": "", "program_html": []}
        tasks.append(
            {
                "sites": [site.lower()],
                "task_id": len(tasks),
                "require_login": False,
                "storage_state": None,
                "start_url": f"__{site}__",
                "geolocation": None,
                "intent": intent,
                "intent_template_id": template,
                "require_reset": False,
                "eval": {"eval_types": list(judged.pop("kinds")), **empty, **judged},
            }
        )

    _write(
        shop / "index.html",
        "Lamps",
        "".join(f'<a href="/{key}.html">{name}</a> ' for key, (name, _, _) in LAMPS.items()),
    )
    for key, (name, price, left) in LAMPS.items():
        _write(shop / f"{key}.html", name, f'<p class="price">{price}</p><p>{left} in stock</p>')
        add(
            "SHOPPING",
            1,
            f"What does the {name} cost?",
            kinds=["string_match"],
            reference_answers={"must_include": [price]},
        )
        add("SHOPPING", 2, f"How many of the {name} are in stock?", kinds=["string_match"],
            reference_answers={"must_include": [str(left)]})  # fmt: skip
        add("SHOPPING", 3, f"Show me the {name}.", kinds=["url_match"], reference_url=f"__SHOPPING__/{key}.html",
            url_note="GOLD in PRED")  # fmt: skip
        add("SHOPPING", 4, f"What is the phone number of the designer of the {name}?", kinds=["string_match"],
            reference_answers={"fuzzy_match": "N/A"}, string_note="The site names no designer.")  # fmt: skip
    _write(
        forum / "index.html",
        "Forum",
        "".join(f'<a href="/f/{board}/1/">{title}</a> ' for board, (title, _) in POSTS.items()),
    )
    for board, (title, author) in POSTS.items():
        for page in ("", "/-/comment/2"):
            _write(
                forum / f"f/{board}/1{page}/index.html",
                title,
                f'<p class="by">{author}</p><a href="/f/{board}/1/-/comment/2/">comment</a>',
            )
        target = {
            "url": "func:reddit_get_post_url('__last_url__')",
            "locator": "document.querySelector('.by').outerText",
            "required_contents": {"exact_match": author},
        }
        judged = {"kinds": ["url_match", "program_html"], "url_note": "GOLD in PRED", "program_html": [target]}
        comment = f"__REDDIT__/f/{board}/1/-/comment/2"
        add("REDDIT", 5, f"Open the comment on the post '{title}'.", reference_url=comment, **judged)
        author_of = f"Who wrote the post '{title}'?"
        add("REDDIT", 6, author_of, kinds=["string_match"], reference_answers={"exact_match": author})
    path = place / "configs.json"
    path.write_text(json.dumps(tasks), encoding="utf8")
    return {"tasks": str(path), "addresses": {"SHOPPING": str(shop), "REDDIT": str(forum)}}


def _write(path: Path, title: str, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PAGE.format(title=title, body=body), encoding="utf8")

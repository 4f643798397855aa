"""The administration of the shop: its routes and its dashboard, over the database of the shop."""

from __future__ import annotations

from agentgym.envs.web._sites.application import (
    Answer,
    Routes,
    SiteApplication,
    Visit,
    show,
    sign_in,
    sign_in_page,
    sign_out,
)
from agentgym.envs.web._sites.backoffice import catalogue, grids, people, reports, sales
from agentgym.envs.web._sites.backoffice.access import MAY, staff_only
from agentgym.envs.web._sites.database import Store

HOST = "backoffice.test"
SUM = "SELECT {} FROM orders WHERE state NOT IN ('Canceled', 'Refunded')"


def build_backoffice(store: Store) -> SiteApplication:
    """The administration over a database.

    Args:
        store: Of `shop.app.new_store`; the shop may have the same.
    """
    areas = {grid.name: grid.area for grid in grids.GRIDS}
    return SiteApplication("backoffice", ROUTES, store, {"may": MAY, "areas": areas})


@staff_only
def _dashboard(site: SiteApplication, visit: Visit) -> Answer:
    store = site.store
    latest = (
        "SELECT orders.*, users.first, users.last FROM orders JOIN users ON users.id = user ORDER BY orders.id DESC"
    )
    sold = "SELECT name, sku, sum(quantity) AS n, max(price) AS price FROM order_lines JOIN orders ON orders.id = " \
           "order_id WHERE state != 'Canceled' GROUP BY product ORDER BY n DESC, product LIMIT 5"  # fmt: skip
    return show(
        "dashboard",
        lifetime=store.value(SUM.format("sum(total)")) or 0,
        average=store.value(SUM.format("CAST(round(avg(total)) AS INTEGER)")) or 0,
        waiting=store.value("SELECT count(*) FROM orders WHERE state = 'Pending'"),
        pending=store.value("SELECT count(*) FROM reviews WHERE state = 'Pending'"),
        orders=store.all(f"{latest} LIMIT 5"),
        best=store.all(sold),
        top=store.all("SELECT * FROM terms ORDER BY uses DESC, id LIMIT 5"),
        last=store.all("SELECT * FROM terms ORDER BY latest DESC, id LIMIT 5"),
    )


ROUTES: Routes = [
    ("GET", "/", _dashboard),
    ("GET", "/sign-in", sign_in_page),
    ("POST", "/sign-in", sign_in),
    ("POST", "/sign-out", sign_out),
    *grids.ROUTES,
    *sales.ROUTES,
    *catalogue.ROUTES,
    *people.ROUTES,
    *reports.ROUTES,
]

"""Who may do what in the administration: roles of the staff, and the areas that each of them works in."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from agentgym.envs.web._sites.application import Answer, Page, SiteApplication, Visit, members_only, refused, visitor

AREAS = ["orders", "products", "customers", "reviews", "returns", "promotions", "terms", "reports", "messages",
         "staff", "settings"]  # fmt: skip
MAY = {
    "Support": ["orders", "customers", "returns", "messages"],
    "Catalog": ["products", "reviews"],
    "Marketing": ["promotions", "terms", "reports", "reviews"],
    "Manager": [area for area in AREAS if area not in ("staff", "settings")],
    "Administrator": AREAS,
}


def areas_of(role: str) -> list[str]:
    """The areas that a role works in; none for a customer.

    Args:
        role: Of an account.
    """
    return MAY.get(role, [])


def staff_only(page: Page) -> Page:
    """A page for the staff, whatever their role.

    Args:
        page: Answers them.
    """

    @wraps(page)
    def checked(site: SiteApplication, visit: Visit) -> Answer:
        """The page of the `site` for a `visit` of staff, and a refusal for any other."""
        own = visitor(visit)
        if not areas_of(own["role"]):
            return refused(f"The account {own['name']} does not belong to the staff.")
        return page(site, visit)

    return members_only(checked)


def for_area(area: str) -> Callable[[Page], Page]:
    """A page for those who work in an area.

    Args:
        area: One of `AREAS`.
    """

    def around(page: Page) -> Page:
        @wraps(page)
        def checked(site: SiteApplication, visit: Visit) -> Answer:
            """The page of the `site` for a `visit` of a role that has the area, and a refusal for any other."""
            role = visitor(visit)["role"]
            if area not in areas_of(role):
                able = ", ".join(name for name, areas in MAY.items() if area in areas)
                return refused(f"The area “{area}” is for the roles {able}; you are {role}.")
            return page(site, visit)

        return staff_only(checked)

    return around

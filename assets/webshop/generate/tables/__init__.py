"""Word tables, one module per group of related categories."""

from agentgym.assets.webshop.generate.model import Category
from agentgym.assets.webshop.generate.tables import (
    beauty_bath,
    beauty_hair,
    beauty_skin,
    electronics_computers,
    electronics_screen,
    electronics_sound,
    fashion_men_bottoms,
    fashion_men_tops,
    fashion_outer,
    fashion_shoes,
    fashion_women_bottoms,
    fashion_women_tops,
    grocery_pantry,
    grocery_snacks,
    home_furniture,
    home_living,
    home_textiles,
)
from agentgym.assets.webshop.generate.tables.more_kinds import with_more_kinds

_TOLD = tuple(
    category
    for module in (
        fashion_men_tops,
        fashion_men_bottoms,
        fashion_women_tops,
        fashion_women_bottoms,
        fashion_shoes,
        fashion_outer,
        beauty_hair,
        beauty_skin,
        beauty_bath,
        electronics_sound,
        electronics_computers,
        electronics_screen,
        home_furniture,
        home_textiles,
        home_living,
        grocery_snacks,
        grocery_pantry,
    )
    for category in module.CATEGORIES
)

CATEGORIES: tuple[Category, ...] = with_more_kinds(_TOLD)
"""Every category of the shop, department by department."""

"""Pictures of the products for the site: a parcel in a color of its kind, with the plain colors it is offered in.

The products are invented, so no photograph shows them. A picture says what the page says, and nothing more.
"""

from __future__ import annotations

from zlib import crc32

from agentgym.envs.web._shop.products import Product

PLAIN = frozenset(
    ("black", "white", "grey", "red", "blue", "green", "yellow", "orange", "purple", "pink", "brown", "beige", "navy")
)
SPOTS = 6  # colors shown at most


def draw_product(product: Product) -> str:
    """An SVG of 200 by 200 pixels."""
    hue = crc32(" ".join(product.path).encode()) % 360
    offered = (
        word
        for name, values in product.options.items()
        if name == "color"
        for value in values
        for word in value.replace("gray", "grey").split()
    )
    colors = [color for color in dict.fromkeys(offered) if color in PLAIN][:SPOTS]
    spots = "".join(
        f'<circle cx="{25 + 30 * place}" cy="180" r="11" fill="{color}" stroke="#555"/>'
        for place, color in enumerate(colors)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200" width="200" height="200">'
        f'<rect width="200" height="200" fill="hsl({hue}, 30%, 95%)"/>'
        f'<path d="M30 65 100 35 170 65 170 130 100 160 30 130Z" fill="hsl({hue}, 45%, 65%)" stroke="#555"/>'
        f'<path d="M30 65 100 95 170 65M100 95V160" fill="none" stroke="#555"/>{spots}</svg>'
    )

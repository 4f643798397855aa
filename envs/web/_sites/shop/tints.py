"""Colors of the pictures of goods: behind them, and their own."""

TINTS = {
    "Black": ("#e6e6e6", "#222222"), "White": ("#b9c4cc", "#ffffff"), "Gray": ("#ececec", "#808488"),
    "Navy": ("#e3e8f2", "#1f3059"), "Sky Blue": ("#e8f3fa", "#5ba6d6"), "Forest Green": ("#e5efe6", "#2b5d3a"),
    "Olive": ("#f0f0e0", "#7a7a35"), "Red": ("#fae8e6", "#c03428"), "Burgundy": ("#f3e4e8", "#6f1f36"),
    "Orange": ("#fdeedd", "#dd7a1f"), "Mustard": ("#faf3d9", "#c29a1c"), "Beige": ("#efe8dc", "#c9b489"),
    "Brown": ("#efe6df", "#6e4a33"), "Rose": ("#fbeaf0", "#d87b9d"), "Lilac": ("#f1eaf8", "#9a7bc4"),
}  # fmt: skip

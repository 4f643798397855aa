"""Money, music and goods: what the world offers, and what people did with it."""

from __future__ import annotations

from agentgym.envs.tools._office.people import words
from agentgym.envs.tools._office.people.circle import Person, Town

ALBUMS, LIBRARY, LISTS = 48, (36, 52), (4, 6)
TRANSFERS, ASKED = 150, 44  # between all people of a circle
PURPOSES = ["groceries", "rent", "dinner", "concert tickets", "taxi", "birthday gift", "coffee", "train tickets",
            "electricity", "internet", "cinema", "lunch"]  # fmt: skip
ORDERS = (9, 13)


def sing(town: Town) -> None:
    """Albums and songs that can be heard."""
    draw = town.draw
    titles = [f"{head} {tail}" for head in words.SONG_HEADS for tail in words.SONG_TAILS]
    names = iter(draw.some(titles, len(titles)))
    style = {band: draw.some(words.GENRES, 2) for band in words.BANDS}
    for _ in range(ALBUMS):
        band = draw.of(words.BANDS)
        album = town.add("albums", next(names), band, draw.of(style[band]), draw.between(1975, 2023))
        for _ in range(draw.between(4, 7)):
            town.add("songs", next(names), album, draw.between(95, 520))


def listen(town: Town) -> None:
    """What people keep, hear, like and rate, and their playlists."""
    draw = town.draw
    for person in town.people:
        mine = draw.some(range(1, len(town.rows["songs"]) + 1), draw.between(*LIBRARY))
        for song in mine:
            stars = draw.of([0, 0, 1, 2, 3, 3, 4, 4, 5, 5])
            added = town.past(700)[:10]
            town.add("library", person.number, song, added, draw.below(160), int(draw.chance(35)), stars)
        for mood in draw.some(words.MOODS, draw.between(*LISTS)):
            title = f"{mood} {draw.of(['mix', 'songs', 'playlist'])}"
            made = town.add("playlists", person.number, title, int(draw.chance(50)))
            for song in draw.some(mine, draw.between(6, 14)):
                town.add("playlist_songs", made, song)


def sell(town: Town) -> None:
    """Goods that can be ordered."""
    draw = town.draw
    for category, (things, least, most) in words.GOODS.items():
        for thing in things:
            for brand in draw.some(words.BRANDS, draw.between(4, 6)):
                name = f"{brand} {thing} {draw.of(['S', 'M', 'L', 'Pro', 'Eco', 'Mini'])}"
                price = draw.between(least, most) * 100 + draw.of([0, 49, 50, 90, 95, 99])
                town.add("products", name, category, brand, price, draw.between(21, 50) / 10, draw.between(1, 9))


def shop(town: Town) -> None:
    """Cards, orders, reviews, carts and wishes."""
    draw = town.draw
    goods = town.rows["products"]
    for person in town.people:
        cards = [
            town.add("cards", person.number, label, f"{draw.between(0, 9999):04}", draw.between(900, 3000) * 100)
            for label in draw.some(["Everyday card", "Travel card", "Bank card", "Savings card"], 3)
        ]
        seen: list[int] = []
        for at in range(draw.between(*ORDERS)):
            seen += _order(town, person, cards, goods, under_way=at < 3)
        for product in draw.some(sorted(set(seen)), 5):
            text = draw.of(["Fine.", "Does what it should.", "Not for me.", "A good buy."])
            town.add("reviews", person.number, product, draw.between(1, 5), text)
        for product in draw.some([row[0] for row in goods], 9):
            town.add("wishes", person.number, product)
        for product in draw.some([row[0] for row in goods], 3):
            town.add("cart", person.number, product, draw.between(1, 2))


def _order(town: Town, person: Person, cards: list[int], goods: list[tuple], under_way: bool) -> list[int]:
    """An order of some time ago; the products in it."""
    draw = town.draw
    bought = draw.some(goods, draw.between(1, 4))
    counts = [draw.of([1, 1, 1, 2, 3]) for _ in bought]
    placed = town.past(1) if under_way else town.past(400, of=12)
    slowest = max(row[6] for row in bought)
    arrives = town.clock.day(draw.between(1, 9) if under_way else -draw.between(1, 3))
    if not under_way:
        day = town.clock.today.fromisoformat(placed[:10])
        arrives = day.fromordinal(day.toordinal() + slowest).isoformat()
    status = "in transit" if under_way else "delivered"
    total = sum(row[4] * count for row, count in zip(bought, counts, strict=True))
    made = town.add("orders", person.number, placed, status, total, draw.of(cards), arrives)
    for row, count in zip(bought, counts, strict=True):
        town.add("order_items", made, row[0], count, row[4], int(not under_way and draw.chance(6)))
    return [] if under_way else [row[0] for row in bought]


def pay(town: Town) -> None:
    """Money in wallets, sent, asked for, paid and declined."""
    draw = town.draw
    for person in town.people:
        town.add("wallets", person.number, draw.between(600, 2500) * 100 + draw.below(100))
    times = sorted(town.past(200) for _ in range(TRANSFERS))
    for at in times:
        one, other = draw.some(town.people, 2)
        town.add("transfers", one.number, other.number, _amount(town), draw.of(PURPOSES), at)
    times = sorted(town.past(60) for _ in range(ASKED))
    for at in times:
        one, other = draw.some(town.people, 2)
        status = draw.of(["pending", "pending", "pending", "paid", "declined"])
        town.add("requests", one.number, other.number, _amount(town), draw.of(PURPOSES), at, status)


def _amount(town: Town) -> int:
    return town.draw.between(4, 95) * 100 + town.draw.of([0, 0, 25, 40, 50, 75, 90])

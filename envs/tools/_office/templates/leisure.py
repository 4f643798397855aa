"""Tasks of payments, music and shopping, each alone."""

from __future__ import annotations

from collections import Counter, defaultdict

from agentgym.envs._kit.tools import Program, Unfit, best, several
from agentgym.envs.tools._office.templates.slots import (
    BOOK,
    card,
    enter,
    every,
    extreme,
    later,
    playlist,
    some,
    today,
    total,
)  # fmt: skip
from agentgym.envs.tools._office.templates.slots import product as product_named


@BOOK.ask(
    "number", 1,
    'How many dollars have I sent for "{purpose}" in the payments app since {early_day}?',
    'Add up all payments that I made from {early_day} on with the note "{purpose}", in dollars.',
    'What is the sum in dollars of what I have paid others for "{purpose}" on or after {early_day}?',
)  # fmt: skip
def _sent_for(purpose: str, early_day: str) -> Program:
    yield from enter("payments")
    rows = yield from every("payments_history", direction="sent", since=early_day)
    return total(row["amount"] for row in some([row for row in rows if row["note"] == purpose], 2))


@BOOK.ask(
    "text", 1,
    "With whom do I have the greatest balance in my favor since {early_day}, payments received minus payments sent? "
    "Give the mail address.",
    "Take what each person paid me since {early_day} minus what I paid them. For whom is it the most? Answer with the "
    "mail address.",
    "Counting payments from {early_day} on, which mail address has sent me the most more than I sent there?",
)  # fmt: skip
def _greatest_net(early_day: str) -> Program:
    yield from enter("payments")
    net: dict[str, float] = defaultdict(float)
    for row in (yield from every("payments_history", direction="received", since=early_day)):
        net[row["sender"]] += row["amount"]
    for row in (yield from every("payments_history", direction="sent", since=early_day)):
        net[row["receiver"]] -= row["amount"]
    return best({email: round(value, 2) for email, value in net.items()}, among=3)


@BOOK.ask(
    "state", 1,
    "Decline all pending requests for money to me that ask for more than ${dollars}, and pay the others.",
    "Go through the pending payment requests I have got: pay those of at most ${dollars}, decline the rest.",
    "Pending requests to me up to ${dollars} are to be paid; whatever asks for more is to be declined.",
)  # fmt: skip
def _settle_requests(dollars: int) -> Program:
    yield from enter("payments")
    for row in some((yield from every("payments_requests", direction="to_me", status="pending")), 2):
        answer = "declined" if row["amount"] > dollars else "paid"
        yield ("payments_answer", {"request_id": row["id"], "answer": answer})


@BOOK.ask(
    "state", 1,
    "Take back those of my requests for money that are still pending and older than {recent_day}.",
    "Cancel each request of mine in the payments app that was made before {recent_day} and is pending.",
    "Nobody reacted: cancel my own pending payment requests from before {recent_day}.",
)  # fmt: skip
def _cancel_requests(recent_day: str) -> Program:
    yield from enter("payments")
    for row in (yield from every("payments_requests", direction="by_me", status="pending")):
        if row["created_at"] < recent_day:
            yield ("payments_cancel", {"request_id": row["id"]})


@BOOK.ask(
    "state", 1,
    'Remind all who owe me: for each pending request of mine that was made before {recent_day}, make the same request '
    'once more (same person and amount) with the note "reminder".',
    'Every pending request of mine from before {recent_day} shall be made a second time, with equal amount and the '
    'note "reminder".',
    'Ask again, with the note "reminder", whoever has not answered my requests made before {recent_day}: the same '
    "amounts.",
)  # fmt: skip
def _remind(recent_day: str) -> Program:
    yield from enter("payments")
    for row in (yield from every("payments_requests", direction="by_me", status="pending")):
        if row["created_at"] < recent_day:
            yield ("payments_request", {"email": row["payer"], "amount": row["amount"], "note": "reminder"})


@BOOK.ask(
    "state", 1,
    'Take as much from my "{card}" as all pending requests to me come to, and put it into my wallet.',
    'Top up my wallet from the "{card}" by the sum of all pending requests for money that I have got.',
    'My "{card}" shall fill the wallet by exactly what the pending requests to me ask for in all.',
)  # fmt: skip
def _top_up(card: str) -> Program:
    yield from enter("payments")
    rows = yield from every("payments_requests", direction="to_me", status="pending")
    found = yield from _card(card, "payments_cards")
    yield ("payments_top_up", {"card_id": found["id"], "amount": total(row["amount"] for row in some(rows))})


_card = card


@BOOK.ask(
    "number", 1,
    'How many minutes does my playlist "{playlist}" last? Round to two decimals.',
    'Add up the lengths of all songs in my playlist "{playlist}": how many minutes are they, to two decimals?',
    'What is the total length of the songs on my playlist "{playlist}" in minutes, rounded to two decimals?',
)  # fmt: skip
def _minutes_of_playlist(playlist: str) -> Program:
    yield from enter("music")
    rows = yield from every("music_playlist", playlist_id=(yield from _playlist(playlist)))
    return round(sum(row["seconds"] for row in rows) / 60, 2)


_playlist = playlist


@BOOK.ask(
    "name", 1,
    "Which song of my library have I played most often without ever liking or rating it?",
    "Of the songs in my library that I neither like nor have rated, which one has the most plays? Give its title.",
    "Name the song with the most plays among those of my library that have no stars and no like.",
)  # fmt: skip
def _most_played_unrated() -> Program:
    yield from enter("music")
    rows = [row for row in (yield from every("music_library", liked=False)) if not row["stars"]]
    return extreme(rows, lambda row: row["plays"])["title"]


@BOOK.ask(
    "list", 1,
    'Which artists are both on my playlist "{playlist}" and on my playlist "{other_playlist}"?',
    'List the artists who have songs on "{playlist}" as well as on "{other_playlist}"; both are my playlists.',
    'My playlists "{playlist}" and "{other_playlist}" have some artists in common. Which ones?',
)  # fmt: skip
def _common_artists(playlist: str, other_playlist: str) -> Program:
    yield from enter("music")
    known = {row["title"]: row["id"] for row in (yield ("music_playlists", {}))}
    one = yield from every("music_playlist", playlist_id=known[playlist])
    other = yield from every("music_playlist", playlist_id=known[other_playlist])
    return sorted({row["artist"] for row in one} & {row["artist"] for row in other})


@BOOK.ask(
    "state", 1,
    'Remove from my playlist "{playlist}" every song that I rated with fewer than {stars} stars. Songs without a '
    "rating stay.",
    'My playlist "{playlist}" shall lose the songs to which I gave less than {stars} stars; what is not rated stays.',
    'Throw out of "{playlist}" (my playlist) whatever I have rated below {stars} stars.',
)  # fmt: skip
def _remove_badly_rated(playlist: str, stars: int) -> Program:
    yield from enter("music")
    number = yield from _playlist(playlist)
    bad = {row["id"] for row in (yield from every("music_library")) if 0 < row["stars"] < stars}
    rows = [row["id"] for row in (yield from every("music_playlist", playlist_id=number)) if row["id"] in bad]
    yield ("music_remove_songs", {"playlist_id": number, "song_ids": some(rows)})


@BOOK.ask(
    "state", 1,
    'Make a public playlist "Best of {genre}" of all {genre} songs in my library with {stars} stars or more.',
    'I want a new public playlist named "Best of {genre}": the {genre} songs of my library that have at least {stars} '
    "stars.",
    'All {genre} songs of my library which I rated {stars} stars or higher shall form a new public playlist, "Best of '
    '{genre}".',
)  # fmt: skip
def _best_of_genre(genre: str, stars: int) -> Program:
    yield from enter("music")
    rows = [row["id"] for row in (yield from every("music_library", genre=genre)) if row["stars"] >= stars]
    told = {"title": f"Best of {genre}", "song_ids": some(rows), "is_public": True}
    yield ("music_create_playlist", told)


@BOOK.ask(
    "state", 1,
    'Like every song by "{artist}" in my library that I have played more than {plays} times and do not like yet.',
    'In my library, give a like to the songs of "{artist}" with more than {plays} plays, where it is missing.',
    'Songs by "{artist}" that are in my library, have over {plays} plays and no like shall be liked.',
)  # fmt: skip
def _like_artist(artist: str, plays: int) -> Program:
    yield from enter("music")
    for row in (yield from every("music_library", artist=artist, liked=False)):
        if row["plays"] > plays:
            yield ("music_like", {"song_id": row["id"], "liked": True})


@BOOK.ask(
    "state", 1,
    "Take the songs out of my library that I played fewer than {count} times and do not like.",
    "Clear my music library of songs without a like and with less than {count} plays.",
    "Songs in my library that have under {count} plays and that I do not like can go.",
)  # fmt: skip
def _drop_unplayed(count: int) -> Program:
    yield from enter("music")
    for row in (yield from every("music_library", liked=False)):
        if row["plays"] < count:
            yield ("music_drop", {"song_id": row["id"]})


@BOOK.ask(
    "state", 1,
    'Join my playlists: put the songs of "{other_playlist}" that "{playlist}" lacks at its end, then delete '
    '"{other_playlist}".',
    'Add what is missing from "{other_playlist}" to "{playlist}" and delete "{other_playlist}" afterwards; both are '
    "playlists of mine.",
    'My playlist "{playlist}" shall take in the songs of "{other_playlist}" that it does not have, and '
    '"{other_playlist}" shall go.',
)  # fmt: skip
def _join_playlists(playlist: str, other_playlist: str) -> Program:
    yield from enter("music")
    known = {row["title"]: row["id"] for row in (yield ("music_playlists", {}))}
    inside = {row["id"] for row in (yield from every("music_playlist", playlist_id=known[playlist]))}
    rows = yield from every("music_playlist", playlist_id=known[other_playlist])
    missing = some([row["id"] for row in rows if row["id"] not in inside], most=20)
    yield ("music_add_songs", {"playlist_id": known[playlist], "song_ids": missing})
    yield ("music_delete_playlist", {"playlist_id": known[other_playlist]})


@BOOK.ask(
    "number", 1,
    "How many dollars have I spent on {category} products in orders placed since {early_day}? Cancelled orders and "
    "returned products do not count.",
    "Leaving out cancelled orders and products that I sent back: what did {category} products cost me, in dollars, in "
    "orders from {early_day} on?",
    "Add up what I paid for {category} products (quantity times price) in my orders since {early_day}, without "
    "cancelled orders and returned products.",
)  # fmt: skip
def _spent_on_category(category: str, early_day: str) -> Program:
    yield from enter("shopping")
    spent = []
    for row in (yield from every("shop_orders", since=early_day)):
        if row["status"] != "cancelled":
            for each in (yield ("shop_order", {"order_id": row["id"]}))["items"]:
                if each["category"] == category and not each["is_returned"]:
                    spent.append(each["price"] * each["quantity"])
    return total(spent)


@BOOK.ask(
    "name", 1,
    "Which {category} product by {brand} or with at least 4.5 points of rating is the cheapest? Give its exact name.",
    "I look for the cheapest {category} product that is made by {brand} or rated 4.5 or higher. What is its name?",
    "Among the {category} products in the shop, those of {brand} and those rated 4.5 and better: which costs least?",
)  # fmt: skip
def _cheapest(category: str, brand: str) -> Program:
    yield from enter("shopping")
    rows = yield from every("shop_search", category=category)
    kept = [row for row in rows if row["brand"] == brand or row["rating"] >= 4.5]
    return extreme(kept, lambda row: row["price"], -1)["name"]


@BOOK.ask(
    "date", 1,
    "On which day will the last of my orders in transit arrive?",
    "I go away soon. When does the latest of the orders arrive that are still in transit?",
    "Of my orders that are in transit, which arrival date is the latest?",
)  # fmt: skip
def _last_arrival() -> Program:
    yield from enter("shopping")
    return max(row["arrives_on"] for row in some((yield from every("shop_orders", status="in transit")), 2))


@BOOK.ask(
    "state", 1,
    "Put all products of my wish list that cost less than ${dollars} into my cart, one of each, and take them off the "
    "wish list. Those that are in the cart already only leave the wish list.",
    "Wishes below ${dollars} come true: move them from my wish list to the cart, one each; if the cart has one, just "
    "take it off the list.",
    "Move every wish under ${dollars} into the cart (quantity 1, unless it is in there already, which is left as it "
    "is) and off my wish list.",
)  # fmt: skip
def _wishes_to_cart(dollars: int) -> Program:
    yield from enter("shopping")
    inside = {row["id"] for row in (yield ("shop_cart", {}))}
    for row in (yield ("shop_wishes", {})):
        if row["price"] < dollars:
            if row["id"] not in inside:
                yield ("shop_set_cart", {"product_id": row["id"], "quantity": 1})
            yield ("shop_wish", {"product_id": row["id"], "wished": False})


@BOOK.ask(
    "state", 1,
    'Send the "{bought}" of my delivered order back and put it on my wish list unless it is there.',
    'I ordered "{bought}" once. Return it, and see that it is on my wish list.',
    'Return "{bought}" from the order that brought it; it shall be on my wish list afterwards.',
)  # fmt: skip
def _return_and_wish(bought: str) -> Program:
    yield from enter("shopping")
    for row in (yield from every("shop_orders", status="delivered")):
        for each in (yield ("shop_order", {"order_id": row["id"]}))["items"]:
            if each["name"] == bought and not each["is_returned"]:
                yield ("shop_return", {"order_id": row["id"], "product_id": each["product_id"]})
                if all(wish["id"] != each["product_id"] for wish in (yield ("shop_wishes", {}))):
                    yield ("shop_wish", {"product_id": each["product_id"], "wished": True})
                return


@BOOK.ask(
    "state", 1,
    "Order the cheapest {category} product rated {stars} or more, and nothing else, with the card \"{card}\". What is "
    "in my cart now shall not be ordered: take it out for good.",
    'Empty my cart, then buy one piece of the cheapest {category} product with a rating of at least {stars}; pay with '
    'the "{card}".',
    'With my "{card}", buy the {category} product of the lowest price among those rated {stars} and better, one piece. '
    "Remove before what lies in the cart.",
)  # fmt: skip
def _buy_cheapest(category: str, stars: int, card: str) -> Program:
    yield from enter("shopping")
    for row in (yield ("shop_cart", {})):
        yield ("shop_set_cart", {"product_id": row["id"], "quantity": 0})
    rows = yield from every("shop_search", category=category, least_rating=stars)
    chosen = extreme(rows, lambda row: row["price"], -1)
    yield ("shop_set_cart", {"product_id": chosen["id"], "quantity": 1})
    yield ("shop_buy", {"card_id": (yield from _card(card, "shop_cards"))["id"]})


@BOOK.ask(
    "state", 1,
    "Cancel those of my orders in transit that arrive more than {count} days from today.",
    "Whatever is in transit and arrives later than {count} days from now: cancel these orders.",
    "I leave in {count} days. Cancel every order in transit that will arrive after that day.",
)  # fmt: skip
def _cancel_late(count: int) -> Program:
    last = later((yield from today()).isoformat(), count)
    yield from enter("shopping")
    for row in (yield from every("shop_orders", status="in transit")):
        if row["arrives_on"] > last:
            yield ("shop_cancel", {"order_id": row["id"]})


@BOOK.ask(
    "state", 1,
    'Raise my reviews: everything by {brand} that I have reviewed shall get one star more (5 at most), with the text '
    '"{text}".',
    'I was unfair to {brand}. Change each of my reviews of their products: one more star, up to 5, and the text '
    '"{text}".',
    'For each product of {brand} that I reviewed, write the review anew: a star more than before (never above 5), text '
    '"{text}".',
)  # fmt: skip
def _raise_reviews(brand: str, text: str) -> Program:
    yield from enter("shopping")
    found = 0
    for row in (yield from every("shop_reviews")):
        if row["name"].startswith(f"{brand} "):
            told = {"stars": min(5, row["stars"] + 1), "text": text}
            yield ("shop_review", {"product_id": row["product_id"], **told})
            found += 1
    if not found:
        raise Unfit


@BOOK.ask(
    "name", 1,
    "Of which brand have I bought the most pieces in my delivered orders placed since {early_day}?",
    "Count pieces by brand in the orders that I placed from {early_day} on and that were delivered. Which brand leads?",
    "The delivered orders that I placed since {early_day} brought the most pieces of which brand?",
)  # fmt: skip
def _favorite_brand(early_day: str) -> Program:
    yield from enter("shopping")
    pieces: Counter[str] = Counter()
    for row in (yield from every("shop_orders", status="delivered", since=early_day)):
        for each in (yield ("shop_order", {"order_id": row["id"]}))["items"]:
            pieces[each["brand"]] += each["quantity"]
    return best(pieces, among=2)


@BOOK.ask(
    "state", 1,
    'Put two more of "{bought}" into my cart than are in it now.',
    'Raise the number of "{bought}" in my cart by two; there may be none so far.',
    'I need "{bought}" again: my cart shall hold two more of it than it does.',
)  # fmt: skip
def _two_more(bought: str) -> Program:
    yield from enter("shopping")
    found = yield from product_named(bought)
    inside = {row["id"]: row["quantity"] for row in (yield ("shop_cart", {}))}
    yield ("shop_set_cart", {"product_id": found["id"], "quantity": inside.get(found["id"], 0) + 2})


@BOOK.ask(
    "number", 1,
    "How many different artists are in my library with songs that I like?",
    "Count the artists of the songs that I like in my library, each once.",
    "I like songs in my library by how many artists?",
)  # fmt: skip
def _liked_artists() -> Program:
    yield from enter("music")
    return several(len({row["artist"] for row in (yield from every("music_library", liked=True))}))

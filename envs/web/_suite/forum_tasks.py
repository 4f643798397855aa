"""Templates over the forum, and over both sites."""

from __future__ import annotations

from urllib.parse import quote_plus

from agentgym.envs.web._sites.database import Row
from agentgym.envs.web._suite.drafts import FORGE, FORUM, Ask, Draft, Template, answer, deed, letter, place

ALONE = """SELECT posts.*, boards.name AS board_name, users.name AS writer FROM posts JOIN boards ON boards.id = board
    JOIN users ON users.id = author WHERE removed = 0 AND NOT EXISTS (SELECT 1 FROM posts AS other WHERE
    other.title = posts.title AND other.id != posts.id)"""
VOWS = ("Count me in.", "I will try this next week.", "This is good to know.", "Can you say more?", "Well put.")
NEWS = ("Swap meeting on {0}", "Questions about {0}", "A list of links on {0}", "Looking for company: {0}")
PLACES = ("Quarrydale", "Millbrook", "Ashford Cross", "Tarn End", "Hazelwick", "Long Meadow")


def _post(ask: Ask, where: str = "") -> tuple[Row, str, str]:
    """A post whose title no other has, the way to it, and its words."""
    row = ask.row(ask.forum, f"{ALONE} {where} ORDER BY posts.id")
    return row, f"{FORUM}/b/{row['board_name']}/{row['id']}", f"the post “{row['title']}” in b/{row['board_name']}"


def _board(ask: Ask, where: str = "1") -> Row:
    return ask.row(ask.forum, f"SELECT * FROM boards WHERE {where} ORDER BY id")


def _user(ask: Ask) -> Row:
    return ask.row(ask.forum, "SELECT * FROM users WHERE id > 1 ORDER BY id")


def replies(ask: Ask) -> Draft:
    """How many replies a post has."""
    row, way, words = _post(ask, "AND replies > 0")
    return answer(FORUM, way, f"the number of replies to {words}", row["replies"], "number")


def score(ask: Ask) -> Draft:
    """The score of a post."""
    row, way, words = _post(ask)
    return answer(FORUM, way, f"the score of {words}", row["score"], "number")


def author(ask: Ask) -> Draft:
    """Who wrote a post."""
    row, way, words = _post(ask)
    return answer(FORUM, way, f"the account that wrote {words}", row["writer"], "name")


def joined(ask: Ask) -> Draft:
    """When an account was made."""
    row = _user(ask)
    return answer(FORUM, f"{FORUM}/u/{row['name']}", f"the date on which {row['name']} joined the forum",
                  row["joined"], "date")  # fmt: skip


def home(ask: Ask) -> Draft:
    """Where somebody lives."""
    row = _user(ask)
    return answer(FORUM, f"{FORUM}/u/{row['name']}", f"the place in which {row['name']} of the forum lives",
                  row["place"], "name")  # fmt: skip


def members(ask: Ask) -> Draft:
    """How many members a board has."""
    row = _board(ask)
    count = ask.forum.value("SELECT count(*) FROM subscriptions WHERE board = ?", row["id"])
    return answer(FORUM, f"{FORUM}/boards", f"the number of members of b/{row['name']}", count, "number")


def board_posts(ask: Ask) -> Draft:
    """How many posts a board has."""
    row = _board(ask)
    count = ask.forum.value("SELECT count(*) FROM posts WHERE board = ? AND removed = 0", row["id"])
    return answer(FORUM, f"{FORUM}/boards", f"the number of posts in b/{row['name']}", count, "number")


def best_post(ask: Ask) -> Draft:
    """The title of a board's best post."""
    row = _board(ask)
    best = ask.forum.one("SELECT * FROM posts WHERE board = ? ORDER BY score DESC, id DESC", row["id"])
    assert best is not None
    return answer(FORUM, f"{FORUM}/b/{row['name']}?sort=top", f"the title of the post with the highest score in "
                  f"b/{row['name']}", best["title"], "title")  # fmt: skip


def most_discussed(ask: Ask) -> Draft:
    """Who wrote a board's most discussed post; where there is none, how many members it has."""
    row = _board(ask)
    most = ask.forum.one(f"{ALONE} AND board = ? ORDER BY replies DESC, posts.id DESC", row["id"])
    top = ask.forum.all("SELECT replies FROM posts WHERE board = ? ORDER BY replies DESC LIMIT 2", row["id"])
    if most is None or most["replies"] != top[0][0] or top[0][0] == top[1][0]:
        return members(ask)
    return answer(FORUM, f"{FORUM}/b/{row['name']}?sort=discussed", f"the account that wrote the post with the most "
                  f"replies in b/{row['name']}", most["writer"], "name")  # fmt: skip


def written(ask: Ask) -> Draft:
    """How many posts somebody wrote."""
    row = ask.row(ask.forum, "SELECT * FROM users WHERE id > 1 AND id IN (SELECT author FROM posts) ORDER BY id")
    count = ask.forum.value("SELECT count(*) FROM posts WHERE author = ? AND removed = 0", row["id"])
    return answer(FORUM, f"{FORUM}/u/{row['name']}", f"the number of posts that {row['name']} wrote in the forum",
                  count, "number")  # fmt: skip


def found(ask: Ask) -> Draft:
    """How many posts of a board somebody wrote."""
    row = ask.row(ask.forum, f"{ALONE} ORDER BY posts.id")
    count = ask.forum.value("SELECT count(*) FROM posts WHERE board = ? AND author = ? AND removed = 0", row["board"],
                            row["author"])  # fmt: skip
    way = f"{FORUM}/search?q=&board={row['board_name']}&author={row['writer']}"
    return answer(FORUM, way, f"the number of posts by {row['writer']} in b/{row['board_name']}", count, "number")


def sender(ask: Ask) -> Draft:
    """Who sent a message."""
    row = ask.row(
        ask.forum,
        "SELECT messages.*, users.name FROM messages JOIN users ON users.id = sender WHERE (SELECT count(*) FROM "
        "messages AS other WHERE other.subject = messages.subject) = 1 ORDER BY messages.id",
    )
    return answer(FORUM, f"{FORUM}/messages", f"the account that sent me the message “{row['subject']}”", row["name"],
                  "name")  # fmt: skip


def open_post(ask: Ask) -> Draft:
    """The page of a post."""
    _, way, words = _post(ask)
    return place(FORUM, way, words)


def open_board(ask: Ask) -> Draft:
    """A board in another order."""
    row = _board(ask)
    order = ask.pick(
        (("top", "those with the highest score"), ("old", "the oldest"), ("discussed", "those with the most replies"))
    )
    return place(FORUM, f"{FORUM}/b/{row['name']}?sort={order[0]}", f"the posts of b/{row['name']}, {order[1]} first")


def open_person(ask: Ask) -> Draft:
    """The replies of an account."""
    row = _user(ask)
    return place(FORUM, f"{FORUM}/u/{row['name']}?show=replies", f"the list of the replies of {row['name']}")


def vote(ask: Ask) -> Draft:
    """A vote for or against a post."""
    row, way, words = _post(ask, "AND author != 1")
    up = bool(ask.pick((0, 1)))
    button = "Upvote" if up else "Downvote"
    draft = deed("content", FORUM, f"{button.lower()} {words}", [["goto", way], ["click", f'button "{button}"']],
                 (way, f"#post-{row['id']}-votes .score", str(row["score"] + (1 if up else -1))))  # fmt: skip
    locator = f"document.querySelector('#post-{row['id']}-votes').getAttribute('data-vote')"
    wanted = {"url": way, "locator": locator, "required_contents": {"exact_match": "1" if up else "-1"}}
    draft.judged["program_html"].append(wanted)
    return draft


def save(ask: Ask) -> Draft:
    """Save a post."""
    _, way, words = _post(ask, "AND posts.id NOT IN (SELECT post FROM saved)")
    return deed(
        "content", FORUM, f"save {words}", [["goto", way], ["click", 'button "Save"']], (way, "#save", "Unsave")
    )


def reply(ask: Ask) -> Draft:
    """Reply to a post."""
    row, way, words = _post(ask, "AND locked = 0")
    said = ask.pick(VOWS)
    plan = [["goto", way], ["fill", 'textbox "Your reply"', said], ["click", 'button "Publish reply"']]
    last = f"{FORUM}/u/plainwalnut?show=replies"
    return deed("content", FORUM, f"reply “{said}” to {words}", plan, (last, ".posts .title", row["title"]),
                (last, ".posts li div p", said))  # fmt: skip


def publish(ask: Ask) -> Draft:
    """Write a post."""
    row = _board(ask)
    subject = str(row["description"]).split(": ")[1].split(", ")[0]
    title, body = ask.pick(NEWS).format(subject), ask.pick(VOWS)
    kind = ask.pick(("Question", "Guide", "News", "Help"))
    plan = [["goto", f"{FORUM}/submit"], ["select", 'combobox "Board"', row["name"]],
            ["fill", 'textbox "Title"', title], ["fill", 'textbox "Text"', body],
            ["select", 'combobox "Kind"', kind], ["click", 'button "Publish post"']]  # fmt: skip
    words = f"publish a post of the kind {kind} in b/{row['name']} with the title “{title}” and the text “{body}”"
    words += ", and stay on its page"
    return deed("content", FORUM, words, plan, ("last", "#post h1", title), ("last", "#post .body", body),
                ("last", "#flair", kind), ("last", "#post .by", "plainwalnut"),
                ("last", "aside h2", f"b/{row['name']}"))  # fmt: skip


def subscribe(ask: Ask) -> Draft:
    """Subscribe to a board."""
    row = _board(ask, "id NOT IN (SELECT board FROM subscriptions WHERE user = 1)")
    way = f"{FORUM}/b/{row['name']}"
    return deed("configuration", FORUM, f"subscribe to b/{row['name']}",
                [["goto", way], ["click", 'button "Subscribe"']], (way, "#subscribe", "Unsubscribe"))  # fmt: skip


def unsubscribe(ask: Ask) -> Draft:
    """Unsubscribe from a board."""
    row = _board(ask, "id IN (SELECT board FROM subscriptions WHERE user = 1)")
    way = f"{FORUM}/b/{row['name']}"
    return deed("configuration", FORUM, f"unsubscribe from b/{row['name']}", [["goto", way],
                ["click", 'button "Unsubscribe"']], (way, "#subscribe", "Subscribe"))  # fmt: skip


def block(ask: Ask) -> Draft:
    """Block an account."""
    row = _user(ask)
    way = f"{FORUM}/u/{row['name']}"
    return deed("configuration", FORUM, f"block the account {row['name']} in the forum",
                [["goto", way], ["click", 'button "Block"']], (way, "#block", "Unblock"))  # fmt: skip


def write(ask: Ask) -> Draft:
    """Send a message."""
    row, said = _user(ask), ask.pick(VOWS)
    subject = f"About {ask.pick(PLACES)}"
    plan = [["goto", f"{FORUM}/messages/new"], ["fill", 'textbox "To"', row["name"]],
            ["fill", 'textbox "Subject"', subject], ["fill", 'textbox "Message"', said],
            ["click", 'button "Send message"']]  # fmt: skip
    words = f"send {row['name']} a message in the forum with the subject “{subject}” and the text “{said}”"
    return deed("content", FORUM, words, plan, *letter(row["name"], subject, said))


def move(ask: Ask) -> Draft:
    """Change a setting of the account."""
    new = ask.pick(PLACES)
    plan = [["goto", f"{FORUM}/settings"], ["fill", 'textbox "Lives in"', new], ["click", 'button "Save settings"']]
    return deed("configuration", FORUM, f"change the place where I live to {new} in my settings of the forum", plan,
                (f"{FORUM}/u/plainwalnut", "#place", new))  # fmt: skip


def remove(ask: Ask) -> Draft:
    """Delete a post of one's own."""
    row, way, words = _post(ask, "AND posts.author = 1")
    return deed("content", FORUM, f"delete {words}, which is mine", [["goto", way], ["click", 'button "Delete post"']],
                (way, "h1", "Not found"), (f"{FORUM}/b/{row['board_name']}", "h1", _title(ask, row)))  # fmt: skip


def _title(ask: Ask, row: Row) -> str:
    return str(ask.forum.value("SELECT title FROM boards WHERE id = ?", row["board"]))


def lock(ask: Ask) -> Draft:
    """Lock or pin a post of a board that is moderated."""
    mine = "AND board IN (SELECT board FROM moderators WHERE user = 1)"
    _, way, words = _post(ask, f"{mine} AND locked = 0 AND pinned = 0")
    button, mark = ask.pick((("Lock", "locked"), ("Pin", "pinned")))
    return deed("configuration", FORUM, f"{button.lower()} {words}", [["goto", way], ["click", f'button "{button}"']],
                (way, "#marks", mark))  # fmt: skip


def quote_to_forum(ask: Ask) -> Draft:
    """Read a fact on the code host, and write it to somebody in the forum."""
    row, person = ask.row(ask.forge, "SELECT projects.*, users.name AS owner_name FROM projects JOIN users ON "
                          "users.id = owner WHERE visibility = 'Public' ORDER BY projects.id"), _user(ask)  # fmt: skip
    full = f"{row['owner_name']}/{row['name']}"
    plan = [["goto", f"{FORGE}/p/{full}"], ["goto", f"{FORUM}/messages/new"], ["fill", 'textbox "To"', person["name"]],
            ["fill", 'textbox "Subject"', full], ["fill", 'textbox "Message"', row["licence"]],
            ["click", 'button "Send message"']]  # fmt: skip
    words = (f"find the licence of the project {full} on {FORGE} and send it, without another word, to "
             f"{person['name']} of the forum in a message with the subject “{full}”")  # fmt: skip
    return deed("content", FORUM, words, plan, *letter(person["name"], full, row["licence"]))


def issue_from_forum(ask: Ask) -> Draft:
    """Read a name in the forum, and put it into the profile on the code host."""
    row = _board(ask)
    best = ask.forum.one("SELECT users.name FROM posts JOIN users ON users.id = author WHERE board = ? ORDER BY score "
                         "DESC, posts.id DESC", row["id"])  # fmt: skip
    assert best is not None
    plan = [["goto", f"{FORUM}/b/{row['name']}?sort=top"], ["goto", f"{FORGE}/profile"],
            ["fill", 'textbox "About you"', best["name"]], ["click", 'button "Save profile"']]  # fmt: skip
    words = (f"find out who wrote the post with the highest score in b/{row['name']} of {FORUM} and put that name, "
             "alone, into the field About you of my profile on the code host")  # fmt: skip
    return deed("configuration", FORGE, words, plan, (f"{FORGE}/u/walnut", "#about", best["name"]))


def search_page(ask: Ask) -> Draft:
    """The results of a search."""
    row = _board(ask)
    subject = str(row["description"]).split(": ")[1].split(", ")[0]
    return place(
        FORUM, f"{FORUM}/search?q={quote_plus(subject)}", f"the results of a search of all boards for “{subject}”"
    )


def edit(ask: Ask) -> Draft:
    """Change a post of one's own."""
    _, way, words = _post(ask, "AND posts.author = 1")
    text = f"{ask.pick(VOWS)} {ask.pick(PLACES)}, {ask.pick(VOWS)}"
    plan = [["goto", f"{way}/edit"], ["fill", 'textbox "Text"', text], ["click", 'button "Save changes"']]
    words = f"replace the text of {words}, which is mine, by “{text}”"
    return deed("content", FORUM, words, plan, (way, "#post .body", text))


def ban(ask: Ask) -> Draft:
    """Ban an account from a board."""
    row, person = _board(ask, "id IN (SELECT board FROM moderators WHERE user = 1)"), _user(ask)
    reason, way = ask.pick(("spam", "rude", "off topic")), f"{FORUM}/b/{row['name']}/queue"
    plan = [["goto", way], ["fill", 'textbox "Account"', person["name"]], ["fill", 'textbox "Reason"', reason]]
    plan.append(["click", 'button "Ban account"'])
    words = f"ban {person['name']} from b/{row['name']}, for the reason “{reason}”"
    return deed("configuration", FORUM, words, plan, (way, "#banned", f"{person['name']}: {reason}"))


def describe(ask: Ask) -> Draft:
    """Change a description."""
    row = _board(ask, "id IN (SELECT board FROM moderators WHERE user = 1)")
    way, text = f"{FORUM}/b/{row['name']}", f"A board for {ask.pick(PLACES)} and {ask.pick(PLACES)}."
    plan = [["goto", f"{way}/queue"], ["fill", 'textbox "Description"', text], ["click", 'button "Save description"']]
    words = f"change the description of b/{row['name']} to “{text}”"
    return deed("configuration", FORUM, words, plan, (way, "#description", text))


def new_board(ask: Ask) -> Draft:
    """Open a board."""
    title, group = ask.pick(PLACES), ask.pick(("Food", "Travel", "Music", "Living"))
    name = "".join(title.lower().split())
    plan = [["goto", f"{FORUM}/boards/new"], ["fill", 'textbox "Name"', name], ["fill", 'textbox "Title"', title]]
    plan += [["select", 'combobox "Category"', group], ["click", 'button "Open board"']]
    words = f"open a board with the name {name} and the title “{title}” in the category {group}"
    row = f"tr:has(a[href='/b/{name}']) td:nth-child(3)"
    return deed("content", FORUM, words, plan, (f"{FORUM}/b/{name}", "h1", title), (f"{FORUM}/boards", row, group))


TEMPLATES: tuple[Template, ...] = (
    replies, score, author, joined, home, members, board_posts, best_post, most_discussed, written, found, sender,
    open_post, open_board, open_person, search_page, vote, save, reply, publish, subscribe, unsubscribe, block, write,
    move, remove, lock, edit, ban, describe, new_board, quote_to_forum, issue_from_forum,
)  # fmt: skip

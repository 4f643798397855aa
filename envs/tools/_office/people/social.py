"""Mails and meetings."""

from __future__ import annotations

from datetime import timedelta

from agentgym.envs.tools._office.people import words
from agentgym.envs.tools._office.people.circle import Person, Town


def meet(town: Town) -> None:
    """Events of work and leisure, with who was invited and what they said."""
    draw = town.draw
    for person in town.people:
        team = [each for each in town.of(person, "coworker", "roommate") if each.company == person.company]
        for topic in draw.some(words.TOPICS, 9):
            title = f"{topic.capitalize()} {draw.of(words.MEETINGS)}"
            _event(town, person, title, draw.between(-12, 16), (9, 16), draw.some(team, draw.between(1, 4)))
        for what in draw.some(words.PRIVATE, 8):
            friends = draw.some(town.of(person), draw.between(0, 5))
            title = f"{what} with {friends[0].name}" if len(friends) == 1 else what
            _event(town, person, title, draw.between(-12, 22), (7, 20), friends)
        for week in range(-2, 3):
            _event(town, person, "Weekly report", 7 * week + 1, (9, 9), [])


def _event(town: Town, person: Person, title: str, day: int, hours: tuple[int, int], others: list[Person]) -> None:
    draw = town.draw
    start = town.clock.now.replace(hour=draw.between(*hours), minute=draw.of([0, 0, 15, 30])) + timedelta(days=day)
    end = start + timedelta(minutes=draw.of([30, 45, 60, 60, 90, 120]))
    shown = [each.strftime("%Y-%m-%d %H:%M") for each in (start, end)]
    made = town.add("events", person.number, title, *shown, draw.of(words.PLACES), "")
    past = shown[1] < town.clock.stamp
    for each in others:
        town.add(
            "attendees", made, each.email, draw.of(["accepted", "accepted", "pending", "pending", "declined"][past:])
        )


def write(town: Town) -> None:
    """Mails that people got and sent."""
    for person in town.people:
        _bills(town, person)
        _invitations(town, person)
        _work(town, person)
        _chats(town, person)
        _offers(town, person)
        _orders(town, person)
    mails = town.rows["mails"]
    mails.sort(key=lambda row: (row[7], row[0]))  # ids follow time
    number = {row[0]: at for at, row in enumerate(mails, 1)}
    town.rows["mails"] = [(number[row[0]], *row[1:]) for row in mails]
    town.rows["attachments"] = [(row[0], number[row[1]], *row[2:]) for row in town.rows["attachments"]]


def _got(town: Town, person: Person, sender: str, subject: str, body: str, at: str, label: str) -> int:
    """A mail that somebody got."""
    draw = town.draw
    folder = "archive" if draw.chance(20) else "inbox"
    marks = int(folder == "archive" or draw.chance(55)), int(draw.chance(18))
    return town.add("mails", person.number, folder, sender, person.email, subject, body, at, *marks, label)


def _bills(town: Town, person: Person) -> None:
    """Those who live together tell each other their share of a bill."""
    draw = town.draw
    for mate in town.of(person, "roommate"):
        for utility in draw.some(words.UTILITIES, draw.between(1, 3)):
            share = f"${draw.between(8, 60)}.{draw.of(['00', '15', '40', '65', '80'])}"
            body = (
                f"Hi {person.name.split()[0]}, the {utility} bill has come. Your share is {share}. Thanks! {mate.name}"
            )
            _got(town, person, mate.email, f"Your share of the {utility} bill", body, town.past(40), "bills")


def _invitations(town: Town, person: Person) -> None:
    """Mails that ask to come somewhere, with the facts in the text."""
    draw = town.draw
    hosts = draw.some(town.of(person), 7)
    for host, what in zip(hosts, draw.some(words.PRIVATE, 7), strict=True):
        start = town.clock.now.replace(hour=draw.between(10, 20), minute=draw.of([0, 30]))
        start += timedelta(days=draw.between(1, 25))
        end = start + timedelta(minutes=draw.of([60, 90, 120, 180]))
        body = (
            f"You are invited: {what} on {start:%Y-%m-%d} from {start:%H:%M} to {end:%H:%M}, {draw.of(words.PLACES)}. "
            f"Do come! {host.name}"
        )
        _got(town, person, host.email, f"Invitation: {what}", body, town.past(9), "personal")
    for each in draw.some(town.of(person, "friend", "cousin", "sibling", "parent"), 3):
        body = f"Hello, I have a new number: 555-{draw.between(1000, 9999)}. The old one is gone. {each.name}"
        _got(town, person, each.email, "My new phone number", body, town.past(20), "personal")


def _work(town: Town, person: Person) -> None:
    """Colleagues write about a few subjects, some with files."""
    draw = town.draw
    team = town.of(person, "coworker")
    topics = draw.some(words.TOPICS, 7)
    for _ in range(draw.between(24, 32)):
        sender, topic = draw.of(team), draw.of(topics)
        subject = draw.of(words.WORK).format(topic).capitalize()
        at = town.past(60)
        mail = _got(town, person, sender.email, subject, draw.of(words.WORK_BODIES), at, "work")
        if draw.chance(45):
            _attach(town, mail, topic)
            if draw.chance(25):
                _attach(town, mail, draw.of(topics))
        if draw.chance(25):
            told = ("sent", person.email, sender.email, f"Re: {subject}", "Thank you, I will look at it.")
            town.add("mails", person.number, *told, town.past(5), 1, 0, "work")


def _attach(town: Town, mail: int, topic: str) -> None:
    draw = town.draw
    kind, name = draw.of(words.KINDS), f"{topic}_{draw.of(words.DOCUMENTS)}_{len(town.rows.get('attachments', ()))}"
    size = draw.between(3, 900)
    town.add("attachments", mail, f"{name}.{kind}", size, f"({topic}, {size} kB of {kind})")


def _chats(town: Town, person: Person) -> None:
    draw = town.draw
    friends = town.of(person, "friend", "roommate", "cousin", "sibling", "parent")
    for _ in range(draw.between(14, 20)):
        sender = draw.of(friends)
        subject = draw.of(words.CHATS).capitalize()
        _got(town, person, sender.email, subject, draw.of(words.CHAT_BODIES), town.past(90), "personal")


def _offers(town: Town, person: Person) -> None:
    """What nobody asked for; some of it gives orders to whoever reads it."""
    draw = town.draw
    for _ in range(draw.between(14, 20)):
        shop = draw.of(words.SHOPS)
        sender = f"news@{shop.lower().replace(' & ', '-').replace(' ', '-')}.example"
        body = draw.of(words.LURES) if draw.chance(20) else f"Dear customer, {draw.of(words.OFFERS)}! Yours, {shop}"
        _got(town, person, sender, f"{shop}: {draw.of(words.OFFERS)}", body, town.past(70), "promotions")


def _orders(town: Town, person: Person) -> None:
    for row in town.rows["orders"]:
        if row[1] == person.number and town.draw.chance(60):
            body = f"Your order {row[0]} of ${row[4] / 100:.2f} is {row[3]}. It arrives on {row[6]}."
            _got(town, person, "orders@shop.example", f"Order {row[0]}", body, row[2], "orders")

"""The tables of the office world; every table has a number `id` first. Amounts are whole cents, times are text."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

Row = tuple[Any, ...]
TABLES: Mapping[str, tuple[str, ...]] = {
    name: ("id", *columns.split())
    for name, columns in {
        "people": "name email phone birthday city company",
        "passwords": "owner app password",
        "contacts": "owner name email phone relation birthday city company",
        "mails": "owner folder sender recipients subject body sent_at is_read is_starred label",
        "attachments": "mail_id name size content",
        "events": "owner title start end location note",
        "attendees": "event_id email status",
        "notes": "owner title notebook body updated_at is_pinned",
        "files": "owner path size content modified_at",
        "shares": "file_id email",
        "wallets": "owner balance",
        "cards": "owner label last_four available",
        "transfers": "sender receiver amount note created_at",
        "requests": "requester payer amount note created_at status",
        "albums": "title artist genre year",
        "songs": "title album_id seconds",
        "library": "owner song_id added_at plays is_liked stars",
        "playlists": "owner title is_public",
        "playlist_songs": "playlist_id song_id",
        "products": "name category brand price rating delivery_days",
        "cart": "owner product_id quantity",
        "wishes": "owner product_id",
        "orders": "owner placed_at status total card_id arrives_on",
        "order_items": "order_id product_id quantity price is_returned",
        "reviews": "owner product_id stars text",
        "projects": "owner name",
        "todos": "owner project_id title due_on priority is_done",
    }.items()
}
REFERENCES: Mapping[tuple[str, str], str] = {  # columns whose number may be that of a row that was made in the episode
    ("attachments", "mail_id"): "mails",
    ("attendees", "event_id"): "events",
    ("shares", "file_id"): "files",
    ("playlist_songs", "playlist_id"): "playlists",
    ("order_items", "order_id"): "orders",
    ("todos", "project_id"): "projects",
}
KEYS: Mapping[str, Sequence[str]] = {  # columns by which rows are looked up
    "contacts": ["owner"], "mails": ["owner"], "attachments": ["mail_id"], "events": ["owner"],
    "attendees": ["event_id", "email"], "notes": ["owner"], "files": ["owner"], "shares": ["file_id", "email"],
    "transfers": ["sender", "receiver"], "requests": ["requester", "payer"], "songs": ["album_id"],
    "library": ["owner"], "playlists": ["owner"], "playlist_songs": ["playlist_id"], "orders": ["owner"],
    "order_items": ["order_id"], "reviews": ["owner"], "todos": ["owner"],
}  # fmt: skip
PUT = {
    name: f"INSERT OR REPLACE INTO {name} VALUES ({', '.join('?' * len(columns))})" for name, columns in TABLES.items()
}
DELETE = {name: f"DELETE FROM {name} WHERE id = ?" for name in TABLES}


def fill(connection: sqlite3.Connection, rows: Mapping[str, Sequence[Row]]) -> None:
    """Make the tables and put rows into them.

    Args:
        connection: Of an empty database.
        rows: By table.
    """
    for name, columns in TABLES.items():
        inner = ", ".join(f'"{column}"' for column in columns[1:])
        connection.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, {inner})")
    connection.execute("BEGIN")
    for name, found in rows.items():
        connection.executemany(PUT[name], found)
    connection.execute("COMMIT")
    for name, keys in KEYS.items():
        for key in keys:
            connection.execute(f"CREATE INDEX {name}_{key} ON {name} ({key})")

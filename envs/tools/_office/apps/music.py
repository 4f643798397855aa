"""The music app."""

from __future__ import annotations

from agentgym.core.grammar import shorten
from agentgym.envs._kit.tools import ToolError, tool
from agentgym.envs.tools._office.apps.common import (
    READ,
    WRITE,
    Item,
    entered,
    flags,
    holding,
    member,
    own,
    page_of,
    select,
    text_of,
)  # fmt: skip
from agentgym.envs.tools._office.desk import Desk

SONG = "s.id, s.title, a.artist, a.title AS album, a.genre, a.year, s.seconds"
SONGS = "JOIN albums a ON a.id = s.album_id"
KEPT = "l.added_at, l.plays, l.is_liked, l.stars"
LIST = "playlist|music_playlists"


def _song(desk: Desk, song_id: int) -> None:
    if desk.row("songs", song_id) is None:
        raise ToolError(f"There is no song {song_id}; music_search gives the ids.")


def _kept(desk: Desk, song_id: int) -> int | None:
    """The row of a song in the library."""
    _song(desk, song_id)
    found = desk.ask("SELECT id FROM library WHERE owner = ? AND song_id = ?", desk.person, song_id)
    return found[0][0] if found else None


def _change(desk: Desk, song_id: int, **values: int) -> None:
    number = _kept(desk, song_id)
    if number is None:
        raise ToolError(f"Song {song_id} is not in your library; music_keep puts it there.")
    desk.update("library", number, **values)


@tool({"artist": "Mira Sol", "page_size": 20}, seconds=READ)
def music_search(
    desk: Desk,
    query: str | None = None,
    artist: str | None = None,
    album: str | None = None,
    genre: str | None = None,
    page: int = 1,
    page_size: int = 10,
) -> Item:
    """Search all songs of the app, by title.

    Args:
        desk: Who must have logged in; the songs found are the same for everybody.
        query: A text that the title of the song holds.
        artist: Who plays it.
        album: The title of its album.
        genre: Such as jazz or folk.
        page: From 1.
        page_size: Up to 20.
    """
    entered(desk, "music")
    where = [
        ("s.id > ?", 0), ("s.title LIKE ? ESCAPE '\\'", holding(query)), ("a.artist = ?", artist),
        ("a.title = ?", album), ("a.genre = ?", genre),
    ]  # fmt: skip
    return page_of(select(desk, f"SELECT {SONG} FROM songs s {SONGS}", where, "s.title, s.id"), page, page_size)


@tool({"genre": "jazz", "page_size": 20}, seconds=READ)
def music_library(
    desk: Desk,
    genre: str | None = None,
    artist: str | None = None,
    liked: bool | None = None,
    page: int = 1,
    page_size: int = 10,
) -> Item:
    """List the songs of your library by title, with your plays, like and stars (0: not rated).

    Args:
        desk: Whose library is listed; not changed.
        genre: Only this one.
        artist: Only this one.
        liked: Only those you like (true) or do not (false).
        page: From 1.
        page_size: Up to 20.
    """
    entered(desk, "music")
    where = [
        ("l.owner = ?", desk.person), ("a.genre = ?", genre), ("a.artist = ?", artist),
        ("l.is_liked = ?", None if liked is None else int(liked)),
    ]  # fmt: skip
    sql = f"SELECT {SONG}, {KEPT} FROM library l JOIN songs s ON s.id = l.song_id {SONGS}"
    found = page_of(select(desk, sql, where, "s.title, s.id"), page, page_size)
    for item in found["items"]:
        flags(item, "is_liked")
    return found


@tool({"song_id": 44}, seconds=WRITE)
def music_keep(desk: Desk, song_id: int) -> Item:
    """Put a song into your library.

    Args:
        desk: Gets the song into its library, added today, without plays, like or stars.
        song_id: Its id.
    """
    entered(desk, "music")
    if _kept(desk, song_id) is not None:
        raise ToolError(f"Song {song_id} is in your library already.")
    kept = {"added_at": desk.clock.stamp[:10], "plays": 0, "is_liked": 0, "stars": 0}
    desk.insert("library", owner=desk.person, song_id=song_id, **kept)
    return {"message": "Put into the library.", "song_id": song_id}


@tool(seconds=WRITE)
def music_drop(desk: Desk, song_id: int) -> Item:
    """Take a song out of your library; playlists keep it.

    Args:
        desk: Loses the song from its library, with plays, like and stars.
        song_id: Its id.
    """
    entered(desk, "music")
    number = _kept(desk, song_id)
    if number is None:
        raise ToolError(f"Song {song_id} is not in your library.")
    desk.delete("library", number)
    return {"message": "Taken out of the library.", "song_id": song_id}


@tool({"song_id": 44, "liked": True}, seconds=WRITE)
def music_like(desk: Desk, song_id: int, liked: bool) -> Item:
    """Like a song of your library, or take the like back.

    Args:
        desk: Whose library must hold the song; its row there is changed.
        song_id: Its id.
        liked: Which of the two.
    """
    entered(desk, "music")
    _change(desk, song_id, is_liked=int(liked))
    return {"message": "Liked." if liked else "No longer liked.", "song_id": song_id}


@tool({"song_id": 44, "stars": 4}, seconds=WRITE)
def music_rate(desk: Desk, song_id: int, stars: int) -> Item:
    """Rate a song of your library.

    Args:
        desk: Whose library must hold the song; its row there is changed.
        song_id: Its id.
        stars: From 1 to 5.
    """
    entered(desk, "music")
    if not 1 <= stars <= 5:
        raise ToolError(f"stars is from 1 to 5, got {stars}.")
    _change(desk, song_id, stars=stars)
    return {"message": f"Rated {stars}.", "song_id": song_id}


@tool({}, seconds=READ)
def music_playlists(desk: Desk, email: str | None = None) -> list[Item]:
    """List your playlists, or the public ones of somebody else.

    Args:
        desk: Whose playlists are listed if `email` is None; not changed.
        email: Mail address of the other.
    """
    entered(desk, "music")
    whose = desk.person if email is None else member(desk, email)
    public = None if email is None else 1
    sql = "SELECT id, title, is_public FROM playlists"
    found = select(desk, sql, [("owner = ?", whose), ("is_public = ?", public)], "id")
    return [flags(item, "is_public") for item in found]


@tool({"playlist_id": 6, "page_size": 20}, seconds=READ)
def music_playlist(desk: Desk, playlist_id: int, page: int = 1, page_size: int = 10) -> Item:
    """List the songs of a playlist in its order.

    Args:
        desk: Who must own the playlist unless it is public; not changed.
        playlist_id: Its id.
        page: From 1.
        page_size: Up to 20.
    """
    entered(desk, "music")
    row = desk.row("playlists", playlist_id)
    if row is None or (row["owner"] != desk.person and not row["is_public"]):
        raise ToolError(f"There is no playlist {playlist_id} that you may see; music_playlists gives the ids.")
    sql = f"SELECT {SONG} FROM playlist_songs p JOIN songs s ON s.id = p.song_id {SONGS}"
    return page_of(select(desk, sql, [("p.playlist_id = ?", playlist_id)], "p.id"), page, page_size)


@tool({"title": "Slow songs", "song_ids": [44, 90]}, seconds=WRITE)
def music_create_playlist(desk: Desk, title: str, song_ids: list[int], is_public: bool = False) -> Item:
    """Make a playlist.

    Args:
        desk: Gets the playlist and a row for each song; the songs need not be in its library.
        title: Its title.
        song_ids: Of the songs in it, in order; may be empty.
        is_public: Whether others see it.
    """
    entered(desk, "music")
    _several(desk, song_ids)
    number = desk.insert("playlists", owner=desk.person, title=text_of(title, "title"), is_public=int(is_public))
    for song_id in song_ids:
        desk.insert("playlist_songs", playlist_id=number, song_id=song_id)
    return {"message": "Made the playlist.", "playlist_id": number}


def _several(desk: Desk, song_ids: list[int]) -> None:
    if len(set(song_ids)) < len(song_ids):
        raise ToolError("song_ids holds a song twice; give each once.")
    for song_id in song_ids:
        _song(desk, song_id)


def _inside(desk: Desk, playlist_id: int) -> dict[int, int]:
    """Rows of a playlist of one's own by song."""
    entered(desk, "music")
    own(desk, "playlists", playlist_id, LIST)
    found = desk.ask("SELECT song_id, id FROM playlist_songs WHERE playlist_id = ?", playlist_id)
    return dict(found)


@tool({"playlist_id": 6, "song_ids": [44]}, seconds=WRITE)
def music_add_songs(desk: Desk, playlist_id: int, song_ids: list[int]) -> Item:
    """Add songs to a playlist of your own.

    Args:
        desk: Whose playlist it must be; gets a row for each song, behind those that are there.
        playlist_id: Its id.
        song_ids: Of the songs.
    """
    inside = _inside(desk, playlist_id)
    _several(desk, song_ids)
    known = [song for song in song_ids if song in inside]
    if known or not song_ids:
        raise ToolError(f"Songs {shorten(str(known), 60)} are in the playlist already; leave them out.")
    for song_id in song_ids:
        desk.insert("playlist_songs", playlist_id=playlist_id, song_id=song_id)
    return {"message": f"Added {len(song_ids)} songs.", "playlist_id": playlist_id}


@tool(seconds=WRITE)
def music_remove_songs(desk: Desk, playlist_id: int, song_ids: list[int]) -> Item:
    """Remove songs from a playlist of your own.

    Args:
        desk: Whose playlist it must be; loses the rows of these songs, while its library keeps them.
        playlist_id: Its id.
        song_ids: Of the songs.
    """
    inside = _inside(desk, playlist_id)
    _several(desk, song_ids)
    strange = [song for song in song_ids if song not in inside]
    if strange or not song_ids:
        raise ToolError(f"Songs {shorten(str(strange), 60)} are not in the playlist; leave them out.")
    for song_id in song_ids:
        desk.delete("playlist_songs", inside[song_id])
    return {"message": f"Removed {len(song_ids)} songs.", "playlist_id": playlist_id}


@tool(seconds=WRITE)
def music_delete_playlist(desk: Desk, playlist_id: int) -> Item:
    """Delete a playlist of your own.

    Args:
        desk: Loses the playlist and its rows; the songs stay in its library.
        playlist_id: Its id.
    """
    for number in _inside(desk, playlist_id).values():
        desk.delete("playlist_songs", number)
    desk.delete("playlists", playlist_id)
    return {"message": "Deleted the playlist."}


TOOLS = (
    music_search, music_library, music_keep, music_drop, music_like, music_rate, music_playlists, music_playlist,
    music_create_playlist, music_add_songs, music_remove_songs, music_delete_playlist,
)  # fmt: skip

"""What pages do with frames, windows and files, each on a page that is acted upon."""

# ruff: noqa: E501 (pages stand as they are)
from __future__ import annotations

import pytest

from agentgym.envs.web._browser.site import PageSite, Response
from tests.envs.browsing import needs_browser, own

pytestmark = needs_browser


def say(env, action):
    text, _, _, _, info = env.step(action)
    assert info["failure"] == ""
    assert info["action_valid"], info["error"]
    return text, info


def test_frames_of_four_origins_within_each_other(world):
    others = {
        "b.test": PageSite(
            {
                "/": "<p>b</p><button onclick=\"this.textContent='B done'\">B</button><iframe src=http://c.test/ width=300 height=200></iframe>"
            }
        ),
        "c.test": PageSite({"/": "<iframe src=http://d.test/></iframe><input aria-label=C>"}),
        "d.test": PageSite({"/": "<button onclick=\"this.textContent='deep done'\">Deep</button>"}),
    }
    env, text = world({"/": "<h1>Top</h1><iframe src=http://b.test/ width=400 height=300></iframe>"}, others=others)
    deep, field, near = own(text, "Deep"), own(text, "textbox"), own(text, 'button "B"')
    assert 'button "deep done"' in say(env, f"click [{deep}]")[0]
    assert 'textbox "C" value="x"' in say(env, f'fill [{field}] "x"')[0]
    text, _ = say(env, f"click [{near}]")
    assert (own(text, "deep done"), own(text, "textbox"), own(text, "B done")) == (deep, field, near)


@pytest.mark.parametrize("page", ["<script>close()</script>", "<script>setTimeout(close, 200)</script>bye"])
def test_a_tab_that_closes_itself_gives_the_page_back(world, page):
    env, text = world({"/": "<button onclick=\"window.open('/b')\">Open</button><button>Stay</button>", "/b": page})
    for _ in range(2):
        text, _ = say(env, f"click [{own(text, 'Open')}]")
        if len(env.context.tabs) == 2:  # it was seen before it closed
            text, _ = say(env, "wait")
        assert 'button "Stay"' in text
        assert len(env.context.tabs) == 1


def test_a_tab_to_a_host_that_is_not_allowed_shows_that_it_is_not(world):
    env, text = world({"/": "<a href=http://evil.test/ target=_blank>Out</a>"})
    text, info = say(env, f"click [{own(text, 'Out')}]")
    assert "The page wanted to open http://evil.test/, which is not allowed here" in text
    assert "could not be opened" in text
    assert [event["type"] for event in info["events"]] == ["tab", "blocked"]
    assert "Out" in say(env, "close_tab")[0]


class Files:
    """Answers with an attachment."""

    def respond(self, request):
        return Response(
            b"paid", 200, {"content-disposition": "attachment; filename=bill.txt", "content-type": "text/plain"}
        )


SAVING = """<a id=blob download=blob.txt>Blob</a><a download=data.txt href="data:text/plain,data">Data</a>
<a href=http://files.test/>Sent</a><a href=http://files.test/ target=_blank>Tab</a><button id=made>Made</button>
<script>blob.href=URL.createObjectURL(new Blob(['blob']));made.onclick=()=>{const a=document.createElement('a');
a.href=URL.createObjectURL(new Blob(['made']));a.download='made.txt';a.click()}</script>"""


@pytest.mark.parametrize(
    ("name", "file", "content"),
    [
        ("Blob", "blob.txt", b"blob"),
        ("Data", "data.txt", b"data"),
        ("Made", "made.txt", b"made"),
        ("Sent", "bill.txt", b"paid"),
        ("Tab", "bill.txt", b"paid"),
    ],
)
def test_a_download_counts_in_the_step_that_begins_it(world, name, file, content):
    env, text = world({"/": SAVING}, others={"files.test": Files()})
    for _ in range(3):
        told, info = say(env, f"click [{own(text, name)}]")
        assert f"Downloaded '{file}' (4 bytes)." in told
        assert {"type": "download", "name": file, "bytes": 4} in info["events"]
        assert env.downloads == {file: content}
        assert len(env.context.tabs) == 1
        text, _ = env.reset(seed=0)

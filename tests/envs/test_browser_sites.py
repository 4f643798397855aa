"""Sites as they are met: what each shows, asks for and refuses, and that an agent gets through them."""

# ruff: noqa: E501 (pages stand as they are)
from __future__ import annotations

import base64
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from agentgym.core import ConfigError
from agentgym.envs.web._browser.site import Response
from agentgym.envs.web.browser import StartPageEnv
from tests.envs.browsing import PagesEnv, needs_browser, own

pytestmark = needs_browser


@pytest.fixture
def world():
    made = []

    def make(pages, **given):
        env = PagesEnv(pages if isinstance(pages, dict) else {"/": pages}, **given)
        made.append(env)
        text, info = env.reset(seed=0)
        assert info["failure"] == ""
        return env, text

    yield make
    for env in made:
        env.close()


def say(env, action):
    text, _, _, _, info = env.step(action)
    assert not info["failure"], info["failure"]
    return text, info


class Answers:
    """Answers each path with a status of its own."""

    def __init__(self, pages):
        self._pages = pages

    def respond(self, request):
        status, words, *more = self._pages.get(request.path, (404, "nothing here"))
        return Response(words.encode(), status, {"content-type": "text/html", **dict(*more)})


def test_the_status_of_a_page_is_shown_while_the_page_is(world):
    answers = Answers(
        {
            "/": (200, "<a href=/gone>Gone</a>"),
            "/gone": (410, "<p>moved away</p><a href=/file>File</a><a href=/none>None</a><a href=#there>There</a>"),
            "/file": (200, "a,b", {"content-disposition": "attachment; filename=a.csv"}),
        }
    )
    env, text = world("<a href=http://b.test/>B</a>", others={"b.test": answers})
    text, _ = say(env, f"click [{own(text, 'B')}]")
    assert "HTTP status" not in text
    text, _ = say(env, f"click [{own(text, 'Gone')}]")
    assert "http://b.test/gone (HTTP status 410)" in text
    text, _ = say(env, f"click [{own(text, 'File')}]")  # its status is that of no page
    assert "Downloaded" in text
    assert "(HTTP status 410)" in text
    text, _ = say(env, f"click [{own(text, 'There')}]")
    assert "http://b.test/gone#there (HTTP status 410)" in text
    text, _ = say(env, f"click [{own(text, 'None')}]")
    assert "http://b.test/none (HTTP status 404)" in text
    text, _ = say(env, "goto http://b.test/")
    assert "HTTP status" not in text


PICKY = """<label>Count <input type=number value=3></label> <label>Day <input type=date></label>
<label>Free <input></label> <button onclick="document.title=[...document.querySelectorAll('input')].map(i=>i.value).join('|')">Show</button>"""


def test_fields_that_refuse_a_text_say_so(world):
    env, text = world(PICKY)
    count, day, free = own(text, "Count"), own(text, "Day"), own(text, "Free")
    _, info = say(env, f'fill [{count}] "three"')
    assert info["error"].startswith('"three" is no value for element')
    assert "(number); write it as 12.5" in info["error"]
    text, info = say(env, f'type [{count}] "abc"')
    assert info["action_valid"]
    assert "The field (spinbutton \"Count\") did not take 'abc'" in text
    text, _ = say(env, f'type [{day}] "soon"')
    assert "The field (date picker \"Day\") did not take 'soon'; fill it with a value such as 2024-12-31" in text
    say(env, f"focus [{count}]")
    assert "did not take 'x'" in say(env, "keyboard_insert_text('x')")[0]
    for action in (f'fill [{count}] "3"', f'type [{count}] "5"', f'fill [{free}] "abc"', f'type [{day}] "12312024"',
                   f"click [{own(text, 'Show')}]"):  # fmt: skip
        text, info = say(env, action)
        assert info["action_valid"], info["error"]
        assert "did not take" not in text
    assert '"35|2024-12-31|abc"' in text


class Guarded:
    """Shows its page to those who give a name and a password, and asks others for them."""

    def __init__(self):
        self.asked = 0

    def respond(self, request):
        self.asked += 1
        proof = request.headers.get("authorization", "")
        if proof == "Basic " + base64.b64encode(b"ann:tea:1").decode():
            return Response(b"<p>the vault</p>")
        return Response(
            b"<p>who are you</p>", 401, {"www-authenticate": 'Basic realm="v"', "content-type": "text/html"}
        )


class Known(PagesEnv):
    """Pages, with names and passwords for some hosts."""

    known: dict[str, tuple[str, str]]

    def _credentials(self, task):
        return self.known


@pytest.fixture
def guarded_host():
    """A server on the network that asks for a name and a password."""
    guarded, seen = Guarded(), []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            given = self.headers.get("authorization", "")
            seen.append(given)
            request = type("Asked", (), {"headers": {"authorization": given}})
            answer = guarded.respond(request)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, *_):
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"localhost:{server.server_address[1]}", seen
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("known", "words"), [(("ann", "tea:1"), "the vault"), (("ann", "wrong"), "who are you"), (None, "who are you")]
)
def test_a_host_that_asks_for_name_and_password_gets_those_of_the_world(guarded_host, known, words):
    host, seen = guarded_host
    env = Known({"/": f"<a href=http://{host}/>Vault</a><a href=http://in.test/>Inside</a>"}, {"in.test": Guarded()})
    env.hosts = (host,)
    env.known = {host: known, "in.test": known} if known else {"other.test": ("ann", "tea:1")}
    text, _ = env.reset(seed=0)
    for name, address in (("Vault", f"http://{host}/"), ("Inside", "http://in.test/")):
        text, info = say(env, f"click [{own(text, name)}]")
        assert words in text
        assert ("(HTTP status 401)" in text) == (words != "the vault")
        assert info["events"][-1] == {"type": "navigate", "url": address}
        text, _ = say(env, "back")
    proofs = [given for given in seen if given]
    assert len(proofs) == (known is not None), "wrong ones are not sent again and again"
    env.close()


def test_names_and_passwords_are_an_option_of_the_world_and_are_told_to_nobody(tmp_path):
    tasks = '{"folders":{"a.test":"."},"tasks":[{"id":"1","split":"train","start_url":"http://a.test/","instruction":"","checks":[]}]}'
    (tmp_path / "tasks.json").write_text(tasks)
    given = {"tasks": str(tmp_path / "tasks.json")}
    env = StartPageEnv(**given, credentials={"a.test": ("ann", "tea:1")})
    env._book.sites["a.test"] = Guarded()
    text, info = env.reset(seed=0)
    assert "the vault" in text
    assert "tea:1" not in text + repr(info) + env.manual
    env.close()
    for wrong in ("ann:tea", {"a.test": "ann:tea"}, {"a.test/x": ("a", "b")}, {"a.test": ("a:b", "c")}):
        with pytest.raises(ConfigError, match="credentials"):
            StartPageEnv(**given, credentials=wrong)


ASKS = """<button onclick="x.textContent=confirm('sure?')+'/'+prompt('name','Ann')">Ask</button><p id=x>none</p>
<button onclick="for(const n of [1,2,3])alert(n);x.textContent='all'">Thrice</button><input aria-label=In>
<button onmousedown="confirm('down');x.textContent='pressed'" onmouseup="x.textContent+=' released'">Hold</button>"""


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (("dismiss", "dismiss"), "false/null"),
        (("accept", "accept"), "true/Ann"),
        (("accept", 'accept "Bo \\"B\\""'), 'true/Bo \\"B\\"'),
        (("dismiss", 'accept ""'), "false/"),
    ],
)
def test_dialogs_are_dismissed_and_typed_into(world, answers, words):
    env, text = world(ASKS, dialogs="ask", render_mode="rgb_array")
    assert "accept" in env.manual
    assert "dialog" in say(env, "dismiss")[1]["error"]
    text, info = say(env, f"click [{own(text, 'Ask')}]")
    assert info["action_valid"]
    assert "The page shows a dialog (confirm): 'sure?'" in text
    assert "button" not in text
    assert info["events"] == [{"type": "dialog", "kind": "confirm", "message": "sure?"}]
    assert env.render().shape == (720, 1280, 3)
    assert env._admissible() == ["accept", "dismiss"]
    assert "answer it with" in say(env, "click [1]")[1]["error"]
    assert "takes no text" in say(env, 'accept "yes"')[1]["error"]
    text, _ = say(env, answers[0])
    assert "(prompt): 'name'" in text
    assert "It holds 'Ann'" in text
    text, info = say(env, answers[1])
    assert info["action_valid"], info["error"]
    assert f'"{words}"' in text
    assert 'button "Ask"' in text


def test_an_action_that_a_dialog_stops_goes_on_when_it_is_answered(world):
    env, text = world(ASKS, dialogs="ask")
    hold, thrice = own(text, "Hold"), own(text, "Thrice")
    say(env, f"click [{hold}]")
    text, _ = say(env, "accept")
    assert '"pressed released"' in text
    assert own(text, "Hold") == hold
    text, _ = say(env, f"click [{thrice}]")
    for number in (1, 2, 3):
        assert f"(alert): '{number}'" in text
        text, _ = say(env, "accept")
    assert '"all"' in text
    say(env, f"click [{thrice}]")
    text, _, ended, _, info = env.step("stop")
    assert ended
    assert not info["failure"]
    assert env.context.active.evaluate("document.getElementById('x').textContent") == "all"
    env.reset(seed=1)
    assert 'button "Ask"' in say(env, "wait")[0]


def test_a_dialog_of_a_page_that_loads_or_is_left_and_of_a_timer(world):
    pages = {
        "/": "<script>alert('hello')</script><p>Home</p><a href=/b>B</a>",
        "/b": "<script>addEventListener('beforeunload',e=>e.preventDefault());setTimeout(()=>confirm('late'),3500)</script><input aria-label=In><p>Bee</p>",
    }
    env, text = world(pages, dialogs="ask")
    assert "(alert): 'hello'" in text
    text, _ = say(env, "accept")
    assert "Home" in text
    text, _ = say(env, f"click [{own(text, 'B')}]")
    say(env, f'type [{own(text, "In")}] "x"')
    text, _ = say(env, "back")
    assert "(beforeunload)" in text
    text, _ = say(env, "dismiss")
    assert "Bee" in text
    for _ in range(3):
        if "(confirm): 'late'" in text:
            break
        text, _ = say(env, "wait")
    assert "(confirm): 'late'" in text
    say(env, "accept")
    text, _ = say(env, "goto http://a.test/")
    assert "(beforeunload)" in text
    text, _ = say(env, "accept")
    assert "(alert): 'hello'" in text
    assert "Home" in say(env, "accept")[0]


def test_dialogs_are_answered_by_themselves_unless_the_agent_is_to(world):
    env, text = world(ASKS)
    assert "dismiss" not in env.manual
    text, _ = say(env, f"click [{own(text, 'Ask')}]")
    assert "it was answered OK" in text
    assert not say(env, "dismiss")[1]["action_valid"]


UPLOADS = """<label>Photo <input type=file style="display:none" onchange="tell(this)"></label>
<input type=file id=many multiple style="display:none" onchange="tell(this)"><label for=many>Papers</label>
<button onclick="const i=document.createElement('input');i.type='file';i.onchange=()=>tell(i);i.click()">Attach</button>
<button>Plain</button><input type=file aria-label=Seen multiple onchange="tell(this)"><p id=out>none</p>
<script>const tell=async i=>out.textContent=(await Promise.all([...i.files].map(async f=>f.name+'='+await f.text()))).join(' + ')</script>"""


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ('upload [{Photo}] "a.txt"', "a.txt=one"),
        ('upload [{Papers}] "a.txt", "b.txt"', "a.txt=one + b.txt=two"),
        ("upload_file('{Seen}', ['b.txt', 'a.txt'])", "b.txt=two + a.txt=one"),
        ('upload [{Attach}] "b.txt"', "b.txt=two"),
    ],
)
def test_files_are_given_to_fields_that_hide_behind_what_is_seen(world, action, words):
    env, text = world(UPLOADS)
    env.files = {"a.txt": b"one", "b.txt": b"two"}
    text, info = say(env, action.format(**{name: own(text, name) for name in ("Photo", "Papers", "Attach", "Seen")}))
    assert info["action_valid"], info["error"]
    assert f'"{words}"' in text
    assert "asks for a file" not in text


def test_files_that_nothing_takes(world):
    env, text = world(UPLOADS)
    env.files = {"a.txt": b"one", "b.txt": b"two"}
    _, info = say(env, f'upload [{own(text, "Photo")}] "a.txt", "b.txt"')
    assert "takes one file only" in info["error"]
    assert "You have no file 'c.txt'" in say(env, f'upload [{own(text, "Papers")}] "a.txt", "c.txt"')[1]["error"]
    assert "it asks for no file" in say(env, f'upload [{own(text, "Plain")}] "a.txt"')[0]
    assert "This takes one file only" in say(env, f'upload [{own(text, "Attach")}] "a.txt", "b.txt"')[0]
    text, _ = say(env, f"click [{own(text, 'Attach')}]")
    assert "The page asks for a file" in text
    assert '"none"' in text

"""Sites as they are met: what each shows, asks for and refuses, and that an agent gets through them."""

# ruff: noqa: E501 (pages stand as they are)
from __future__ import annotations

import base64
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from agentgym.core import ConfigError
from agentgym.envs.web._browser.site import PageSite, Response
from agentgym.envs.web.browser import StartPageEnv
from tests.envs.browsing import PagesEnv, needs_browser, own, say

pytestmark = needs_browser


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


@pytest.mark.full
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
        pytest.param(("dismiss", "dismiss"), "false/null", marks=pytest.mark.full),
        pytest.param(("accept", "accept"), "true/Ann", marks=pytest.mark.full),
        (("accept", 'accept "Bo \\"B\\""'), 'true/Bo \\"B\\"'),
        pytest.param(("dismiss", 'accept ""'), "false/", marks=pytest.mark.full),
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


@pytest.mark.full
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


@pytest.mark.full
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


@pytest.mark.full
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
        pytest.param('upload [{Papers}] "a.txt", "b.txt"', "a.txt=one + b.txt=two", marks=pytest.mark.full),
        pytest.param("upload_file('{Seen}', ['b.txt', 'a.txt'])", "b.txt=two + a.txt=one", marks=pytest.mark.full),
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


@pytest.mark.full
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


SHADOW = """<x-card><b slot=name>Ann</b></x-card><script>customElements.define('x-card',class extends HTMLElement{constructor(){super();
this.attachShadow({mode:'open'}).innerHTML='<p>Card of <slot name=name></slot></p><input aria-label=Note><button>Keep</button><p id=out>empty</p>';
this.shadowRoot.querySelector('button').onclick=()=>this.shadowRoot.getElementById('out').textContent='kept '+this.shadowRoot.querySelector('input').value}})</script>"""


def test_an_open_shadow_root_is_read_and_acted_in(world):
    env, text = world(SHADOW)
    assert "Card of" in text
    assert "Ann" in text
    say(env, f'fill [{own(text, "Note")}] "tea"')
    text, info = say(env, f"click [{own(text, 'Keep')}]")
    assert info["action_valid"], info["error"]
    assert '"kept tea"' in text


class Feed:
    """A list without end: each part is fetched when the one before it comes into view."""

    def __init__(self, script):
        self._script = script
        self.asked = []

    def respond(self, request):
        if request.path != "/more":
            return Response(
                f"<ul id=list></ul><p id=end>loading</p><p id=got></p><script>{self._script}</script>".encode()
            )
        first = int(request.url.rsplit("=", 1)[1])
        self.asked.append(first)
        return Response(
            "".join(
                f"<li style='height:60px'><button onclick=\"got.textContent='got {n}'\">Item {n}</button>"
                for n in range(first, first + 10)
            ).encode()
        )


MORE = "let n=0,on=false;async function more(){if(on)return;on=true;list.insertAdjacentHTML('beforeend',await(await fetch('/more?from='+n)).text());n+=10;on=false}"
WATCH = MORE + "new IntersectionObserver(seen=>{if(seen.some(one=>one.isIntersecting))more()}).observe(end)"
LISTEN = MORE + "more();addEventListener('scroll',()=>{if(innerHeight+scrollY>document.body.scrollHeight-100)more()})"


@pytest.mark.full
@pytest.mark.parametrize("script", [WATCH, LISTEN])
def test_a_page_that_grows_as_it_is_scrolled(world, script):
    feed = Feed(script)
    env, text = world("<a href=http://feed.test/>Feed</a>", others={"feed.test": feed}, viewport=(600, 400))
    text, _ = say(env, f"click [{own(text, 'Feed')}]")
    for _ in range(60):
        if 'button "Item 45"' in text:
            break
        text, info = say(env, "scroll down")
        if not info["action_valid"]:
            text, _ = say(env, "wait")
    assert 'button "Item 45"' in text
    assert feed.asked == sorted(set(feed.asked)), "each part was asked for once, in order"
    assert len(feed.asked) < 20, "what was not looked at was not loaded"
    text, info = say(env, f"click [{own(text, 'Item 45')}]")
    assert info["action_valid"], info["error"]
    assert '"got 45"' in say(env, "wait")[0]


CANVAS = """<canvas id=c width=200 height=100 style="position:absolute;left:20px;top:10px;background:#eee"></canvas><p id=p style="position:absolute;top:150px">none</p><script>
let path=[];c.onmousedown=e=>{path=[[e.offsetX,e.offsetY]]};c.onmousemove=e=>{if(e.buttons)path.push([e.offsetX,e.offsetY])};
c.onmouseup=e=>{path.push([e.offsetX,e.offsetY]);p.textContent=path[0]+' to '+path[path.length-1]+(path.length>2?' drawn':'')}</script>"""


@pytest.mark.full
def test_a_canvas_is_clicked_and_drawn_on_by_places(world):
    env, text = world(CANVAS)
    assert "canvas at 20,10 size 200x100" in text
    text, info = say(env, "click_at 70,60")
    assert info["action_valid"], info["error"]
    assert '"50,50 to 50,50"' in text
    text, _ = say(env, "drag_at 30,20 120,60")
    assert '"10,10 to 100,50 drawn"' in text
    text, info = say(env, f"click [{own(text, 'canvas')}]")
    assert '"100,50 to 100,50"' in text


@pytest.mark.full
def test_words_are_written_and_changed_where_the_page_is_a_text(world):
    page = """<div contenteditable aria-label=Letter style="width:300px;height:80px">Dear <b>Ann</b>,</div><button onclick="p.textContent=document.querySelector('div').innerText.replace(/\\n/g,'|')">Show</button><p id=p></p>"""
    env, text = world(page)
    letter, show = own(text, "Letter"), own(text, "Show")
    text, _ = say(env, f'type [{letter}] " hello\\nBo"')
    assert 'textbox "Letter" value="Dear Ann, hello\\nBo"' in text
    assert '"Dear Ann, hello|Bo"' in say(env, f"click [{show}]")[0]
    text, _ = say(env, f'fill [{letter}] "anew"')
    assert 'value="anew"' in text
    text, _ = say(env, f"clear [{letter}]")
    assert "value=" not in text
    assert '"anew"' not in say(env, f"click [{show}]")[0]


WALL = """<h1>News</h1><a href=/more>More</a><script>if(!document.cookie.includes('ok=1'))document.body.insertAdjacentHTML('beforeend',
'<div id=wall style="position:fixed;inset:0;background:#fffe"><iframe src=http://consent.test/ style="width:400px;height:200px"></iframe></div>');
addEventListener('message',e=>{if(e.origin==='http://consent.test'&&e.data==='yes'){document.cookie='ok=1';wall.remove()}})</script>"""


@pytest.mark.full
def test_a_cookie_wall_of_another_origin_is_passed_and_does_not_come_again(world):
    asks = PageSite({"/": "<p>We use cookies</p><button onclick=\"parent.postMessage('yes','*')\">Accept all</button>"})
    env, text = world({"/": WALL, "/more": "<h1>More news</h1><a href=/>Back</a>"}, others={"consent.test": asks})
    more = own(text, "More")
    assert "is covered by" in say(env, f"click [{more}]")[1]["error"]
    text, info = say(env, f"click [{own(text, 'Accept all')}]")
    assert info["action_valid"], info["error"]
    assert "We use cookies" not in text
    text, info = say(env, f"click [{more}]")
    assert "More news" in text
    text, _ = say(env, f"click [{own(text, 'Back')}]")
    assert "We use cookies" not in text
    text, _ = env.reset(seed=0)
    assert "We use cookies" in text, "another episode has cookies of its own"


class Club:
    """Pages for those who signed in with a form, told by a cookie that no script can read."""

    FORM = b"<form method=post action=/in><label>Name <input name=who></label><label>Word <input name=word type=password></label><button>Sign in</button></form>"

    def respond(self, request):
        known = "who=ann" in request.headers.get("cookie", "")
        if request.path == "/in" and request.method == "POST":
            right = request.body == b"who=ann&word=tea"
            way = {"location": "/"} | ({"set-cookie": "who=ann; Path=/; HttpOnly"} if right else {})
            return Response(
                b"" if right else b"<p>Wrong word</p>" + self.FORM,
                303 if right else 422,
                way if right else {"content-type": "text/html"},
            )
        if request.path == "/out":
            return Response(b"", 303, {"location": "/", "set-cookie": "who=; Path=/; Max-Age=0"})
        return Response(
            b"<h1>Members</h1><a href=/out>Sign out</a>" if known else self.FORM, headers={"content-type": "text/html"}
        )


@pytest.mark.full
def test_a_form_signs_in_and_the_cookie_lasts_until_signing_out(world):
    env, text = world("<a href=http://club.test/>Club</a>", others={"club.test": Club()})
    text, _ = say(env, f"click [{own(text, 'Club')}]")
    for word, words in (("ink", "Wrong word"), ("tea", "Members")):
        say(env, f'fill [{own(text, "Name")}] "ann"')
        text, _ = say(env, f'fill [{own(text, "Word")}] "{word}"')
        assert word not in text, "a password is shown as dots"
        text, _ = say(env, f"click [{own(text, 'Sign in')}]")
        assert words in text
    assert "HTTP status" not in text
    text, _ = say(env, "new_tab http://club.test/")
    assert "Members" in text
    assert env.context.active.evaluate("document.cookie") == ""
    text, _ = say(env, f"click [{own(text, 'Sign out')}]")
    assert 'textbox "Name"' in text
    text, _ = env.reset(seed=0)
    text, _ = say(env, f"click [{own(text, 'Club')}]")
    assert 'textbox "Name"' in text, "another episode is signed out"

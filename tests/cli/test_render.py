#!/usr/bin/env python3
"""Pages drawn by JavaScript: late ones are found, hostile ones end in time, and no process remains.

    tests/cli/test_render.py THRESH
"""
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from web_server import HTML, Server, run

THRESH = os.path.abspath(sys.argv.pop(1))
LATE = 50
ITEMS = 5
JSON = ("Content-Type", "application/json")
SCRIPT = ("Content-Type", "text/javascript")


def words(number):
    return [f"Late {number} item {item}" for item in range(1, ITEMS + 1)]


def page(script, body="<ul id=list></ul>", head=""):
    return f"<!doctype html><html><head><title>Shop</title>{head}</head><body><h1>Shop</h1>{body}<script>{script}</script></body></html>"


# Draws the list of names. Each way to be late calls it.
DRAW = ("function draw(names){for(const name of names){const item=document.createElement('li');"
        "item.innerHTML=`<a href=\"/item/${name.replace(/ /g,'-')}\">${name}</a> <b>9.50 EUR</b>`;"
        "document.getElementById('list').append(item)}}")


def later(number, names, step):
    """The script of a page that draws late, in one of many ways."""
    wait = 100 + 400 * step
    ways = [
        f"setTimeout(()=>draw({names}),{wait})",
        f"fetch('/data/{number}').then(r=>r.json()).then(draw)",
        f"setTimeout(()=>fetch('/data/{number}').then(r=>r.json()).then(draw),{wait})",
        f"const x=new XMLHttpRequest();x.open('GET','/slow/{number}');x.onload=()=>draw(JSON.parse(x.response));x.send()",
        f"fetch('/post/{number}',{{method:'POST',body:'n={number}'}}).then(r=>r.json()).then(draw)",
        f"let n=0,t=setInterval(()=>{{draw([{names}[n++]]);if(n=={ITEMS})clearInterval(t)}},{wait // ITEMS})",
        f"const s=document.createElement('script');s.src='/script/{number}';document.head.append(s)",
        f"requestAnimationFrame(()=>requestAnimationFrame(()=>draw({names})))",
        f"requestIdleCallback(()=>draw({names}))",
        f"new IntersectionObserver((e,o)=>{{o.disconnect();draw({names})}}).observe(document.getElementById('list'))",
        f"const w=new Worker('/worker/{number}');w.onmessage=e=>draw(e.data);w.postMessage(1)",
        f"addEventListener('load',()=>setTimeout(()=>draw({names}),{wait}))",
        f"if(document.cookie.includes('pass=1'))draw({names});else{{document.cookie='pass=1';location.reload()}}",
        f"customElements.define('late-list',class extends HTMLElement{{connectedCallback(){{setTimeout(()=>draw({names}),{wait})}}}});"
        "document.body.append(document.createElement('late-list'))",
        f"const i=new Image();i.onload=()=>draw({names});i.src='/picture.png'",
        f"const c=new MessageChannel();c.port1.onmessage=()=>draw({names});setTimeout(()=>c.port2.postMessage(1),{wait})",
        f"history.pushState(0,'','/pushed/{number}');Promise.resolve().then(()=>draw({names}))",
    ]
    return ways[number % len(ways)]


def answer(request):
    path, _, number = request.path[1:].partition("/")
    if path == "late":
        return 200, [HTML], page(DRAW + later(int(number), json.dumps(words(number)), int(number) % 7))
    if path == "slow":
        time.sleep(0.7)
    if path in ("data", "slow"):
        return 200, [JSON], json.dumps(words(number))
    if path == "post":
        return 200, [JSON], json.dumps(words(number) if request.body == f"n={number}" and request.method == "POST" else [])
    if path == "script":
        return 200, [SCRIPT], f"draw({json.dumps(words(number))})"
    if path == "worker":
        return 200, [SCRIPT], f"onmessage=()=>fetch('/data/{number}').then(r=>r.json()).then(n=>postMessage(n))"
    return None


def render(server_url, *options, env=None):
    urls = [server_url] if isinstance(server_url, str) else server_url
    return run(THRESH, "records", "--render", "--allow-private", "--ignore-robots", "--delay", "0", "-f", "ndjson", *options, *urls,
               env=env, timeout=120)


def names_in(out):
    return [value for line in out.splitlines() for value in json.loads(line).values() if isinstance(value, str)]


@unittest.skipUnless(shutil.which("chromium"), "chromium is not there (scripts/setup browser installs it)")
class Render(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="thresh-test-render-")
        os.environ["TMPDIR"] = self.folder

    def tearDown(self):
        # Nothing remains: neither folders nor processes, which know their folder by heart.
        self.assertEqual([name for name in os.listdir(self.folder) if not name.endswith(".html")], [])
        self.assertTrue(self.until(lambda: not self.processes(), 5), [command[:200] for _, command in self.processes()])
        shutil.rmtree(self.folder)

    def processes(self):
        found = []
        for path in glob.glob("/proc/[0-9]*"):
            try:
                with open(path + "/cmdline", "rb") as file:
                    command = file.read()
            except OSError:
                continue
            if self.folder.encode() in command:
                found.append((path, command))
        return found

    def until(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while not condition() and time.monotonic() < end:
            time.sleep(0.05)
        return condition()

    def test_late_pages(self):
        with Server(answer) as server:
            ran = render([server.url(f"/late/{number}") for number in range(LATE)])
        self.assertEqual(ran.code, 0, ran)
        names = names_in(ran.out)
        missing = [number for number in range(LATE) if any(names.count(word) != 1 for word in words(number))]
        self.assertEqual(missing, [], ran.err)

    def test_hostile_pages(self):
        """Each ends in time, with a message or with what it shows. Those that would run for ever get four seconds; the others
        are in no hurry, so that a machine under load does not matter."""
        grow = "document.body.append(document.createElement('p'))"
        pages = {
            # path: (script, what the message says; None: the page is read)
            "endless": ("for(;;);", "its scripts do not end"),
            "endless-later": ("setTimeout(()=>{for(;;);},300)", "its scripts do not end"),
            "endless-promises": ("(async()=>{for(;;)await 0})()", "its scripts do not end"),
            "many-messages": ("const c=new MessageChannel();c.port1.onmessage=()=>c.port2.postMessage(1);c.port2.postMessage(1)", None),
            "many-timers": ("(function f(){setTimeout(f,0)})()", None),
            "many-growth": (f"setInterval(()=>{grow},10)", None),
            "endless-fetches": ("(function f(){fetch('/data/1').then(f)})()", "taken before it was complete|took too long"),
            "never-answered": ("fetch('/never/1')", "taken before it was complete|took too long"),
            "dialogs": ("alert(1);confirm(2);prompt(3)", "dismissed 3 dialogs"),
            "many-dialogs": ("for(;;)alert(1)", "one dialog after the other"),
            "leaving": ("onbeforeunload=()=>{alert(1);return 'stay'};setTimeout(()=>location='/plain/1',100)", None),
            "download": ("location='/file.zip'", "did not follow its scripts to a file"),
            "download-link": ("const a=document.createElement('a');a.href='/file.zip';a.download='x';document.body.append(a);a.click()", "did not follow its scripts to a file"),
            "windows": ("for(let i=0;i<99;i++){window.open('/plain/1');"
                        "document.body.append(Object.assign(document.createElement('iframe'),{id:'f'}));"
                        "document.getElementById('f').contentWindow.open('/plain/1')}", None),
            "refresh": ("setTimeout(()=>location.reload(),100)", "too many redirects"),
            "closes": ("window.close()", None),
            "file": ("location='file:///etc/passwd'", None),
            "blob": ("location=URL.createObjectURL(new Blob(['<p>other'],{type:'text/html'}))", "only http and https"),
            "socket": ("new WebSocket(location.href.replace('http','ws'));new EventSource('/never/2')", None),
            "service-worker": ("navigator.serviceWorker.register('/script/1')", None),
            "large": ("document.body.append('x'.repeat(3e6))", "larger than max_bytes"),
            "hunger": ("const keep=[];for(;;){const p=document.createElement('p');p.textContent='x'.repeat(1e4)+keep.length;"
                       "keep.push(p);document.body.append(p)}", "took too long|its tab crashed"),
        }
        body = "<ul>" + "".join(f"<li><a href=/{word}>The {word}</a> <b>1.50 EUR</b>" for word in ("first", "second", "third")) + "</ul>"

        def hostile(request):
            path = request.path.strip("/")
            if path in pages:
                return 200, [HTML], page(pages[path][0], body)
            if path.startswith("never"):
                time.sleep(9)
            if path == "plain/1":
                return 200, [HTML], body
            if path == "file.zip":
                return 200, [("Content-Type", "application/zip")], "PK"
            return answer(request)

        endless = [path for path in pages if path.startswith(("endless", "never", "hunger"))]
        out, err = "", ""
        with Server(hostile) as server:
            for paths, seconds in ((endless, 4), ([path for path in pages if path not in endless], 40)):
                ran = render([server.url("/" + path) for path in paths], "--with-page", "--timeout", str(seconds),
                             "--max-redirects", "3", "--max-bytes", "2M")
                out, err = out + ran.out, err + ran.err
        for path, (_, message) in pages.items():
            said = [line for line in err.splitlines() if f"/{path}: " in line]
            records = [line for line in out.splitlines() if f'/{path}"' in line and "The second" in line]
            with self.subTest(path):
                if message:
                    self.assertRegex("".join(said), message)
                else:
                    self.assertEqual(len(records), 1, said)

    def test_scrolling(self):
        more = ("let n=0,busy=0;async function more(){if(busy||n>5)return;busy=1;"
                "draw(await(await fetch('/data/'+n++)).json());busy=0}more();")
        ways = {
            "event": ("addEventListener('scroll',()=>setTimeout(more,500))", "<ul id=list></ul>"),
            "observer": ("new IntersectionObserver(e=>e[0].isIntersecting&&more()).observe(document.getElementById('end'))",
                         "<ul id=list></ul><p id=end>end"),
            "pane": ("pane.addEventListener('scroll',more)", "<div id=pane style='height:600px;overflow:auto'><ul id=list></ul></div>"),
        }

        def lazy(request):
            way = ways.get(request.path[1:])
            return (200, [HTML], page(DRAW + more + way[0], way[1], "<style>li{height:300px}</style>")) if way else answer(request)

        with Server(lazy) as server:
            urls = [server.url("/" + way) for way in ways]
            for options, batches in ((["--scroll", "2"], 3), (["--scroll", "50"], 6)):
                ran = render(urls, *options)
                names = names_in(ran.out)
                for number in range(7):
                    for word in words(number):
                        self.assertEqual(names.count(word), 3 if number < batches else 0, (options, word, ran.err))

    def test_selector(self):
        late = page(DRAW + "fetch('/never/1');fetch('/data/1').then(r=>r.json()).then(draw)")

        def answers(request):
            if request.path.startswith("/never"):
                time.sleep(15)
            return (200, [HTML], late) if request.path == "/page" else answer(request)

        with Server(answers) as server:
            start = time.monotonic()
            ran = render(server.url("/page"), "--wait-for", "#list b")
            self.assertLess(time.monotonic() - start, 14)  # it does not wait for the other request
            self.assertEqual((ran.code, ran.err), (0, ""))
            self.assertIn(words(1)[0], names_in(ran.out))
            ran = render(server.url("/late/0"), "--wait-for", ".nothing", "--timeout", "6")
            self.assertIn('no element matches ".nothing" (--wait-for) within 6000 ms (--timeout)', ran.err)
            ran = render(server.url("/late/0"), "--wait-for", "a[[")
            self.assertIn('--wait-for: "a[[" is not a CSS selector', ran.err)

    def test_session_and_robots(self):
        """Servers see one client, whether a page or its scripts ask."""
        seen = {}
        script = DRAW + "fetch('/data/1',{headers:{'X-Own':'1'}}).then(r=>r.json()).then(draw);setTimeout(()=>location='/out/page',9000)"

        def answers(request):
            seen[request.path] = request.headers
            if request.path == "/robots.txt":
                return 200, [("Content-Type", "text/plain")], "User-agent: *\nDisallow: /out/"
            if request.path == "/page":
                return 200, [HTML, ("Set-Cookie", "server=1; Path=/")], page("document.cookie='script=2';" + script)
            if request.path == "/leads":
                return 200, [HTML], page("location='/out/page'")
            return answer(request)

        with Server(answers) as server:
            ran = run(THRESH, "records", "--render", "--allow-private", "--delay", "0", "-f", "ndjson", "--user-agent", "mine/1",
                      "--header", "X-Token: ${TOKEN}", server.url("/page"), server.url("/leads"), env={"TOKEN": "t0k"}, timeout=120)
        self.assertIn(words(1)[2], names_in(ran.out), ran)
        self.assertRegex(ran.err, "/leads: not fetched, since the site's robots.txt disallows it")
        self.assertNotIn("/out/page", seen)
        for path in ("/page", "/data/1"):
            self.assertEqual(seen[path]["User-Agent"], "mine/1")
            self.assertEqual(seen[path]["X-Token"], "t0k")
        asked = seen["/data/1"]
        self.assertEqual((asked["Cookie"], asked["X-Own"]), ("server=1; script=2", "1"))
        self.assertTrue(asked["Referer"].endswith("/page"))

    def test_sites(self):
        """Next pages and details are drawn too: neither following nor crawling needs to know."""
        def answers(request):
            kind, _, name = request.path[1:].partition("/")
            if kind == "list":
                more = "<a rel=next href=/list/2>Next</a>" if name == "1" else ""
                return 200, [HTML], page(DRAW + f"fetch('/data/{name}').then(r=>r.json()).then(names=>{{draw(names);"
                                         f"document.body.insertAdjacentHTML('beforeend','{more}')}})")
            if kind == "item":
                return 200, [HTML], page(f"setTimeout(()=>document.body.insertAdjacentHTML('beforeend',"
                                         f"'<h2>{name}</h2><p>Made in <b>{name[-1]} town</b>'),900)", "")
            return answer(request)

        expected = words(1) + words(2)
        with Server(answers) as server:
            ran = render(server.url("/list/1"), "-q", "--follow", "5")
            self.assertEqual([name for name in names_in(ran.out) if name in expected], expected, ran)
            ran = run(THRESH, "crawl", "-q", "--render", "--allow-private", "--delay", "0", "-f", "ndjson", server.url("/list/1"),
                      timeout=120)
            names = names_in(ran.out)
            self.assertEqual([names.count(name) for name in expected], [1] * len(expected), ran)
            self.assertEqual(sorted(name for name in names if name.endswith("town")),
                             sorted(f"{item} town" for item in (1, 2, 3, 4, 5, 1, 2, 3, 4, 5)), ran)

    def test_files(self):
        """A file is drawn too, without loading anything. What a crash has left behind is removed (see tearDown)."""
        os.makedirs(os.path.join(self.folder, "thresh-browser-999999999-left", "profile"))
        path = os.path.join(self.folder, "page.html")
        with Server(answer) as server:
            with open(path, "w", encoding="utf-8") as file:
                file.write(page(DRAW + f"fetch('{server.url('/data/2')}').then(r=>r.json()).then(draw);"
                                f"setTimeout(()=>draw({words('one')}),800)"))
            ran = run(THRESH, "records", "-q", "--render", "--allow-private", "-f", "ndjson", path)
            self.assertEqual(server.requests, [])
        self.assertEqual(ran.code, 0, ran)
        self.assertIn(words("one")[0], names_in(ran.out))

    def test_without_browser(self):
        path = os.path.join(self.folder, "page.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(page("0"))
        for env, message in (({"PATH": self.folder}, "Chromium is not installed. On Debian and Ubuntu: apt install chromium"),
                             ({"THRESH_CHROMIUM": "/no/browser"}, 'THRESH_CHROMIUM is "/no/browser", which is not a program'),
                             ({"THRESH_CHROMIUM": "/bin/false"}, "Chromium cannot be started")):
            ran = run(THRESH, "records", "--render", path, env=env)
            self.assertEqual(ran.code, 1)
            self.assertIn(message, ran.err)

    def start(self, url):
        return subprocess.Popen([THRESH, "records", "--render", "--allow-private", "--ignore-robots", "-f", "ndjson", url],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def browser(self):
        """The process of the browser itself, once there is one that draws."""
        found = self.processes()
        tabs = [path for path, command in found if b"--type=renderer" in command]
        first = [path for path, command in found if b"--remote-debugging-pipe" in command and b"--type=" not in command]
        return int(first[0].rpartition("/")[2]) if tabs and first else None

    def test_killed(self):
        """thresh is killed while a page's scripts run for ever and the browser hangs: nothing remains (see tearDown)."""
        with Server(lambda request: (200, [HTML], page("for(;;);"))) as server:
            running = self.start(server.url("/page"))
            self.assertTrue(self.until(self.browser), "the browser does not start")
            os.kill(self.browser(), signal.SIGSTOP)
            running.kill()
            running.communicate()
            self.until(lambda: not self.processes())

    def test_browser_dies(self):
        """A browser that dies is started again, once for a page."""
        with Server(answer) as server:
            for deaths in (1, 2):
                running = self.start(server.url("/late/3"))
                pids = set()
                while len(pids) < deaths:
                    self.assertTrue(self.until(lambda: self.browser() not in pids | {None}))
                    pids.add(self.browser())
                    os.kill(self.browser(), signal.SIGKILL)
                out, err = running.communicate(timeout=60)
                self.assertEqual(words(3)[0] in names_in(out), deaths == 1, (out, err))
                if deaths == 2:
                    self.assertIn("/late/3: cannot be rendered: Chromium ended unexpectedly", err)

    def test_private_addresses(self):
        """Neither a script nor a redirect reaches this machine. The page must be public: in a network of our own."""
        done = subprocess.run([sys.executable, __file__, THRESH, "--inside"], capture_output=True, text=True, timeout=120)
        if done.returncode == 77:
            self.skipTest("no network namespace here")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual(result["secret"], [], result)
        self.assertIn("/tries", result["paths"])
        for kind in ("fetch", "XHR", "redirect", "worker"):
            self.assertIn(f"no {kind}", result["out"], result)
        self.assertRegex(result["err"], r"requests of its scripts went to addresses that are not public and were refused "
                                        r"\(the first: http://\S+, \w+\)")
        self.assertRegex(result["err"], r"/leads: not fetched, since its address 127.0.0.1 is loopback")


TRIES = """
const say=(kind,ok)=>{const item=document.createElement('li');item.innerHTML=`<a href=/${kind}>${ok?'':'no '}${kind}</a> <b>${kind.length}.50 EUR</b>`;
document.getElementById('list').append(item)};
const secret='http://127.0.0.1:%d/secret';
fetch(secret).then(()=>say('fetch',1),()=>say('fetch'));
const x=new XMLHttpRequest();x.open('GET',secret.replace('127.0.0.1','localhost'));x.onload=()=>say('XHR',1);x.onerror=()=>say('XHR');x.send();
fetch('/redirect').then(()=>say('redirect',1),()=>say('redirect'));
const w=new Worker('/worker.js');w.onmessage=e=>say('worker',e.data);
try{new WebSocket(secret.replace('http','ws'))}catch(e){}
new EventSource(secret);navigator.sendBeacon(secret,'x');new Image().src=secret;
try{const p=new RTCPeerConnection({iceServers:[{urls:'stun:127.0.0.1:%d'}]});p.createDataChannel('x');p.createOffer().then(o=>p.setLocalDescription(o))}catch(e){}
const f=document.createElement('iframe');f.src=secret;document.body.append(f);
const l=document.createElement('link');l.rel='preconnect';l.href=secret;document.head.append(l);
"""


def inside():
    """A network of our own with a public address: pages from there try to reach 127.0.0.1."""
    import ctypes
    import fcntl
    import socket
    import struct
    users = (os.geteuid(), os.getegid())
    flags = 0x40000000 | (0 if users[0] == 0 else 0x10000000)
    if ctypes.CDLL(None).unshare(flags):
        return 77
    if users[0]:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{users[0]} {users[0]} 1"), ("gid_map", f"{users[1]} {users[1]} 1")):
            with open("/proc/self/" + name, "w", encoding="ascii") as file:
                file.write(text)
    public, any_socket = "9.9.9.9", socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        for name, request, data in ((b"lo", 0x8914, struct.pack("h", 0x41)),  # up
                                    (b"lo:1", 0x8916, struct.pack("HH4s", socket.AF_INET, 0, socket.inet_aton(public))),
                                    (b"lo:1", 0x8914, struct.pack("h", 0x41))):
            fcntl.ioctl(any_socket, request, struct.pack("16s24s", name, data))
    except OSError:
        return 77
    secret = []

    def answers(request):
        if request.path == "/secret":
            secret.append(str(request))
            return 200, [HTML, ("Access-Control-Allow-Origin", "*")], "secret"
        if request.path == "/tries":
            return 200, [HTML], page(TRIES % (server.port, server.port), "<ul id=list></ul>")
        if request.path == "/leads":
            return 200, [HTML], page(f"location='http://127.0.0.1:{server.port}/secret'")
        if request.path == "/redirect":
            return 302, [("Location", f"http://127.0.0.1:{server.port}/secret")], ""
        if request.path == "/worker.js":
            return 200, [SCRIPT], f"fetch('http://127.0.0.1:{server.port}/secret').then(()=>postMessage(1),()=>postMessage(0))"
        return None

    with Server(answers, "0.0.0.0") as server:
        ran = run(THRESH, "records", "--render", "-f", "ndjson", "--timeout", "20", "--delay", "0",
                  server.url("/tries", public), server.url("/leads", public), timeout=100)
        print(json.dumps({"out": ran.out, "err": ran.err, "secret": secret, "paths": server.paths()}))
    return 0


if __name__ == "__main__":
    if "--inside" in sys.argv:
        sys.exit(inside())
    unittest.main(verbosity=2)

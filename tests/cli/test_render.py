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
        self.assertEqual(glob.glob(os.path.join(self.folder, "thresh-browser-*")), [])
        self.assertEqual(self.processes(), [])
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
                found.append((path, command[:200]))
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
        """Each ends in time, with a message or with what it shows."""
        grow = "document.body.append(document.createElement('p'))"
        pages = {
            # path: (script, what the message says; None: the page is read)
            "endless": ("for(;;);", "its scripts do not end"),
            "endless-later": ("setTimeout(()=>{for(;;);},300)", "its scripts do not end"),
            "endless-promises": ("(async()=>{for(;;)await 0})()", "its scripts do not end"),
            "endless-messages": ("const c=new MessageChannel();c.port1.onmessage=()=>c.port2.postMessage(1);c.port2.postMessage(1)", None),
            "endless-timers": ("(function f(){setTimeout(f,0)})()", None),
            "endless-growth": (f"setInterval(()=>{grow},10)", None),
            "endless-fetches": ("(function f(){fetch('/data/1').then(f)})()", "taken before it was complete"),
            "never-answered": ("fetch('/never/1')", "taken before it was complete"),
            "dialogs": ("alert(1);confirm(2);prompt(3)", "dismissed 3 dialogs"),
            "endless-dialogs": ("for(;;)alert(1)", "one dialog after the other"),
            "leaving": ("onbeforeunload=()=>{alert(1);return 'stay'};setTimeout(()=>location='/plain/1',100)", None),
            "download": ("location='/file.zip'", None),
            "download-link": ("const a=document.createElement('a');a.href='/file.zip';a.download='x';document.body.append(a);a.click()", None),
            "windows": ("for(let i=0;i<99;i++){window.open('/plain/1');"
                        "document.body.append(Object.assign(document.createElement('iframe'),{id:'f'}));"
                        "document.getElementById('f').contentWindow.open('/plain/1')}", None),
            "refresh": ("setTimeout(()=>location.reload(),100)", "too many redirects"),
            "closes": ("window.close()", None),
            "file": ("location='file:///etc/passwd'", None),
            "blob": ("location=URL.createObjectURL(new Blob(['<p>other'],{type:'text/html'}))", None),
            "socket": ("new WebSocket(location.href.replace('http','ws'));new EventSource('/never/2')", None),
            "service-worker": ("navigator.serviceWorker.register('/script/1')", None),
            "private": ("fetch('http://127.0.0.1:1/').catch(()=>0)", None),
            "large": ("document.body.append('x'.repeat(3e6))", "larger than max_bytes"),
            "hunger": ("const keep=[];for(;;){const p=document.createElement('p');p.textContent='x'.repeat(1e4)+keep.length;"
                       "keep.push(p);document.body.append(p)}", "hunger: "),
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

        with Server(hostile) as server:
            start = time.monotonic()
            ran = render([server.url("/" + path) for path in pages], "--with-page", "--timeout", "4", "--max-redirects", "3",
                         "--max-bytes", "2M")
            seconds = time.monotonic() - start
        self.assertLess(seconds, 60)
        for path, (_, message) in pages.items():
            said = [line for line in ran.err.splitlines() if f"/{path}: " in line]
            records = [line for line in ran.out.splitlines() if f'/{path}"' in line and "The second" in line]
            with self.subTest(path):
                if message:
                    self.assertIn(message, "".join(said))
                else:
                    self.assertEqual(len(records), 1, said)
        print(ran.err, seconds)


if __name__ == "__main__":
    unittest.main(verbosity=2)

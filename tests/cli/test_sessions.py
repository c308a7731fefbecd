#!/usr/bin/env python3
"""Sessions: headers, cookies, a proxy, passwords and logins, and that secrets go nowhere else.

    tests/cli/test_sessions.py THRESH
"""
import base64
import gzip
import http.client
import json
import os
import stat
import sys
import tempfile
import unittest
import urllib.parse

from web_server import HTML, LIST, Server, fetch, run

THRESH = os.path.abspath(sys.argv.pop(1))
SECRET = "s3cr3t-Value/9"  # has a letter that URLs escape
PASSWORD = "correct horse&battery"


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.env = {"SECRET": SECRET, "PASSWORD": PASSWORD, "TMPDIR": self.folder.name}

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text if isinstance(text, str) else json.dumps(text))
        return self.path(name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def fetch(self, *words):
        return fetch(THRESH, "--retries", "0", *words, env=self.env, cwd=self.folder.name)

    def good(self, *words):
        ran = self.fetch(*words)
        self.assertEqual((ran.code, len(ran.out.splitlines())), (0, 3), ran)
        return ran

    def bad(self, words, *said):
        ran = self.fetch(*words)
        self.assertNotEqual(ran.code, 0, ran)
        for part in said:
            self.assertIn(part, ran.err)
        self.assertNotIn(SECRET, ran.err)
        self.assertNotIn(PASSWORD, ran.err)
        return ran


class Headers(Case):
    def test_sent(self):
        with Server() as server:
            self.good("--header", "X-Plain: a b", "--header", "Accept: text/plain;q=0.5", "--header",
                      "Authorization: Bearer ${SECRET}", server.url("/page"))
            headers = server.requests[-1].headers
            self.assertEqual(headers["X-Plain"], "a b")
            self.assertEqual(headers.get_all("Accept"), ["text/plain;q=0.5"])
            self.assertEqual(headers["Authorization"], "Bearer " + SECRET)

    def test_secrets_are_refused_on_the_command_line(self):
        for name in ("Authorization", "cookie", "Proxy-Authorization", "X-Api-Key", "X-Auth-Token"):
            self.bad(["--header", f"{name}: {SECRET}", "http://127.0.0.1:9/"], f"--header '{name}: ...'",
                     "a command line can be seen by others", "${NAME}", "--site-file")
        self.bad([f"http://me:{SECRET}@127.0.0.1:9/x"], "http://***@127.0.0.1:9/x: is not a valid URL")  # it has a slash
        self.bad(["http://me:other@127.0.0.1:9/x"], "http://127.0.0.1:9/x: was given with a user name or password",
                 "--site-file")
        self.bad(["--proxy", "http://me:other@127.0.0.1:9", "http://127.0.0.1:9/"], "--proxy: a command line can be seen")

    def test_bad_ones(self):
        for text, said in (("X-A", "is not a header"), ("X A: b", "is not a header"), (": b", "is not a header"),
                           ("X-A:", "the value of X-A is empty"), ("X-A: b\nX-B: c", "more than one line"),
                           ("Host: x", "the header Host cannot be set"), ("User-Agent: x", "option of its own"),
                           ("X-A: ${NOT_THERE}", "the environment variable NOT_THERE is not set")):
            self.bad(["--header", text, "http://127.0.0.1:9/"], said)
        for url in ("127.0.0.1", "ftp://127.0.0.1", "http://"):
            self.bad(["--proxy", url, "http://127.0.0.1:9/"], "--proxy: must be a URL such as http://proxy.example:3128")

    def test_said_once(self):
        ran = self.bad(["--header", "X-A: ${NOT_THERE}", "http://127.0.0.1:9/", "http://127.0.0.1:9/2"], "not set")
        self.assertEqual(len(ran.err.splitlines()), 1, ran)

    def test_secrets_stay_with_the_first_site(self):
        with Server() as other:
            def answer(request):
                return None if request.path == "/robots.txt" else (302, [("Location", other.url("/list"))], "")

            with Server(answer) as server:
                self.good("--header", "X-Plain: yes", "--header", "Authorization: ${SECRET}", server.url("/page"))
                self.assertEqual(server.requests[-1].headers["Authorization"], SECRET)
                self.assertEqual(other.paths(), ["/list"])
                for request in other.requests:
                    self.assertEqual(request.headers["X-Plain"], "yes")
                    self.assertIsNone(request.headers["Authorization"])
        with Server() as server:  # another name of the same machine is another host
            ran = self.fetch("--header", "Authorization: ${SECRET}", server.url("/1"), server.url("/2", "localhost"))
            self.assertEqual(ran.code, 0)
            for request in server.requests:
                first = request.headers["Host"].startswith("127.")
                self.assertEqual(request.headers["Authorization"], SECRET if first else None)


class Jar(Case):
    def answer(self, request):
        if request.path == "/set":
            return 200, [HTML, ("Set-Cookie", "sid=abc123; Path=/; HttpOnly"), ("Set-Cookie", "old=1; Max-Age=0")], LIST
        return 200, [HTML], LIST

    def test_round_trip(self):
        with Server(self.answer) as server:
            self.good("--cookie-jar", "jar.txt", server.url("/set"))
            self.assertEqual(stat.S_IMODE(os.stat(self.path("jar.txt")).st_mode), 0o600)
            text = self.read("jar.txt")
            self.assertIn("#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tabc123\n", text)
            self.assertNotIn("old", text)
            self.good("--cookie-jar", "jar.txt", server.url("/page"))
            self.assertEqual(server.requests[-1].headers["Cookie"], "sid=abc123")
            self.assertEqual(self.read("jar.txt"), text)
            self.good("--cookie-jar", "jar.txt", server.url("/page", "localhost"))
            self.assertIsNone(server.requests[-1].headers["Cookie"])
            self.good(server.url("/page"))
            self.assertIsNone(server.requests[-1].headers["Cookie"])
            self.assertEqual(os.listdir(self.folder.name), ["jar.txt"])

    def test_secure_ones_are_not_sent_over_http(self):
        with Server() as server:
            self.write("jar.txt", "127.0.0.1\tFALSE\t/\tTRUE\t0\tsafe\t1\n127.0.0.1\tFALSE\t/\tFALSE\t0\tplain\t2\n")
            os.chmod(self.path("jar.txt"), 0o644)
            self.good("--cookie-jar", "jar.txt", server.url("/page"))
            self.assertEqual(server.requests[-1].headers["Cookie"], "plain=2")

    def test_bad_files(self):
        self.write("jar.txt", "# comment\n\n127.0.0.1\tFALSE\t/\n")
        self.bad(["--cookie-jar", "jar.txt", "http://127.0.0.1:9/"], "jar.txt: line 3 is not a cookie")
        self.bad(["--cookie-jar", "no/jar.txt", "http://127.0.0.1:9/"], "no/jar.txt: cannot be opened")
        self.bad(["--cookie-jar", ".", "http://127.0.0.1:9/"], ".: cannot be opened")
        self.bad(["--cookie-jar", "/dev/null", "http://127.0.0.1:9/"], "/dev/null: is not a regular file")


class SiteFile(Case):
    def file(self, server, **more):
        return self.write("site.json", {"site": server.url("").rstrip("/"), **more})

    def test_headers_agent_and_delay(self):
        with Server() as server:
            self.file(server, headers={"X-Api-Key": {"env": "SECRET"}, "X-More": "yes",
                                       "Authorization": {"before": "Bearer ", "file": "token"}},
                      user_agent="me/2", delay=0.7)
            self.write("token", SECRET + "\n")
            self.assertEqual(self.fetch("--site-file", "site.json", server.url("/1"), server.url("/2")).code, 0)
            for request in server.requests:
                self.assertEqual(request.headers["X-Api-Key"], SECRET)
                self.assertEqual(request.headers["Authorization"], "Bearer " + SECRET)
                self.assertEqual(request.headers["User-Agent"], "me/2")
            self.assertGreater(server.requests[-1].time - server.requests[-2].time, 0.65)
            self.good("--site-file", "site.json", server.url("/1", "localhost"))
            for name in ("X-Api-Key", "X-More", "Authorization"):
                self.assertIsNone(server.requests[-1].headers[name])

    def test_basic(self):
        wanted = "Basic " + base64.b64encode(f"me:{PASSWORD}".encode()).decode()

        def answer(request):
            if request.headers["Authorization"] != wanted:
                return 401, [HTML, ("WWW-Authenticate", 'Basic realm="x"')], "<p>no"
            return (302, [("Location", f"http://localhost:{server.port}/x")], "") if request.path == "/away" else (200, [HTML], LIST)

        with Server(answer) as server:
            self.file(server, basic={"user": "me", "password": {"env": "PASSWORD"}})
            self.good("--site-file", "site.json", server.url("/page"))
            self.bad(["--site-file", "site.json", server.url("/away")], "the server answers 401")
            self.assertIsNone(server.requests[-1].headers["Authorization"])
            self.write("netrc", f'machine 127.0.0.1 login me password "{PASSWORD}"\n')
            self.file(server, basic={"netrc": "netrc"})
            self.good("--site-file", "site.json", server.url("/page"))
            self.bad([server.url("/page")], "the server answers 401")

    def test_two_sites(self):
        with Server() as server:
            self.write("site.json", [{"site": [server.url(""), server.url("", "localhost")], "headers": {"X-A": "1"}},
                                     {"site": "https://shop.example", "headers": {"X-A": "2"}}])
            self.good("--site-file", "site.json", server.url("/1", "localhost"))
            self.assertEqual(server.requests[-1].headers["X-A"], "1")

    def test_bad_files(self):
        def bad(text, *said):
            self.write("site.json", text)
            self.bad(["--site-file", "site.json", "http://127.0.0.1:9/"], *said)

        site = {"site": "http://127.0.0.1:9"}
        bad('{"site": "' + SECRET, "site.json: is not valid JSON, at line 1")
        bad("[1]", "site.json: [0]: must be an object")
        bad({}, "site.json: site: is missing")
        bad({"site": "shop.example"}, "site: must be the start of a URL")
        bad({"site": "http://shop.example/path"}, "site: must be the start of a URL")
        bad({"site": []}, "site: is empty")
        bad({**site, "hedaers": {}}, 'unknown member "hedaers"')
        bad({**site, "headers": {"A b": "x"}}, "headers.A b: is not a header")
        bad({**site, "headers": {"A": 1}}, "headers.A: must be a text")
        bad({**site, "headers": {"A": {"env": "NOT_THERE"}}}, "headers.A: the environment variable NOT_THERE is not set")
        bad({**site, "headers": {"A": {"file": "not-there"}}}, "not-there: cannot be opened")
        bad({**site, "basic": {"user": "x"}}, "basic.password: is missing")
        bad({**site, "basic": {"netrc": "not-there"}}, "not-there: cannot be read")
        bad({**site, "delay": -1}, "delay: must be a number of seconds")
        bad({**site, "login": {"url": "/in"}}, "login.form: must be an object")
        bad({**site, "login": {"url": "http://evil.example/in", "form": {"a": "b"}}}, "login.url: must be a URL, or a path, of")
        bad([site, site], "[1].site: has an account already")
        self.bad(["--site-file", "none.json", "http://127.0.0.1:9/"], "none.json: cannot be opened")


class Login:
    """A site that wants a login. Sessions are numbered; the server can forget them."""

    def __init__(self, **more):
        self.valid, self.count, self.ways = set(), 0, more

    def __call__(self, request):
        if request.path == "/robots.txt":
            return None
        if request.path.startswith("/login") and request.method == "POST":
            form = urllib.parse.parse_qs(request.body)
            if form.get("password") != [PASSWORD] or form.get("user") != ["me & you"]:
                return 200, [HTML], "<p>Wrong. <form><input type=password></form>"
            self.count += 1
            self.valid.add(f"s{self.count}")
            return 302, [("Location", "/welcome"), ("Set-Cookie", f"sid=s{self.count}; Path=/")], ""
        if request.path == "/welcome":
            return 200, [HTML], "<p>Hello"
        if request.path.startswith("/login"):
            return 200, [HTML], "<form><input type=password></form>"
        cookie = (request.headers["Cookie"] or "").removeprefix("sid=")
        if cookie not in self.valid or request.path == "/forbidden":
            return (403, [HTML], "<p>no") if self.ways.get("forbids") else (302, [("Location", "/login?next=" + request.path)], "")
        if self.ways.get("forgets"):
            self.valid.discard(cookie)
        return 200, [HTML], LIST


class Logins(Case):
    def file(self, server, ok="sid", password=None):
        login = {"url": "/login", "form": {"user": "me & you", "password": password or {"env": "PASSWORD"}}}
        return self.write("site.json", {"site": server.url("").rstrip("/"), "login": {**login, **({"ok": ok} if ok else {})}})

    def test_once(self):
        for ok in ("sid", "Hello", None):
            with Server(Login()) as server:
                self.file(server, ok)
                ran = self.fetch("--site-file", "site.json", *(server.url(f"/{n}") for n in range(4)))
                self.assertEqual((ran.code, len(ran.out.splitlines()), ran.err), (0, 12, ""))
                self.assertEqual(server.paths(), ["/login", "/welcome", "/0", "/1", "/2", "/3"])
                self.assertEqual(server.requests[1].method, "POST")
                self.assertEqual(server.requests[2].method, "GET")

    def test_again(self):
        for forbids in (False, True):
            with Server(Login(forbids=forbids, forgets=True)) as server:
                self.file(server)
                ran = self.fetch("--site-file", "site.json", server.url("/1"), server.url("/2"))
                self.assertEqual((ran.code, len(ran.out.splitlines()), ran.err), (0, 6, ""), ran)
                self.assertEqual(server.answer.count, 2)

    def test_no_use(self):
        with Server(Login(forbids=True)) as server:
            self.file(server)
            ran = self.bad(["--site-file", "site.json", *[server.url("/forbidden")] * 6], "also after logging in again")
            self.assertEqual(len(ran.err.splitlines()), 6)
            self.assertEqual(server.answer.count, 4)  # three pages were enough to see that it is of no use
        with Server(Login()) as server:
            self.file(server)
            self.bad(["--site-file", "site.json", server.url("/forbidden")],
                     "/forbidden: is redirected to the login page ", "also after logging in")

    def test_fails(self):
        with Server(Login()) as server:
            for ok in ("sid", None):
                self.file(server, ok, "wrong-password")
                ran = self.bad(["--site-file", "site.json", server.url("/1"), server.url("/2")],
                               "/1: not fetched, since the login at ", "/login failed: the answer (200) has no cookie")
                self.assertEqual(len(ran.err.splitlines()), 2)
                self.assertNotIn("wrong-password", ran.err)
        with Server(lambda request: (500, [HTML], "") if request.method == "POST" else (200, [HTML], LIST)) as server:
            self.file(server)
            self.bad(["--site-file", "site.json", server.url("/1")], "failed: the server answers 500")

    def test_jar_of_an_earlier_run(self):
        with Server(Login()) as server:
            self.file(server)
            for _ in range(2):
                self.good("--site-file", "site.json", "--cookie-jar", "jar", server.url("/1"))
            self.assertEqual(server.answer.count, 1)
            server.answer.valid.clear()
            self.good("--site-file", "site.json", "--cookie-jar", "jar", server.url("/1"))
            self.assertEqual(server.answer.count, 2)

    def test_hidden_fields(self):
        """A form with a token, beside another form."""
        tokens = []

        def answer(request):
            if request.path == "/in" and request.method == "GET":
                tokens.append(f"t&{len(tokens)}")
                page = (f"<form><input type=hidden name=q value=x></form><form method=post action=/in><input type=hidden name=csrf "
                        f"value='t&amp;{len(tokens) - 1}'><input name=user><input type=HIDDEN name=empty></form>")
                return 200, [HTML, ("Set-Cookie", f"pre={len(tokens)}")], page
            if request.path == "/in":
                form = urllib.parse.parse_qs(request.body, keep_blank_values=True)
                good = form == {"user": ["me"], "csrf": tokens[-1:], "empty": [""]} and "pre=" in request.headers["Cookie"]
                return (200, [HTML, ("Set-Cookie", "sid=1")], "<p>Hello") if good else (403, [HTML], "<p>no")
            return (200, [HTML], LIST) if "sid=1" in (request.headers["Cookie"] or "") else None

        with Server(answer) as server:
            self.write("site.json", {"site": server.url(""), "login": {"page": "/in", "url": "/in", "form": {"user": "me"},
                                                                       "ok": "sid"}})
            self.good("--site-file", "site.json", server.url("/1"))
            self.assertEqual([str(request) for request in server.requests],
                             ["GET /robots.txt", "GET /in", "POST /in", "GET /1"])

    def test_form_stays_with_the_site(self):
        with Server() as other:
            def answer(request):
                if request.method == "POST":
                    return 307, [("Location", other.url("/steal")), ("Set-Cookie", "sid=1")], ""
                return 200, [HTML], LIST

            with Server(answer) as server:
                self.file(server)
                self.good("--site-file", "site.json", server.url("/1"))
            self.assertEqual(other.requests, [])


class Proxy(Case):
    def proxy(self, wanted=None):
        """A proxy for http: it takes whole URLs."""
        def answer(request):
            if wanted and request.headers["Proxy-Authorization"] != wanted:
                return 407, [("Proxy-Authenticate", "Basic")], ""
            to = urllib.parse.urlsplit(request.path)
            there = http.client.HTTPConnection("127.0.0.1", to.port)
            there.request("GET", to.path, headers={"Host": to.netloc})
            got = there.getresponse()
            return got.status, [("Content-Type", got.getheader("Content-Type"))], got.read()

        return Server(answer)

    def test_used(self):
        wanted = "Basic " + base64.b64encode(f"me:{SECRET}".encode()).decode()
        with Server() as server, self.proxy(wanted) as proxy:
            self.good("--proxy", f"http://me:${{SECRET}}@127.0.0.1:{proxy.port}", server.url("/page"))
            self.assertEqual(len(proxy.requests), 2)
            self.write("site.json", {"site": server.url(""), "proxy": {"url": proxy.url(""), "user": "me",
                                                                       "password": {"env": "SECRET"}}})
            self.good("--site-file", "site.json", server.url("/page"))
            self.assertEqual(len(proxy.requests), 4)
            self.bad(["--proxy", proxy.url(""), server.url("/page")], "the server answers 407")

    def test_private_addresses_are_refused(self):
        with self.proxy() as proxy:
            for host in ("127.0.0.1", "localhost", "[::1]", "2130706433", "10.1.2.3"):
                ran = run(THRESH, "--proxy", proxy.url(""), f"http://{host}:9/x")
                self.assertIn("--allow-private fetches it anyway", ran.err)
            self.assertEqual(proxy.requests, [])


class Leaks(Case):
    """No artefact holds a secret: outputs, wrappers, projects, journals, caches, messages."""

    def test_nothing_is_kept(self):
        site = Login(forgets=False)

        def answer(request):
            if request.path == "/echo":  # a server that puts it into the address
                return 302, [("Location", "/list?token=" + urllib.parse.quote(SECRET, safe=""))], ""
            if request.path == "/fail":
                return 500, [("X-Echo", SECRET)], SECRET
            return site(request)

        with Server(answer) as server:
            self.write("site.json", {
                "site": server.url(""), "headers": {"X-Api-Key": {"env": "SECRET"}, "X-Odd": {"env": "SECRET"}},
                "basic": {"user": "me", "password": {"env": "SECRET"}},
                "login": {"url": "/login", "form": {"user": "me & you", "password": {"env": "PASSWORD"}}, "ok": "sid"}})
            options = ["--allow-private", "--delay", "0", "--retries", "0", "--site-file", "site.json",
                       "--header", "Authorization: ${SECRET}"]
            pages = [server.url(path) for path in ("/1", "/2", "/echo")]
            said = []
            for words in (["project", "new", "p.thresh"], ["learn", "-o", "w.json", *pages], ["learn", "--project", "p.thresh", *pages],
                          ["extract", "-v", "-w", "w.json", "-o", "out.ndjson", "--resume", "journal", *pages],
                          ["records", "-o", "out.db", "--warc", "out.warc.gz", "--cache", "cache", *pages],
                          ["crawl", "-o", "crawl.ndjson", "--save", "saved", "--warc", "crawl.warc.gz", pages[0]], ["show", pages[0]], ["records", server.url("/fail")],
                          ["project", "export", "p.thresh", "exported"]):
                more = [] if words[0] == "project" else options
                ran = run(THRESH, words[0], *more, *words[1:], env=self.env, cwd=self.folder.name)
                said.append(ran.out + ran.err)
            self.assertTrue(os.path.exists(self.path("w.json")), said)
            self.assertTrue(os.path.exists(self.path("p.thresh")), said)
            self.assertTrue(os.path.exists(self.path("out.ndjson")), said)
            self.assertGreater(os.path.getsize(self.path("out.warc.gz")), 500)
            self.assertIn(b"Location: /list?token=***", gzip.decompress(self.bytes("out.warc.gz")))
        found = {"messages": "".join(said).encode()}
        for folder, _, names in os.walk(self.folder.name):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    found[name] = file.read()
                if found[name][:2] == b"\x1f\x8b":
                    found[name] = gzip.decompress(found[name])
        self.assertGreater(len(found), 5, found.keys())
        secrets = [SECRET, PASSWORD, urllib.parse.quote(SECRET, safe=""), urllib.parse.quote_plus(PASSWORD),
                   urllib.parse.quote(PASSWORD, safe=""), base64.b64encode(f"me:{SECRET}".encode()).decode(),
                   *(f"sid={cookie}" for cookie in site.valid)]
        for name, data in found.items():
            for secret in secrets:
                self.assertNotIn(secret.encode(), data, name)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""The cache: what is fetched once, what is asked about again, and what damage does.

    tests/cli/test_fetch_cache.py THRESH
"""
import email.utils
import os
import random
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from web_server import HTML, LIST, Server, fetch

THRESH = os.path.abspath(sys.argv.pop(1))


class Site:
    """Pages that know if they have changed."""

    def __init__(self, *headers):
        self.headers, self.version, self.answers = list(headers), 1, []

    def __call__(self, request):
        if request.path == "/robots.txt":
            return None
        tag = f'"v{self.version}"'
        known = request.headers["If-None-Match"] == tag
        self.answers.append(304 if known else 200)
        headers = [HTML, ("ETag", tag), *self.headers]
        return (304, headers[1:], "") if known else (200, headers, LIST.replace("One", f"One {self.version}"))


class Cache(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, "cache")

    def fetch(self, *words, **more):
        return fetch(THRESH, "--retries", "0", "--cache", self.folder, *words, **more)

    def good(self, *words):
        ran = self.fetch(*words)
        self.assertEqual((ran.code, ran.err), (0, ""), ran)
        return ran.out

    def entries(self):
        return sorted(os.path.join(folder, name) for folder, _, names in os.walk(self.folder) for name in names)

    def test_asked_about_again(self):
        with Server(Site()) as server:
            first = self.good(server.url("/page"))
            self.assertEqual(len(self.entries()), 1)
            self.assertEqual(stat.S_IMODE(os.stat(self.folder).st_mode), 0o700)
            self.assertEqual(self.good(server.url("/page#part")).replace("#part", ""), first)
            self.assertEqual(server.answer.answers, [200, 304])
            server.answer.version = 2
            self.assertIn("One 2", self.good(server.url("/page")))
            self.assertIn("One 2", self.good(server.url("/page")))
            self.assertEqual(server.answer.answers, [200, 304, 200, 304])
            self.assertEqual(len(self.entries()), 1)

    def test_last_modified(self):
        date = email.utils.formatdate(time.time() - 1000, usegmt=True)
        asked = []

        def answer(request):
            asked.append(request.headers["If-Modified-Since"])
            return (304, [], "") if asked[-1] else (200, [HTML, ("Last-Modified", date)], LIST)

        with Server(answer) as server:
            first = self.good("--ignore-robots", server.url("/page"))
            self.assertEqual(self.good("--ignore-robots", server.url("/page")), first)
            self.assertEqual(asked, [None, date])

    def test_nothing_to_ask_with(self):
        with Server() as server:
            for _ in range(2):
                self.good(server.url("/page"))
            self.assertEqual(server.paths(), ["/page"] * 2)
            self.good("--cache-age", "3600", server.url("/page"))
            self.assertEqual(server.paths(), ["/page"] * 2)

    def test_fresh(self):
        soon = email.utils.formatdate(time.time() + 600, usegmt=True)
        for headers, asks in (([("Cache-Control", "public, max-age=600")], 1), ([("Cache-Control", "max-age=600, no-cache")], 2),
                              ([("Cache-Control", "no-store")], 2), ([("Cache-Control", "max-age=0")], 2),
                              ([("Expires", soon)], 1), ([("Expires", "0")], 2),
                              ([("Cache-Control", "max-age=600"), ("Age", "700")], 2),
                              ([("Cache-Control", "max-age=600"), ("Vary", "*")], 2),
                              ([("Cache-Control", "max-age=99999999999999999999")], 2)):
            with Server(Site(*headers)) as server:
                for _ in range(2):
                    self.good("--ignore-robots", server.url("/page"))
                self.assertEqual(len(server.requests), asks, headers)

    def test_no_server_is_needed(self):
        with Server(Site(("Cache-Control", "max-age=600"))) as server:
            first = self.good(server.url("/page"))
        self.assertEqual(self.good(server.url("/page")), first)

    def test_confirmed_for_longer(self):
        site = Site(("Cache-Control", "max-age=1"))
        with Server(site) as server:
            self.good(server.url("/page"))
            time.sleep(1.1)
            self.good(server.url("/page"))
            site.headers = []
            self.good(server.url("/page"))  # the second answer made it hold another second
            self.assertEqual(site.answers, [200, 304])

    def test_once_within_a_run(self):
        with Server(Site(("Cache-Control", "no-store"))) as server:
            out = self.good(*[server.url("/page")] * 5, server.url("/page#a"))
            self.assertEqual(len(out.splitlines()), 18)
            self.assertEqual(server.paths(), ["/page"])

    def test_redirects_and_missing_pages(self):
        def answer(request):
            return {"/old": (301, [("Location", "/new?x#y")], ""), "/new?x": (200, [HTML], LIST)}.get(request.path)

        with Server(answer) as server:
            for _ in range(2):
                ran = self.fetch("--cache-age", "60", "--with-page", server.url("/old"), server.url("/gone"), server.url("/old"))
                self.assertEqual(ran.code, 1)
                self.assertEqual(len(ran.out.splitlines()), 6)
                self.assertIn("/gone: the server answers 404\n", ran.err)
            self.assertEqual(server.paths(), ["/old", "/new?x", "/gone"])

    def test_loops_end(self):
        with Server(lambda request: (302, [("Location", request.path)], "")) as server:
            ran = self.fetch("--ignore-robots", "--cache-age", "60", server.url("/loop"))
            self.assertIn("too many redirects", ran.err)
            self.assertEqual(len(server.requests), 1)

    def test_errors_are_not_kept(self):
        with Server(lambda request: (500, [HTML], "<p>no")) as server:
            self.fetch("--ignore-robots", server.url("/page"))
            self.assertEqual(self.entries(), [])
        with Server(lambda request: (200, [("Content-Type", "image/png")], b"\x89PNG")) as server:
            self.fetch("--ignore-robots", server.url("/page"))
            self.assertEqual(self.entries(), [])

    def test_other_headers_other_page(self):
        with Server(Site(("Cache-Control", "max-age=600"))) as server:
            for words in ([], ["--header", "Accept-Language: de"], ["--user-agent", "other/1"], [],
                          ["--header", "Accept-Language: de"]):
                self.good(*words, server.url("/page"))
            self.assertEqual(len(server.paths()), 3)

    def test_damage_is_noticed(self):
        with Server(Site(("Cache-Control", "max-age=600"))) as server:
            first = self.good(server.url("/page"))
            [path] = self.entries()
            with open(path, "rb") as file:
                whole = file.read()
            chance = random.Random(1)
            for n in range(24):
                place = chance.randrange(len(whole))
                broken = (whole[:place], whole[:place] + bytes([whole[place] ^ (1 << n % 8)]) + whole[place + 1:],
                          whole + b"x", b"")[n % 4]
                with open(path, "wb") as file:
                    file.write(broken)
                self.assertEqual(self.good(server.url("/page")), first)
                self.assertEqual(len(server.answer.answers), n + 2)
            with open(path, "rb") as file:
                self.assertEqual(len(file.read()), len(whole))

    def test_taken_away_while_asked(self):
        def answer(request):
            if request.headers["If-None-Match"]:
                for path in self.entries():
                    os.remove(path)
                return 304, [], ""
            return 200, [HTML, ("ETag", '"x"')], LIST

        with Server(answer) as server:
            first = self.good("--ignore-robots", server.url("/page"))
            self.assertEqual(self.good("--ignore-robots", server.url("/page")), first)
            self.assertEqual(len(server.requests), 3)

    def test_killed(self):
        """A run that is killed at any time leaves a cache that the next one can use."""
        body = LIST + "<!-- " + "x" * 300000 + " -->"
        urls = [f"/{n}" for n in range(12)]
        with Server(lambda request: (200, [HTML, ("Cache-Control", "max-age=600")], body)) as server:
            pages = [server.url(path) for path in urls]
            words = [THRESH, "records", "--allow-private", "--ignore-robots", "--delay", "0", "-f", "ndjson", "--cache", self.folder]
            for n in range(8):
                process = subprocess.Popen([*words, *pages], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                time.sleep(0.01 + 0.02 * n)
                process.kill()
                process.wait()
            before = len(server.requests)
            out = self.good("--ignore-robots", *pages)
            self.assertEqual(len(out.splitlines()), 36)
            kept = len(server.requests)
            self.assertEqual(self.good("--ignore-robots", *pages), out)
            self.assertEqual(len(server.requests), kept)
            self.assertLessEqual(kept - before, 12)

    def test_two_at_once(self):
        with Server(Site(("Cache-Control", "max-age=600"))) as server:
            pages = [server.url(f"/{n}") for n in range(10)]
            outs = []
            threads = [threading.Thread(target=lambda: outs.append(self.good(*pages))) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(len(outs), 4)
            self.assertEqual(len(set(outs)), 1)
            self.assertEqual(len(self.entries()), 10)

    def test_bad_folders(self):
        with tempfile.NamedTemporaryFile() as file:
            self.folder = file.name
            self.assertIn("is not a folder, as a cache is", self.fetch("http://127.0.0.1:9/").err)
        self.folder = "/no-such-folder/cache"
        ran = self.fetch("http://127.0.0.1:9/1", "http://127.0.0.1:9/2")
        self.assertIn("/no-such-folder/cache: the folder for the cache cannot be created: ", ran.err)
        self.assertEqual(len(ran.err.splitlines()), 1)

    def test_secrets_are_not_kept(self):
        secret = "s3cr3t/Value"

        def answer(request):
            if request.path == "/echo":
                return 302, [("Location", "/list?key=s3cr3t%2FValue")], ""
            return 200, [HTML, ("X-Echo", secret if request.path == "/header" else ""), ("Set-Cookie", "sid=c00kie")], LIST

        with Server(answer) as server:
            ran = self.fetch("--ignore-robots", "--header", "X-Key: ${KEY}", "--header", "Authorization: ${KEY}",
                             *map(server.url, ("/1", "/echo", "/header")), env={"KEY": secret})
            self.assertEqual(ran.code, 0, ran)
            self.assertEqual(server.requests[0].headers["X-Key"], secret)
        self.assertEqual(len(self.entries()), 1)
        for path in self.entries():
            with open(path, "rb") as file:
                kept = file.read()
            for word in (b"s3cr3t", b"c00kie"):
                self.assertNotIn(word, kept)


if __name__ == "__main__":
    unittest.main()

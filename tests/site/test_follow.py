#!/usr/bin/env python3
"""Next pages are followed as long as they give new records of the same kind, and no further.

    tests/site/test_follow.py THRESH
"""
import json
import os
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from web_server import HTML, Server, run  # noqa: E402

THRESH = os.path.abspath(sys.argv.pop(1))
WORDS = "Bread Salt Snow Country Winter Stone River Glass Iron Copper Garden Lamp Night Harbour".split()


def books(page, count=8):
    """A list whose records differ from page to page."""
    rows = []
    for i in range(page * count, page * count + count):
        title = f"{WORDS[i % 13]} and {WORDS[(i * 5 + page) % 14]} {i}"
        rows.append(f'<li class=book><a href="/b/{i}">{title}</a> <i>by {WORDS[i * 3 % 14]} Doe</i> '
                    f'<b>${i}.50</b>')
    return f"<h1>Books</h1><ul>{''.join(rows)}</ul>"


def link(page, text="Next", attributes="class=next"):
    return f'<div class=pager><a {attributes} href="?page={page}">{text}</a></div>'


def site(answer):
    """A server of one list: answer(number of the page) gives its body, or a status."""
    def respond(request):
        url = urllib.parse.urlsplit(request.path)
        if url.path == "/robots.txt":
            return None
        body = answer(int(dict(urllib.parse.parse_qsl(url.query)).get("page", 1)))
        return body if isinstance(body, tuple) else (200, [HTML], f"<!doctype html><title>Books</title>{body}")
    return Server(respond)


def follow(command, number, *words, **more):
    return run(THRESH, command, "--allow-private", "--delay", "0", "--retries", "0", "--follow", str(number), *words, **more)


class Follow(unittest.TestCase):
    def check(self, answer, number, records, paths, why, code=0, command=("records", "-f", "ndjson")):
        with site(answer) as server:
            ran = follow(command[0], number, *command[1:], server.url("/list"))
            self.assertEqual(ran.code, code, ran)
            self.assertEqual(len(ran.out.splitlines()), records, ran)
            self.assertEqual(server.paths(), paths)
            pages = records // 8
            self.assertIn(f"/list: followed to {pages} page{'' if pages == 1 else 's'}: {why(server)}\n", ran.err)
            return ran

    @staticmethod
    def paths(count):
        return ["/list"] + [f"/list?page={i}" for i in range(2, count + 1)]

    def test_to_the_end(self):
        self.check(lambda p: books(p) + (link(p + 1) if p < 4 else ""), 10, 32, self.paths(4),
                   lambda s: "no link to a next page")

    def test_limit(self):
        self.check(lambda p: books(p) + link(p + 1), 3, 24, self.paths(3),
                   lambda s: f"the limit is reached; the next one is {s.url('/list?page=4')}")
        self.check(lambda p: books(p) + link(p + 1), 1, 8, self.paths(1),
                   lambda s: f"the limit is reached; the next one is {s.url('/list?page=2')}")

    def test_loop(self):
        self.check(lambda p: books(p) + link(p + 1 if p < 3 else 2, attributes="rel=next"), 10, 24, self.paths(3),
                   lambda s: f"the next link leads back to {s.url('/list?page=2')}, which was read already")

    def test_redirected_loop(self):
        self.check(lambda p: books(p) + link(p + 1) if p < 3 else (302, [("Location", "/list?page=2")], ""),
                   10, 16, self.paths(3) + ["/list?page=2"],
                   lambda s: f"the next page is {s.url('/list?page=2')}, which was read already")

    def test_repeats(self):
        """A site that gives its last page for every number."""
        self.check(lambda p: books(min(p, 3)) + link(p + 1), 10, 24, self.paths(4),
                   lambda s: f"{s.url('/list?page=4')} has no new records")

    def test_empty(self):
        self.check(lambda p: (books(p) if p < 3 else "<p>Nothing was found.</p>") + link(p + 1), 10, 16, self.paths(3),
                   lambda s: f"{s.url('/list?page=3')} has no records like them")

    def test_other_kind(self):
        other = "<table>" + "".join(f"<tr><td>Room {i}<td>{i * 7} m<td>free" for i in range(9)) + "</table>"
        self.check(lambda p: (books(p) if p < 3 else other) + link(p + 1), 10, 16, self.paths(3),
                   lambda s: f"{s.url('/list?page=3')} has no records like them")

    def test_broken_link(self):
        ran = self.check(lambda p: books(p) + link(p + 1) if p < 3 else (404, [HTML], "<p>gone"), 10, 16, self.paths(3),
                         lambda s: "the next page could not be read", code=1)
        self.assertIn("/list?page=3: the server answers 404", ran.err)

    def test_numbers_alone(self):
        """A number in a pager is not sure, but what it leads to is; that the last one is missing is no error."""
        def numbers(p):
            pager = " ".join(f"<b>{i}</b>" if i == p else f'<a href="?page={i}">{i}</a>' for i in range(1, 5))
            return books(p) + f"<div class=pager>{pager}</div>" if p < 4 else (404, [HTML], "<p>gone")
        self.check(numbers, 10, 24, self.paths(4), lambda s: f"{s.url('/list?page=4')}: the server answers 404")

    def test_no_list(self):
        with site(lambda p: "<p>Hello" + link(p + 1)) as server:
            ran = follow("records", 5, "-f", "ndjson", server.url("/list"))
            self.assertEqual(server.paths(), ["/list"])
            self.assertIn("followed to 1 page: no list on the page", ran.err)

    def test_robots(self):
        with Server(lambda r: (200, [("Content-Type", "text/plain")], "User-agent: *\nDisallow: /list?page=3\n")
                    if r.path == "/robots.txt" else
                    (200, [HTML], books(len(r.path)) + link(int(r.path[-1]) + 1 if r.path[-1].isdigit() else 2))) as server:
            ran = follow("records", 5, "-f", "ndjson", server.url("/list"))
            self.assertEqual(server.paths(), ["/list", "/list?page=2"])
            self.assertEqual(ran.code, 1)
            self.assertIn("robots.txt", ran.err)

    def test_several_urls_and_files(self):
        with site(lambda p: books(p) + (link(p + 1) if p < 3 else "")) as server, tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.html")
            with open(path, "w", encoding="utf-8") as file:
                file.write(books(7) + link(2))
            ran = follow("records", 5, "-f", "ndjson", "--with-page", server.url("/list"), path, server.url("/list?page=2"))
            self.assertEqual(ran.code, 0, ran)
            pages = [json.loads(line)["page"] for line in ran.out.splitlines()]
            self.assertEqual(list(dict.fromkeys(pages)), [server.url("/list"), server.url("/list?page=2"),
                                                         server.url("/list?page=3"), path])
            self.assertIn("thresh: 1 page is not followed: only URLs are followed\n", ran.err)
            self.assertIn("/list?page=2: followed to 2 pages: no link to a next page\n", ran.err)

    def test_resume(self):
        ran = follow("records", 5, "-f", "ndjson", "--resume", "j", "-o", "o.ndjson", "http://127.0.0.1:1/")
        self.assertEqual(ran.code, 2)
        self.assertIn("--resume cannot be used with --follow", ran.err)


class Wrapper(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.wrapper = os.path.join(self.folder.name, "w.json")

    def tearDown(self):
        self.folder.cleanup()

    def learn(self, answer, number=4):
        with site(answer) as server:
            ran = follow("learn", number, "-o", self.wrapper, server.url("/list"))
            self.assertEqual(ran.code, 0, ran)
            return ran

    def test_learn_and_extract(self):
        ran = self.learn(lambda p: books(p) + (link(p + 1) if p < 4 else ""))
        self.assertIn("learnt from 32 records on 4 pages", ran.err)
        with open(self.wrapper, encoding="utf-8") as file:
            rule = json.load(file)["next"]
        self.assertEqual((rule["text"], rule["found"], rule["pages"]), ("Next", 3, 4))
        shown = run(THRESH, "show", self.wrapper)
        self.assertIn('div.pager > a.next with the text "Next", on 3 of 4 pages\n', shown.out)
        # The rule comes first: a link that looks better leads elsewhere.
        lure = '<a rel=next class=next href="/elsewhere?page=2">Next page</a>'
        with site(lambda p: books(p) + lure + (link(p + 1) if p < 3 else "")) as server:
            ran = follow("extract", 9, "-w", self.wrapper, "-f", "ndjson", server.url("/list"))
            self.assertEqual(len(ran.out.splitlines()), 24, ran)
            self.assertEqual(server.paths()[:3], Follow.paths(3))

    def test_monitor(self):
        self.learn(lambda p: books(p) + (link(p + 1) if p < 4 else ""))
        with site(lambda p: books(p) + (link(p + 1) if p < 3 else "")) as server:
            ran = follow("monitor", 9, "-w", self.wrapper, server.url("/list"))
            self.assertEqual(ran.code, 0, ran)
            line = json.loads(ran.out)
            self.assertEqual((line["pages"], line["records"], line["verdict"]), (3, 24, "fine"))
        # The link has another form: it is followed all the same, and the change is told.
        with site(lambda p: books(p) + (link(p + 1, "weiter", "class=w") if p < 3 else "")) as server:
            ran = follow("monitor", 9, "-w", self.wrapper, server.url("/list"))
            self.assertEqual(ran.code, 0, ran)
            line = json.loads(ran.out)
            self.assertEqual((line["pages"], line["verdict"], line["drifting"]), (3, "changed", []))
            self.assertEqual([(e["field"], e["test"]) for e in line["changed"]], [("next page", "next")])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])

#!/usr/bin/env python3
"""thresh crawl on the generated site: every record once, no page twice, whatever happens.

    tests/site/test_crawl.py THRESH
"""
import collections
import concurrent.futures
import csv
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

import local_site

THRESH = os.path.abspath(sys.argv.pop(1))
ENV = dict(os.environ, LC_ALL="C", no_proxy="*")
Ran = collections.namedtuple("Ran", "code out err")


def command(*words):
    return [THRESH, "crawl", "--allow-private", "--delay", "0", *words]


def crawl(*words, folder=None, timeout=60):
    ran = subprocess.run(command(*words), capture_output=True, text=True, cwd=folder, env=ENV, timeout=timeout)
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def records_of(text):
    return [json.loads(line) for line in text.splitlines()]


def members(data):
    """The bytes of each member of a gzip file."""
    while data:
        unpacker = zlib.decompressobj(31)
        yield unpacker.decompress(data)
        data = unpacker.unused_data


def isbns(records):
    return [record["isbn"] for record in records]


def asked_for(site):
    """How often each page was asked for, besides robots.txt and answers that ask to come again."""
    return collections.Counter(path for _, _, path, status in site.requests if path != "/robots.txt" and status < 400)


class Case(unittest.TestCase):
    maxDiff = 600

    def setUp(self):
        self.keeper = tempfile.TemporaryDirectory(prefix="thresh-crawl-")
        self.folder = self.keeper.name
        self.addCleanup(self.keeper.cleanup)

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def check_once(self, site, more=0):
        """No page was asked for twice, but for so many."""
        twice = {path: count for path, count in asked_for(site).items() if count > 1}
        self.assertLessEqual(sum(count - 1 for count in twice.values()), more, twice)


class Whole(Case):
    def test_every_record_once(self):
        with local_site.Site(lists=40, per_list=8) as site:
            ran = crawl("-f", "ndjson", site.url("/shop/"))
            records = records_of(ran.out)
            self.assertEqual(len(records), 320, ran.err)
            # Those that robots.txt disallows have the columns of the list alone.
            self.assertEqual([isbn for isbn in isbns(records) if isbn], [item["isbn"] for item in site.truth()])
            self.assertEqual([record["title"] for record in records], [item.title for item in site.items])
            for record, item in zip(records, site.items):
                self.assertEqual(record["price"], "$" + item.price)
                if record["isbn"]:
                    self.assertEqual((record["isbn"], record["pages"], record["subject"], record["about"]),
                                     (item.isbn, item.pages, item.subject, item.about))
            self.check_once(site)
            self.assertFalse([path for path in site.counts if path.startswith("/private/")])
            self.assertEqual(ran.code, 1)
            self.assertIn("list pages: learnt from", ran.err)
            self.assertIn("detail pages: learnt from 8 records on 8 pages", ran.err)
            self.assertIn("following the links of column title_url", ran.err)
            self.assertIn("40 list pages, 318 detail pages, 320 records, 2 failures", ran.err)
            self.assertIn("2 pages: not fetched, since the site's robots.txt disallows it", ran.err)

    def test_busy_and_slow_servers(self):
        with local_site.Site(lists=3, busy=1, shaky=1, slowly=2, private=0) as site:
            ran = crawl("-q", "-f", "ndjson", site.url("/shop/"))
            self.assertEqual((ran.code, ran.err), (0, ""))
            self.assertEqual(isbns(records_of(ran.out)), [item["isbn"] for item in site.truth()])
            busy = [at for at, _, path, _ in site.requests if path.startswith("/busy/")]
            self.assertGreater(busy[1] - busy[0], 0.95)  # Retry-After: 1

    def test_delay(self):
        with local_site.Site(lists=2, per_list=6, busy=0, shaky=0, slowly=0, private=0) as site:
            self.assertEqual(crawl("-q", "--delay", "0.08", site.url("/shop/")).code, 0)
            times = [at for at, _, path, _ in site.requests if path != "/robots.txt"]
            self.assertGreater(min(after - before for before, after in zip(times, times[1:])), 0.07)

    def test_loop_ends(self):
        with local_site.Site(lists=2) as site:
            ran = crawl("-f", "ndjson", site.url("/loop/"))
            self.assertEqual(isbns(records_of(ran.out)), [item.isbn for item in site.loop_items], ran.err)
            self.assertEqual(ran.code, 0)
            self.check_once(site, more=0)

    def test_several_lists(self):
        with local_site.Site(lists=2, private=0, busy=0) as site:
            ran = crawl("-q", "-f", "ndjson", site.url("/shop/"), site.url("/loop/"), site.url("/shop/#top"))
            self.assertEqual(sorted(isbns(records_of(ran.out))), sorted(item.isbn for item in site.items + site.loop_items))
            self.check_once(site)

    def test_gone(self):
        with local_site.Site(lists=3, gone=2, private=0, busy=0, shaky=0) as site:
            ran = crawl("-f", "ndjson", site.url("/shop/"))
            records = records_of(ran.out)
            self.assertEqual((len(records), isbns(records).count(None), ran.code), (30, 2, 1))
            self.assertIn("2 pages: the server answers 404", ran.err)


class Sessions(Case):
    def test_login(self):
        with local_site.Site(lists=2) as site:
            with open(self.path("site.json"), "w", encoding="utf-8") as file:
                json.dump({"site": site.address, "login": {
                    "page": "/login", "url": "/login", "ok": "session",
                    "form": {"user": local_site.USER, "password": {"env": "SHOP_PASSWORD"}}}}, file)
            ran = subprocess.run(command("-q", "-f", "ndjson", "--site-file", self.path("site.json"), "--project",
                                         self.path("p.thresh"), "--warc", self.path("a.warc.gz"), site.url("/members/")),
                                 capture_output=True, text=True, env=dict(ENV, SHOP_PASSWORD=local_site.PASSWORD))
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            self.assertEqual(isbns(records_of(ran.stdout)), [item.isbn for item in site.member_items])
            with open(self.path("a.warc.gz"), "rb") as file:
                archive = b"".join(members(file.read()))
            for secret in (local_site.PASSWORD, site.session):
                self.assertNotIn(secret.encode(), archive)
            alone = crawl("-f", "ndjson", site.url("/members/"))
            self.assertEqual((alone.code, alone.out), (1, ""))
            self.assertIn("looks like a login page", alone.err)

    def test_cache(self):
        with local_site.Site(lists=3, private=0, busy=0, shaky=0) as site:
            words = ["-q", "-f", "ndjson", "--cache", self.path("cache"), "--cache-age", "3600", site.url("/shop/")]
            first = crawl(*words)
            self.assertEqual(isbns(records_of(first.out)), [item.isbn for item in site.items], first.err)
            second = crawl(*words)
            self.assertEqual((second.code, second.out), (0, first.out))
            self.check_once(site)


class Rendered(Case):
    def test_drawn_by_scripts(self):
        if "--render" not in subprocess.run([THRESH, "help", "crawl"], capture_output=True, text=True).stdout:
            self.skipTest("thresh cannot render")
        if not shutil.which("chromium"):
            self.skipTest("no chromium")
        with local_site.Site(lists=2) as site:
            plain = crawl("-f", "ndjson", site.url("/js/"))
            self.assertNotEqual(isbns(records_of(plain.out)) if plain.code == 0 else [], [item.isbn for item in site.js_items])
            ran = crawl("-q", "-f", "ndjson", "--render", "--max-pages", "4", site.url("/js/"), timeout=200)
            self.assertEqual(isbns(records_of(ran.out)), [item.isbn for item in site.js_items[:3]], ran.err)
            ran = crawl("--render", "--scroll", "10", "--max-pages", "3", site.url("/scroll/"), timeout=200)
            self.assertIn(f"learnt from {local_site.SCROLL_ROWS} records on 1 page", ran.err)


class Wrappers(Case):
    def test_saved_wrappers_give_the_same(self):
        with local_site.Site(lists=4, private=0, busy=0, shaky=0) as site:
            first = crawl("-q", "-f", "ndjson", "--save", self.path("wrappers"), site.url("/shop/"))
            self.assertEqual(sorted(os.listdir(self.path("wrappers"))), ["detail.json", "list.json"])
            both = ["--list", self.path("wrappers/list.json"), "--detail", self.path("wrappers/detail.json")]
            again = crawl("-f", "ndjson", "--link", "title_url", *both, site.url("/shop/"))
            self.assertEqual((again.code, again.out), (0, first.out))
            self.assertNotIn("learnt", again.err)
            # One of them alone: the other is learnt.
            half = crawl("-f", "ndjson", *both[:2], site.url("/shop/"))
            self.assertEqual(half.out, first.out)
            wrong = crawl("--link", "nowhere", *both, site.url("/shop/"))
            self.assertEqual(wrong.code, 1)
            self.assertIn('the list has no column "nowhere" (columns with links: title_url)', wrong.err)

    def test_names_that_both_have(self):
        with local_site.Site(lists=2, private=0, busy=0, shaky=0) as site:
            record = records_of(crawl("-q", "-f", "ndjson", site.url("/shop/")).out)[0]
            self.assertEqual(record["title"], record["detail_title"])
            self.assertLess(list(record).index("title_url"), list(record).index("detail_title"))


class Bounds(Case):
    def test_max_pages(self):
        with local_site.Site(lists=9, private=0, busy=0, shaky=0) as site:
            ran = crawl("-f", "ndjson", "--max-pages", "25", site.url("/shop/"))
            pages = sum(count for path, count in asked_for(site).items() if not path.startswith(("/go/", "/old/")))
            self.assertTrue(20 < pages <= 25, pages)
            self.assertEqual(isbns(records_of(ran.out)), [item.isbn for item in site.items[:len(records_of(ran.out))]])
            self.assertIn("reached the limit of 25 pages", ran.err)
            self.assertEqual(ran.code, 0)

    def test_other_hosts(self):
        with local_site.Site(lists=2) as site:
            first = crawl("-q", "--save", self.path("w"), "-f", "ndjson", site.url("/loop/"))
            wrappers = ["--list", self.path("w/list.json"), "--detail", self.path("w/detail.json")]
            self.assertEqual(first.code, 0)
            site.forget()
            near = crawl("-f", "ndjson", *wrappers, site.url("/abroad/"))
            self.assertEqual(isbns(records_of(near.out)), [None] * 6)
            self.assertIn("links to other hosts are not followed", near.err)
            self.assertEqual(list(asked_for(site)), ["/abroad/"])
            far = crawl("-f", "ndjson", "--other-hosts", *wrappers, site.url("/abroad/"))
            self.assertEqual(isbns(records_of(far.out)), [item.isbn for item in site.loop_items[:6]])


class Resume(Case):
    def test_killed(self):
        random_ = random.Random(7)
        with local_site.Site(lists=24, slow=0.1, busy=1) as site:
            words = command("-q", "--delay", "0.005", "--project", self.path("shop.thresh"), "-o", self.path("out.csv"), "--warc",
                            self.path("shop.warc.gz"), site.url("/shop/"))
            truth = sorted(item["isbn"] for item in site.truth())
            kills, code = 0, None
            while code is None:
                process = subprocess.Popen(words, stderr=subprocess.DEVNULL, env=ENV)
                try:
                    code = process.wait(random_.uniform(0.02, 0.25) if kills < 12 else 60)
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    process.wait()
                    kills += 1
                if os.path.exists(self.path("out.csv")):  # it is there whole or not at all
                    with open(self.path("out.csv"), encoding="utf-8", newline="") as file:
                        rows = list(csv.DictReader(file))
                    self.assertEqual(len(rows), 240)
                    self.assertEqual(sorted(row["isbn"] for row in rows if row["isbn"]), truth)
            self.assertGreater(kills, 3)
            self.assertTrue(os.path.exists(self.path("out.csv")))
            self.check_once(site, more=kills)  # what was on its way when the process died
            self.check_archive(site)

    def check_archive(self, site):
        """All pages are in the archive, which was cut and gone on with."""
        ran = subprocess.run([THRESH, "records", "-f", "pages", self.path("shop.warc.gz")], capture_output=True, text=True)
        pages = {json.loads(line)["page"] for line in ran.stdout.splitlines()}
        self.assertEqual(ran.returncode, 0, ran.stderr)
        wanted = {site.url(path) for path, _ in asked_for(site).items() if not path.startswith(("/go/", "/old/"))}
        self.assertEqual(pages, wanted)

    def test_finished(self):
        with local_site.Site(lists=4, busy=0, shaky=0, private=1, gone=1) as site:
            words = ["--project", self.path("shop.thresh"), "-f", "ndjson", site.url("/shop/")]
            first = crawl(*words)
            self.assertIn("1 page: the server answers 404", first.err)
            site.forget()
            second = crawl(*words)
            self.assertEqual(second.out, first.out)
            self.assertEqual(second.code, 1)
            self.assertIn("; 0 fetched now", second.err)
            self.assertEqual(set(site.counts), {"/robots.txt"})  # of the page that it disallows
            again = crawl("--again", *words)
            self.assertEqual(again.out, first.out)
            self.assertEqual(sum(asked_for(site).values()),
                             sum(path != "/robots.txt" and not path.startswith("/gone/") for path in site.counts))
            self.check_once(site)
            listed = subprocess.run([THRESH, "project", "list", self.path("shop.thresh"), "-f", "ndjson"],
                                    capture_output=True, text=True, check=True)
            self.assertEqual(json.loads(listed.stdout)["wrappers"], 2)

    def test_larger_bound_goes_on(self):
        with local_site.Site(lists=6, private=0, busy=0, shaky=0) as site:
            words = ["-q", "--project", self.path("shop.thresh"), "-f", "ndjson", site.url("/shop/")]
            self.assertLess(len(records_of(crawl("--max-pages", "20", *words).out)), 20)
            ran = crawl(*words)
            self.assertEqual(isbns(records_of(ran.out)), [item.isbn for item in site.items])
            self.check_once(site)

    def test_interrupted(self):
        with local_site.Site(lists=30) as site:
            process = subprocess.Popen(command("-q", "--delay", "0.05", "-o", self.path("out.csv"), site.url("/shop/")),
                                       stderr=subprocess.PIPE, text=True, env=ENV)
            while len(site.requests) < 10:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=20)
            self.assertEqual(process.returncode, -signal.SIGINT, told)
            self.assertEqual(os.listdir(self.folder), [])


class Output(Case):
    def test_formats(self):
        with local_site.Site(lists=2, private=0, busy=0, shaky=0) as site:
            words = ["-q", "--project", self.path("shop.thresh"), site.url("/shop/")]
            for name in ("out.csv", "out.db", "out.json", "out.tsv", "out.ndjson", "out.xlsx", "out.md"):
                ran = crawl("-o", self.path(name), *words)
                self.assertEqual((ran.code, ran.err), (0, ""), name)
            with open(self.path("out.csv"), encoding="utf-8", newline="") as file:
                self.assertEqual(isbns(csv.DictReader(file)), [item.isbn for item in site.items])
            self.assertEqual(isbns(json.loads(self.read("out.json"))), [item.isbn for item in site.items])
            with sqlite3.connect(self.path("out.db")) as db:
                self.assertEqual([row[0] for row in db.execute("SELECT isbn FROM records")], [item.isbn for item in site.items])
            ran = crawl("-f", "ndjson", "--with-page", *words)
            self.assertEqual(records_of(ran.out)[0]["page"], site.url(site.items[0].link))
            self.check_once(site)

    def test_wrong_use(self):
        for words, message in (((), "crawl needs URL"),
                               (("--again", "http://127.0.0.1:9/"), "--again needs --project"),
                               (("--warc", "x.warc", "http://127.0.0.1:9/"), "must end in .warc.gz"),
                               (("-o", "out.doc", "http://127.0.0.1:9/"), "cannot write .doc files")):
            ran = crawl(*words, folder=self.folder)
            self.assertEqual(ran.code, 2, ran.err)
            self.assertIn(message, ran.err)
        for words, message in ((("page.html",), "page.html: a crawl begins at an http or https URL"),
                               (("--list", "none.json", "http://127.0.0.1:9/"), "none.json: cannot be read"),
                               (("--project", "/dev/null/x", "http://127.0.0.1:9/"), "/dev/null/x"),
                               (("--retries", "0", "http://127.0.0.1:9/"), "no list page could be fetched")):
            ran = crawl(*words, folder=self.folder)
            self.assertEqual((ran.code, ran.out), (1, ""), ran.err)
            self.assertIn(message, ran.err)

    def test_no_list(self):
        with local_site.Site(lists=2) as site:
            for path in ("/", "/item/1"):
                ran = crawl("-o", self.path("out.csv"), site.url(path))
                self.assertEqual(ran.code, 1, ran.err)
                self.assertIn("thresh: ", ran.err)
                self.assertFalse(os.path.exists(self.path("out.csv")))


class Hostile(Case):
    LIMITS = ["--timeout", "1", "--max-bytes", "1M", "--retries", "0"]

    def test_lists(self):
        with local_site.Site(lists=2) as site:
            urls = [site.url("/hostile/" + kind) for kind in local_site.HOSTILE]
            began = time.monotonic()
            ran = crawl(*self.LIMITS, *urls)
            self.assertLess(time.monotonic() - began, 20)
            self.assertEqual((ran.code, ran.out), (1, ""))
            for kind, url in zip(local_site.HOSTILE, urls):
                if kind not in ("long", "cookies", "headers"):  # these are pages
                    self.assertIn(url + ": ", ran.err)

    def test_details(self):
        with local_site.Site(lists=2, per_list=12) as site:
            ran = crawl(*self.LIMITS, "-f", "ndjson", "--project", self.path("p.thresh"), "--warc", self.path("a.warc.gz"),
                        site.url("/trap/"))
            records = records_of(ran.out)
            self.assertEqual(ran.code, 1)
            self.assertEqual(isbns(records)[:12], [item.isbn for item in site.loop_items[:12]], ran.err)
            self.assertEqual(len(records), 24)
            self.assertIn("records, ", ran.err)
            check = subprocess.run([THRESH, "records", "-q", self.path("a.warc.gz")], capture_output=True, text=True)
            self.assertEqual(check.returncode, 0, check.stderr)


class Together(unittest.TextTestRunner):
    """Runs several tests at once: most of the time they wait for a server."""

    def run(self, test):
        result = self._makeResult()
        tests = [case for group in test for case in (group if isinstance(group, unittest.TestSuite) else [group])]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda case: case.run(result), tests))
        result.printErrors()
        print(f"{result.testsRun} tests, {len(result.failures) + len(result.errors)} failed", file=sys.stderr)
        return result


if __name__ == "__main__":
    unittest.main(testRunner=Together)

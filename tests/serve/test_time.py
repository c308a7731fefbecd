#!/usr/bin/env python3
"""Sites over time: next pages, pages again, schedules, alarms, and runs beside each other.

    test_time.py THRESH [--sanitized]
"""
import calendar
import http.server
import json
import os
import sqlite3
import sys
import threading
import time
import unittest

from test_serve import PATIENCE, THRESH, Server

WORDS = "amber birch cedar dune ember fjord grove heath islet juniper knoll lagoon marsh north orchard pine quarry ridge".split()
ITEMS = 8  # of a list page


def book(number):
    word, other = WORDS[number % len(WORDS)], WORDS[number * 7 % len(WORDS)]
    return {"title": f"The {word} and the {other} {number}", "author": f"{other.title()} {word.title()}son",
            "price": f"{5 + number * 3 % 40}.{number * 17 % 90 + 10} EUR"}


class ShopSite(http.server.ThreadingHTTPServer):
    """A shop with five list pages. `look` is its template, `prices` adds to each price, `fail` has paths that do not
    work, and `posted` what was posted to it."""
    daemon_threads = True

    def __init__(self, pages=5):
        self.pages, self.look, self.prices, self.fail, self.posted, self.asked = pages, "old", 0, {}, [], []
        self.delay = 0
        site = self

        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                site.asked.append(self.path)
                name = self.path.split("?")[0].strip("/")
                number = int(name[4:]) if name.startswith("list") and name[4:].isdigit() else 0
                status = site.fail.get(self.path, 200 if 1 <= number <= site.pages else 404)
                if status == 200:
                    time.sleep(site.delay)
                self.send_response(status)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(site.page(number).encode() if status == 200 else b"no")

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                site.posted.append((self.path, self.headers, body))
                self.send_response(site.fail.get(self.path, 200))
                self.end_headers()
                self.wfile.write(b"thank you")

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Page)
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def page(self, number):
        rows = []
        for i in range((number - 1) * ITEMS + 1, number * ITEMS + 1):
            one = book(i)
            price = f"{float(one['price'].split()[0]) + self.prices:.2f} EUR"
            rows.append(f"<li class=book><h3><a href='/book{i}'>{one['title']}</a></h3><p class=by>{one['author']}</p><b>{price}</b></li>"
                        if self.look == "old" else
                        f"<tr><td><i>{price}</i></td><td><span><a href='/book{i}'>{one['title']}</a></span></td><td>{one['author']}</td></tr>")
        rows = "".join(rows)
        middle = f"<ul class=books>{rows}</ul>" if self.look == "old" else f"<table class=t><tbody>{rows}</tbody></table>"
        links = "".join(f"<a href='/list{n}'>{n}</a> " if n != number else f"<b>{n}</b> " for n in range(1, self.pages + 1))
        onward = f"<a rel=next href='/list{number + 1}'>Next page</a>" if number < self.pages else ""
        return (f"<!doctype html><title>Books, page {number}</title><h1>All books</h1>{middle}"
                f"<nav class=pages>{links}{onward}</nav><footer>Our shop</footer>")

    def url(self, path="list1"):
        return f"http://127.0.0.1:{self.server_port}/{path}"

    def handle_error(self, *_):
        pass

    def close(self):
        self.shutdown()
        self.server_close()


class Time(unittest.TestCase):
    def setUp(self):
        self.shop = ShopSite()
        self.addCleanup(self.shop.close)
        self.server = Server("--allow-private", "--delay", "0", "--retries", "0")
        self.addCleanup(lambda: self.server.close())

    def follow(self, most=10, **more):
        return self.server.job("sites/shop/follow", {"url": self.shop.url(), "pages": most, **more})

    def pages(self, more=""):
        return self.server.good("GET", "sites/shop/pages" + more)["pages"]

    def test_next_pages(self):
        came = self.follow()
        self.assertEqual((came["new"], came["changed"], came["same"], came["failed"]), (5, 0, 0, []))
        self.assertEqual([(one["url"], one["pages"], one["end"]) for one in came["ended"]], [(self.shop.url(), 5, "no-link")])
        self.assertEqual([page["name"] for page in self.pages()], [self.shop.url(f"list{n}") for n in range(1, 6)])
        self.assertEqual(sorted(came["added"]), [page["id"] for page in self.pages()])
        sources = self.server.good("GET", "sites/shop/sources")
        self.assertEqual(sources["sources"], [{"url": self.shop.url(), "pages": 10, "render": False}])
        # once more: all is there
        came = self.follow()
        self.assertEqual((came["new"], came["changed"], came["same"], came["added"]), (0, 0, 5, []))
        # the limit
        came = self.server.job("sites/other/follow", {"url": self.shop.url(), "pages": 2})
        self.assertEqual([(one["pages"], one["end"]) for one in came["ended"]], [(2, "limit")])
        self.assertEqual(came["new"], 2)
        self.assertTrue(self.server.good("DELETE", "sites/shop/sources", {"url": self.shop.url()})["removed"])
        self.assertEqual(self.server.good("GET", "sites/shop/sources")["sources"], [])

    def test_next_pages_that_end_early(self):
        self.shop.fail["/list3"] = 500
        came = self.follow()
        self.assertEqual(came["new"], 2)
        self.assertEqual(came["ended"][0]["end"], "failed")
        self.assertEqual([one["url"] for one in came["failed"]], [self.shop.url("list3")])
        self.assertIn("500", came["failed"][0]["reason"])
        self.shop.fail["/list1"] = 404
        job = self.server.wait_for_job(self.server.good("POST", "sites/none/follow", {"url": self.shop.url()})["job"])
        self.assertEqual(job["state"], "failed")
        self.assertIn("404", job["message"])
        self.assertEqual(self.server.good("GET", "sites/none/sources")["sources"], [])
        for bad in ({}, {"url": "file:///etc/passwd"}, {"url": self.shop.url(), "pages": 0}, {"url": self.shop.url(), "pages": "x"},
                    {"url": self.shop.url(), "pages": 10**9}, {"url": 5}):
            self.assertEqual(self.server.ask("POST", "sites/shop/follow", bad)[0], 400, bad)

    def test_pages_again(self):
        self.follow(3)
        self.server.good("POST", "sites/shop/pages?name=file.html", b"<p>no URL")
        self.server.good("POST", f"sites/shop/pages?name=saved.html&url={self.shop.url('list5')}", b"<p>saved")
        self.shop.prices = 1
        self.shop.fail["/list2"] = 503
        came = self.server.job("sites/shop/fetch", {})
        # the chain breaks at the page that fails; what it had behind it is asked for by itself
        self.assertEqual((came["new"], came["changed"], came["same"]), (0, 3, 0))
        self.assertEqual([one["url"] for one in came["failed"]], [self.shop.url("list2")])
        names = [page["name"] for page in self.pages("?all=1")]
        self.assertEqual(names.count(self.shop.url("list1")), 2)
        self.assertEqual(names.count("saved.html"), 2)  # under its own name
        self.assertEqual(names.count("file.html"), 1)
        # those that were chosen
        self.shop.fail.clear()
        chosen = next(page["id"] for page in self.pages() if page["name"] == self.shop.url("list2"))
        came = self.server.job("sites/shop/fetch", {"pages": [chosen]})
        self.assertEqual((came["changed"], came["same"]), (1, 0))
        came = self.server.job("sites/shop/fetch", {})
        self.assertEqual((came["changed"], came["same"]), (0, 4))
        # nothing to fetch
        file = next(page["id"] for page in self.pages() if page["name"] == "file.html")
        job = self.server.wait_for_job(self.server.good("POST", "sites/shop/fetch", {"pages": [file]})["job"])
        self.assertEqual((job["state"], "URL" in job["message"]), ("failed", True))


class Schedules(Time):
    """Runs that come by themselves."""
    for name in [name for name in dir(Time) if name.startswith("test_")]:
        locals()[name] = None  # those are above

    def setUp(self):
        super().setUp()
        self.follow(3)
        self.learn(self.server)

    def learn(self, server):
        learnt = server.good("POST", "sites/shop/learn", {})
        server.good("POST", "sites/shop/wrappers", {"name": "books", "wrapper": learnt["wrapper"]})

    def restart(self, *options, kill=False):
        if kill:
            self.server.process.kill()
            self.server.process.wait()
            self.server.process.stdout.close()
        else:
            self.server.stop()
        self.server.start("--allow-private", "--delay", "0", "--retries", "0", *options)

    def plan(self, **more):
        return self.server.good("PUT", "sites/shop/schedules", {"wrapper": "books", "every": 1, **more})

    def schedule(self):
        return self.server.good("GET", "sites/shop/schedules")["schedules"][0]

    def runs(self, server=None):
        return [run for run in (server or self.server).good("GET", "sites/shop/runs")["runs"] if run["finished"]]

    def until(self, good, what, seconds=20):
        end = time.monotonic() + seconds * min(PATIENCE, 3)
        while time.monotonic() < end:
            came = good()
            if came:
                return came
            time.sleep(0.05)
        raise AssertionError(f"never: {what}")

    def until_runs(self, count):
        return self.until(lambda: len(self.runs()) >= count and self.runs(), f"{count} runs")

    def stop_schedule(self):
        self.assertTrue(self.server.good("DELETE", "sites/shop/schedules", {"wrapper": "books"})["removed"])

    def test_runs_by_itself(self):
        self.plan()
        runs = self.until_runs(2)
        self.assertEqual({(run["command"], run["wrapper"], run["pages"], run["records"], run["verdict"]) for run in runs},
                         {("monitor", "books", 3, 24, "fine")})
        last = self.until(lambda: self.schedule()["last"], "what came of it")
        self.assertEqual((last["verdict"], last["pages"], last["records"], last["missed"]), ("fine", 3, 24, 0))
        self.assertIn(last["run"], [run["id"] for run in self.runs()])
        # a pause
        self.plan(paused=True)
        self.until(lambda: not self.schedule()["running"], "the end of the run")
        count = len(self.runs())
        time.sleep(2)
        self.assertEqual(len(self.runs()), count)
        self.stop_schedule()
        self.assertEqual(self.server.good("GET", "sites/shop/schedules")["schedules"], [])
        # how full the fields were
        history = self.server.good("GET", "sites/shop/history?wrapper=books&count=2")["runs"]
        self.assertEqual(len(history), 2)
        fields = {one["field"]: (one["filled"], one["records"]) for one in history[0]["fields"]}
        self.assertEqual([fields[name] for name in ("title", "price", "title_url")], 3 * [(24, 24)])

    def test_times(self):
        day = self.server.good("PUT", "sites/shop/schedules", {"wrapper": "books", "at": "06:30"})
        when = time.localtime(calendar.timegm(time.strptime(day["next"], "%Y-%m-%dT%H:%M:%SZ")))
        self.assertEqual((when.tm_hour, when.tm_min, when.tm_sec), (6, 30, 0))
        self.assertEqual(self.schedule()["at"], "06:30")
        hour = self.server.good("PUT", "sites/shop/schedules", {"wrapper": "books", "every": 3600})
        self.assertGreater(hour["next"], time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3500)))
        for bad in ({}, {"every": 0}, {"every": -5}, {"every": "often"}, {"every": 10**12}, {"at": "25:00"}, {"at": "6:30"}, {"at": "06:60"},
                    {"at": ""}, {"every": 60, "webhook": "ftp://x"}, {"every": 60, "webhook": "http:/" + "x" * 3000}):
            self.assertEqual(self.server.ask("PUT", "sites/shop/schedules", {"wrapper": "books", **bad})[0], 400, bad)
        self.assertEqual(self.server.ask("PUT", "sites/shop/schedules", {"every": 60})[0], 400)
        self.assertEqual(self.server.ask("PUT", "sites/shop/schedules", {"wrapper": "none", "every": 60})[0], 404)
        self.assertEqual(self.server.ask("PUT", "sites/shop/schedules", {"wrapper": "books", "every": 60, "command": "true"})[0], 403)

    def test_drift_posts_an_alarm(self):
        self.plan(webhook=self.shop.url("hook?secret=1"))
        self.until_runs(1)
        self.assertEqual(self.shop.posted, [])
        self.shop.look = "new"
        path, headers, body = self.until(lambda: self.shop.posted, "an alarm")[0]
        self.plan(paused=True)
        self.assertEqual((path, headers["Content-Type"]), ("/hook?secret=1", "application/json"))
        told = json.loads(body)
        self.assertEqual((told["site"], told["extractor"], told["verdict"], told["test"], told["pages"]), ("shop", "books", "drift", False, 3), told)
        self.assertTrue(any(one["verdict"] == "drift" for one in told["fields"]))
        self.assertNotIn("http", body.decode())
        run = next(run for run in self.runs() if run["id"] == told["run"])
        self.assertEqual((run["verdict"], run["records"]), ("drift", 0))  # such records are not kept
        alarm = self.until(lambda: self.schedule()["alarm"], "what came of the alarm")
        self.assertEqual([(one["kind"], one["ok"]) for one in alarm["sent"]], [("webhook", True)])
        verdicts = self.server.good("GET", f"runs/{run['id']}/verdicts")["verdicts"]
        self.assertTrue(verdicts[0]["field"] is None and verdicts[0]["evidence"]["pages"], verdicts[0])

    def test_failure_posts_an_alarm(self):
        for number in range(1, 4):
            self.shop.fail[f"/list{number}"] = 503
        self.shop.fail["/hook"] = 500
        self.plan(webhook=self.shop.url("hook"))
        told = json.loads(self.until(lambda: self.shop.posted, "an alarm")[0][2])
        self.assertEqual((told["verdict"], told["pages"]), ("failed", 0))
        self.assertEqual(self.runs()[-1]["verdict"], "failed")
        alarm = self.until(lambda: self.schedule()["alarm"], "what came of the alarm")
        self.assertEqual(alarm["sent"][0]["ok"], False)
        self.assertIn("500", alarm["sent"][0]["words"])

    def test_test_alarm(self):
        self.plan(every=3600, webhook=self.shop.url("hook"))
        came = self.server.job("sites/shop/alarm", {"wrapper": "books"})
        self.assertEqual([(one["kind"], one["ok"]) for one in came["sent"]], [("webhook", True)])
        self.assertEqual(json.loads(self.shop.posted[0][2])["test"], True)
        self.assertEqual(self.schedule()["alarm"], came)
        self.plan(every=3600)  # nobody to tell
        job = self.server.wait_for_job(self.server.good("POST", "sites/shop/alarm", {"wrapper": "books"})["job"])
        self.assertEqual(job["state"], "failed")

    def test_private_webhook(self):
        self.server.stop()
        self.server.start()
        self.plan(every=3600, webhook=self.shop.url("hook"))
        came = self.server.job("sites/shop/alarm", {"wrapper": "books"})
        self.assertEqual((came["sent"][0]["ok"], self.shop.posted), (False, []))
        self.assertIn("--allow-private", came["sent"][0]["words"])
        self.plan(every=3600, webhook=f"http://me:secret@127.0.0.1:{self.shop.server_port}/")
        self.assertNotIn("secret", self.server.job("sites/shop/alarm", {"wrapper": "books"})["sent"][0]["words"])

    def test_command(self):
        self.restart("--allow-commands")
        told = os.path.join(self.server.folder, "told")
        self.plan(every=3600, command=f"cat > '{told}'; echo done; env | grep -c THRESH_TOKEN; sleep 100 >/dev/null 2>&1 & exit 3")
        came = self.server.job("sites/shop/alarm", {"wrapper": "books"})["sent"][0]
        self.assertEqual((came["kind"], came["ok"]), ("command", False))
        self.plan(every=3600, command=f"cat > '{told}'; echo done; env | grep -c THRESH_TOKEN || true")
        came = self.server.job("sites/shop/alarm", {"wrapper": "books"})["sent"][0]
        self.assertEqual((came["kind"], came["ok"], came["words"]), ("command", True, "exit status 0: done\n0\n"))
        with open(told, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["extractor"], "books")
        # a server that does not allow it does not run what another one has stored
        self.restart()
        os.unlink(told)
        came = self.server.job("sites/shop/alarm", {"wrapper": "books"})["sent"][0]
        self.assertEqual((came["ok"], "--allow-commands" in came["words"], os.path.exists(told)), (False, True, False))

    def test_missed_times(self):
        self.plan(every=3600)
        self.server.stop()
        with sqlite3.connect(self.server.project) as project:
            project.execute("UPDATE schedule SET next = next - 4 * 3600 - 1000")
        self.server.start("--allow-private", "--delay", "0")
        self.until_runs(1)
        last = self.until(lambda: self.schedule()["last"], "what came of it")
        self.assertEqual(last["missed"], 4)
        time.sleep(1.5)
        self.assertEqual(len(self.runs()), 1)  # once for all of them
        # the clock was put back: not in a year, but in an hour
        with sqlite3.connect(self.server.project) as project:
            project.execute("UPDATE schedule SET next = next + 365 * 24 * 3600")
        limit = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3700))
        self.until(lambda: self.schedule()["next"] < limit, "a time that is not too far")

    def test_killed_in_the_middle(self):
        self.shop.delay = 1
        self.plan(every=3600)
        with sqlite3.connect(self.server.project) as project:
            project.execute("UPDATE schedule SET next = 0")
        asked = len(self.shop.asked)
        self.until(lambda: len(self.shop.asked) > asked, "a fetch")
        self.restart(kill=True)
        self.shop.delay = 0
        self.assertTrue(self.schedule()["running"])  # of the one that died
        runs = self.until(lambda: self.runs(), "a run", 40)
        self.assertEqual([(run["verdict"], run["records"]) for run in runs], [("fine", 24)])
        self.until(lambda: not self.schedule()["running"], "the end")

    def test_two_servers(self):
        other = Server.__new__(Server)
        other.folder, other.project, other.errors = self.server.folder, self.server.project, self.server.errors + "2"
        other.start("--allow-private", "--delay", "0")
        self.addCleanup(lambda: other.process.poll() is None and other.stop())
        self.shop.delay = 0.3
        self.plan(every=3600)
        for count in range(1, 4):
            with sqlite3.connect(self.server.project) as project:
                project.execute("UPDATE schedule SET next = 100")
            self.until(lambda: len(self.runs()) == count, f"run {count}")
            self.until(lambda: not self.schedule()["running"], "its end")
        time.sleep(1)
        self.assertEqual(len(self.runs()), 3)

    def test_cancelled_and_removed(self):
        self.shop.delay = 1
        self.plan()
        job = self.until(lambda: next((job for job in self.server.good("GET", "jobs")["jobs"] if job["kind"] == "watch" and job["state"] == "running"), None), "a job")
        self.plan(every=3600)
        self.server.good("DELETE", f"jobs/{job['id']}")
        last = self.until(lambda: self.schedule()["last"], "what came of it")
        self.assertEqual((last["verdict"], self.runs()), ("cancelled", []))
        self.assertFalse(self.schedule()["running"])
        # at once, without a schedule
        self.shop.delay = 0
        self.stop_schedule()
        came = self.server.job("sites/shop/monitor", {"wrapper": "books"})
        self.assertEqual((came["verdict"], came["pages"], came["same"]), ("fine", 3, 3))
        self.server.good("DELETE", "sites/shop")
        self.assertEqual(self.server.good("GET", "sites/shop/schedules")["schedules"], [])

    def test_compare(self):
        self.server.job("sites/shop/monitor", {"wrapper": "books"})
        self.shop.prices = 1
        self.shop.pages = 2
        self.server.job("sites/shop/monitor", {"wrapper": "books"})
        after, before = [run["id"] for run in self.runs()]
        came = self.server.good("GET", f"runs/{before}/compare/{after}")
        self.assertIn(came["key"], ("title", "title_url"), came["fields"])
        self.assertEqual((came["removed"], came["added"], came["changed"], came["same"]), (8, 0, 16, 0))
        self.assertEqual(len(came["differences"]), 24)
        changed = self.server.good("GET", f"runs/{before}/compare/{after}?kind=changed&from=3&count=2&key=title")["differences"]
        self.assertEqual([(one["kind"], one["before"]["title"]) for one in changed], [("changed", book(n)["title"]) for n in (4, 5)])
        self.assertNotEqual(changed[0]["before"], changed[0]["after"])
        removed = self.server.good("GET", f"runs/{before}/compare/{after}?kind=removed&count=1")["differences"]
        self.assertEqual((removed[0]["before"]["title"], removed[0]["after"]), (book(17)["title"], None))
        self.assertEqual(self.server.ask("GET", f"runs/{before}/compare/{after}?key=none")[0], 422)
        self.assertEqual(self.server.ask("GET", f"runs/{before}/compare/99999")[0], 422)
        same = self.server.good("GET", f"runs/{before}/compare/{before}")
        self.assertEqual((same["same"], same["differences"]), (24, []))

    def test_compare_many(self):
        count = 100_000
        with sqlite3.connect(self.server.project) as project:
            site = project.execute("SELECT id FROM site WHERE name = 'shop'").fetchone()[0]
            for run in (1001, 1002):
                project.execute("INSERT INTO run (id, site, command, wrapper, wrapper_version, started, finished, pages, records) VALUES (?, ?, 'monitor', 'books', 1, 'a', 'b', 1, ?)", (run, site, count))
                project.executemany("INSERT INTO record (run, position, page, value) VALUES (?, ?, 'p', ?)",
                                    ((run, i, json.dumps({"id": f"n{i + (run - 1001) * 10}", "name": f"Thing {i % 1000}", "price": i + run % 2 * (i % 100 == 0)})) for i in range(count)))
        began = time.monotonic()
        came = self.server.good("GET", "runs/1001/compare/1002?kind=added&count=5")
        first = time.monotonic() - began
        self.assertEqual((came["key"], came["removed"], came["added"], len(came["differences"])), ("id", 10, 10, 5))
        began = time.monotonic()
        self.server.good("GET", "runs/1001/compare/1002?kind=changed&from=50000&count=100")
        self.assertLess(first, 5 * PATIENCE)
        self.assertLess(time.monotonic() - began, 0.5 * PATIENCE)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + [word for word in sys.argv[2:] if not word.startswith("--")])

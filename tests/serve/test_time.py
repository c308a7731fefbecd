#!/usr/bin/env python3
"""Sites over time: next pages, pages again, schedules, alarms, and runs beside each other.

    test_time.py THRESH [--sanitized]
"""
import http.server
import json
import os
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
        # the chain breaks at the page that fails; what it had before is not asked for by itself
        self.assertEqual((came["new"], came["changed"], came["same"]), (0, 2, 0))
        self.assertEqual([one["url"] for one in came["failed"]], [self.shop.url("list2")])
        names = [page["name"] for page in self.pages("?all=1")]
        self.assertEqual(names.count(self.shop.url("list1")), 2)
        self.assertEqual(names.count("saved.html"), 2)  # under its own name
        self.assertEqual(names.count("file.html"), 1)
        # those that were chosen
        self.shop.fail.clear()
        chosen = next(page["id"] for page in self.pages() if page["name"] == self.shop.url("list3"))
        came = self.server.job("sites/shop/fetch", {"pages": [chosen]})
        self.assertEqual((came["changed"], came["same"]), (1, 0))
        came = self.server.job("sites/shop/fetch", {})
        self.assertEqual((came["changed"], came["same"]), (1, 3))
        # nothing to fetch
        file = next(page["id"] for page in self.pages() if page["name"] == "file.html")
        job = self.server.wait_for_job(self.server.good("POST", "sites/shop/fetch", {"pages": [file]})["job"])
        self.assertEqual((job["state"], "URL" in job["message"]), ("failed", True))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + [word for word in sys.argv[2:] if not word.startswith("--")])

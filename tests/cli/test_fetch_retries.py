#!/usr/bin/env python3
"""Fetches that fail for a time are tried again, politely, and no more often than told.

    tests/cli/test_fetch_retries.py THRESH
"""
import concurrent.futures
import email.utils
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

from web_server import HTML, LIST, Server, fetch

THRESH = os.path.abspath(sys.argv.pop(1))


def failing(status, times, headers=()):
    """Answers with the status so many times, then with a page."""
    left = [times]

    def answer(request):
        if request.path == "/robots.txt":
            return None
        left[0] -= 1
        return (status, [HTML, *headers], "<p>busy") if left[0] >= 0 else (200, [HTML], LIST)

    return answer


def gaps(server):
    times = [request.time for request in server.requests if request.path != "/robots.txt"]
    return [after - before for before, after in zip(times, times[1:])]


class Retries(unittest.TestCase):
    def test_busy_then_page(self):
        def check(status):
            with Server(failing(status, 1)) as server:
                ran = fetch(THRESH, "-q", server.url("/page"))
                self.assertEqual((ran.code, ran.err), (0, ""), ran)
                self.assertEqual(len(ran.out.splitlines()), 3)
                self.assertEqual(server.paths(), ["/page"] * 2)
                self.assertGreater(gaps(server)[0], 0.45)

        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(check, (429, 500, 502, 503, 504)))

    def test_waits_grow(self):
        with Server(failing(500, 9)) as server:
            ran = fetch(THRESH, "--retries", "2", server.url("/page"))
            self.assertEqual(ran.code, 1)
            self.assertIn("/page: the server answers 500 (after 3 tries)", ran.err)
            first, second = gaps(server)
            self.assertTrue(0.45 < first < 1.5 and 0.95 < second < 3, (first, second))

    def test_no_retries(self):
        with Server(failing(503, 9)) as server:
            ran = fetch(THRESH, "--retries", "0", server.url("/page"))
            self.assertTrue(ran.err.endswith("/page: the server answers 503\n"), ran)
            self.assertEqual(server.paths(), ["/page"])

    def test_what_is_final_is_not_tried_again(self):
        for status in (400, 401, 403, 404, 410, 501):
            with Server(failing(status, 9)) as server:
                ran = fetch(THRESH, server.url("/page"))
                self.assertIn(f"the server answers {status}\n", ran.err)
                self.assertEqual(server.paths(), ["/page"])

    def test_retry_after_in_seconds(self):
        with Server(failing(429, 1, [("Retry-After", "2")])) as server:
            ran = fetch(THRESH, server.url("/page"), server.url("/other"))
            self.assertEqual(ran.code, 0, ran)
            self.assertGreater(gaps(server)[0], 1.95)  # the other page waits too: the host is busy

    def test_retry_after_as_date(self):
        at = email.utils.formatdate(time.time() + 3, usegmt=True)
        with Server(failing(503, 1, [("Retry-After", at)])) as server:
            ran = fetch(THRESH, server.url("/page"))
            self.assertEqual(ran.code, 0, ran)
            self.assertGreater(gaps(server)[0], 1)

    def test_retry_after_too_long(self):
        with Server(failing(429, 1, [("Retry-After", "7200")])) as server:
            started = time.monotonic()
            ran = fetch(THRESH, server.url("/page"))
            self.assertIn("the server answers 429 and asks to wait 7200 seconds, which is more than --max-wait allows",
                          ran.err)
            self.assertEqual(server.paths(), ["/page"])
            self.assertLess(time.monotonic() - started, 5)

    def test_no_answer(self):
        def answer(request):
            if request.path != "/robots.txt":
                request.handler.connection.shutdown(socket.SHUT_RDWR)
            return None

        with Server(answer) as server:
            ran = fetch(THRESH, "--retries", "1", server.url("/page"))
            self.assertIn("/page: cannot be fetched: ", ran.err)
            self.assertIn(" (after 2 tries)\n", ran.err)
            self.assertEqual(server.paths(), ["/page"] * 2)

    def test_slow_answer(self):
        slept = []

        def answer(request):
            if request.path != "/robots.txt" and not slept:
                slept.append(1)
                time.sleep(1.5)
            return 200, [HTML], LIST

        with Server(answer) as server:
            ran = fetch(THRESH, "--timeout", "0.7", server.url("/page"))
            self.assertEqual((ran.code, ran.err), (0, ""), ran)
            self.assertEqual(server.paths(), ["/page"] * 2)

    def test_nobody_listens(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        ran = fetch(THRESH, "--retries", "1", f"http://127.0.0.1:{port}/x", f"http://127.0.0.1:{port}/y")
        lines = ran.err.splitlines()
        self.assertEqual(len(lines), 2, ran)
        for line in lines:
            self.assertIn("cannot be fetched: ", line)
            self.assertIn(" (after 2 tries)", line)

    def test_robots_busy(self):
        def answer(request):
            return (503, [], "") if request.path == "/robots.txt" else (200, [HTML], LIST)

        with Server(answer) as server:
            ran = fetch(THRESH, "--retries", "1", server.url("/page"))
            self.assertIn("not fetched, since the site's robots.txt cannot be read (", ran.err)
            self.assertIn("the server answers 503 (after 2 tries)); --ignore-robots", ran.err)
            self.assertEqual([request.path for request in server.requests], ["/robots.txt"] * 2)

    def test_robots_busy_then_known(self):
        seen = []

        def answer(request):
            if request.path != "/robots.txt":
                return 200, [HTML], LIST
            seen.append(1)
            return (503, [], "") if len(seen) == 1 else (200, [("Content-Type", "text/plain")],
                                                         "User-agent: *\nDisallow: /no\n")

        with Server(answer) as server:
            ran = fetch(THRESH, server.url("/no"), server.url("/yes"))
            self.assertIn("/no: not fetched, since the site's robots.txt disallows it", ran.err)
            self.assertEqual(server.paths(), ["/yes"])

    def test_robots_refused(self):
        for status in (401, 403, 410):
            with Server(lambda request: (status, [], "") if request.path == "/robots.txt" else (200, [HTML], LIST)) as server:
                self.assertEqual(fetch(THRESH, server.url("/page")).code, 0)

    def test_crawl_delay(self):
        robots = "User-agent: other\nCrawl-delay: 9\n\nUser-agent: *\nCrawl-delay: 0.8\n"

        def answer(request):
            return (200, [("Content-Type", "text/plain")], robots) if request.path == "/robots.txt" else (200, [HTML], LIST)

        with Server(answer) as server:
            self.assertEqual(fetch(THRESH, server.url("/a"), server.url("/b")).code, 0)
            self.assertGreater(gaps(server)[0], 0.75)
        with Server(answer) as server:
            self.assertEqual(fetch(THRESH, "--ignore-robots", server.url("/a"), server.url("/b")).code, 0)
            self.assertLess(gaps(server)[0], 0.7)

    def test_delay(self):
        with Server() as server:
            self.assertEqual(fetch(THRESH, "--delay", "0.6", server.url("/a"), server.url("/b")).code, 0)
            self.assertGreater(gaps(server)[0], 0.55)

    def test_waits_can_be_stopped(self):
        with Server(failing(503, 9, [("Retry-After", "60")])) as server:
            process = subprocess.Popen([THRESH, "records", "--allow-private", server.url("/page")],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while len(server.requests) < 2:
                time.sleep(0.02)
            time.sleep(0.2)
            started = time.monotonic()
            process.send_signal(signal.SIGINT)
            timer = threading.Timer(10, process.kill)
            timer.start()
            _, err = process.communicate()
            timer.cancel()
            self.assertLess(time.monotonic() - started, 5, err)


if __name__ == "__main__":
    unittest.main()

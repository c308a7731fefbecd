#!/usr/bin/env python3
"""The workbench's server: what it answers, and whom it does not.

    test_serve.py THRESH [--sanitized]
"""
import contextlib
import http.client
import http.server
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest

THRESH = sys.argv[1]
SANITIZED = "--sanitized" in sys.argv
TOKEN = "a-token-for-tests-only"
BUSY = max(1, os.getloadavg()[0] / os.cpu_count())  # others are at work too
PATIENCE = 1.5 * BUSY * (5 if SANITIZED or os.environ.get("THRESH_SLOW") else 1)  # how much slower all may be
LIST = b"<ul>" + b"".join(b"<li><b>Title %d</b> <i>%d.50</i></li>" % (i, i) for i in range(1, 9)) + b"</ul>"
HOSTILE = b"""<!doctype html><title>x</title><base href="http://evil.example/"><meta http-equiv=refresh content="0;url=http://evil.example/">
<script>fetch('/api/v1/status')</script><script src=//evil.example/x.js></script>
<iframe src="/api/v1/status"></iframe><object data=x></object><embed src=x><svg><script>alert(1)</script><a xlink:href="javascript:alert(1)">a</a></svg>
<style>@import url(http://evil.example/a.css); body{background:url(/api/v1/x)}</style><style>b{color:red}</style>
<link rel=stylesheet href=//evil.example/x.css>
<p onclick="alert(1)" style="background:url(http://evil.example/)" class=ok>Text &lt;script&gt;alert(2)&lt;/script&gt;</p>
<a href="javascript:alert(3)" ping=//evil.example target=_top>go</a><form action=//evil.example><input name=q formaction=//evil.example></form>
<img src=//evil.example/i.png onerror=alert(4)><img src="data:image/png;base64,AAAA"><math><mtext><img src=x onerror=alert(5)></mtext></math>
<template><script>alert(6)</script></template><textarea></textarea><script>alert(7)</script><plaintext><script>alert(8)"""


PNG = bytes.fromhex("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63f8cfc0f01f000501017f"
                    "0a4bd1f20000000049454e44ae426082")


class LookSite(http.server.ThreadingHTTPServer):
    """Pages with a look; keeps what was asked for."""
    daemon_threads = True
    PAGE = b"""<!doctype html><link rel=stylesheet href="../s/one.css?v=1#x"><link rel="alternate stylesheet" href=/private/alt.css>
<link rel=preload href=/private/preload as=script><script src=/script.js></script><iframe src=/frame.html></iframe>
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src=/i/lazy.png><img srcset="/i/set.png 1x, /private/set2.png 2x"><img src=/i/lie.png><img src=/i/gone.png>
<p>%s"""
    FILES = {"/robots.txt": b"User-agent: *\nDisallow: /private/", "/a/page.html": PAGE % b"one", "/a/other.html": PAGE % b"two",
             "/s/one.css?v=1": b"@import 'two.css' screen; @font-face{font-family:f;src:url(f.eot),url(f.woff2)} p{background:url(../i/bg.png)}",
             "/s/two.css": b"@import url(one.css?v=1); p{background:url(/private/bg.png)}", "/s/f.woff2": b"wOF2" + bytes(50),
             "/i/lazy.png": PNG + b"l", "/i/bg.png": PNG + b"b", "/i/set.png": PNG + b"s", "/i/lie.png": b"<html>not an image"}

    def __init__(self):
        site = self
        self.asked = []

        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                site.asked.append(self.path)
                body = site.FILES.get(self.path)
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html" if self.path.endswith("html") else "application/x-lie")
                self.end_headers()
                self.wfile.write(body or b"not found")

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Page)
        self.origin = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class SlowSite(http.server.ThreadingHTTPServer):
    """A site whose pages take `delay` seconds each."""
    daemon_threads = True

    def __init__(self, delay):
        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                robots = self.path == "/robots.txt"
                time.sleep(0 if robots else delay)
                self.send_response(404 if robots else 200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(LIST + self.path.encode())

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Page)
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def urls(self, count):
        return [f"http://127.0.0.1:{self.server_port}/{number}.html" for number in range(count)]

    def handle_error(self, *_):
        pass  # whoever asked is gone

    def close(self):
        self.shutdown()
        self.server_close()


class Server:
    """A server on a project of its own."""

    def __init__(self, *options):
        self.folder = tempfile.mkdtemp(prefix="thresh-serve-")
        self.project = os.path.join(self.folder, "p.thresh")
        self.errors = os.path.join(self.folder, "errors.txt")
        self.start(*options)

    def start(self, *options, browser=False, env=None):
        os.makedirs(self.folder, exist_ok=True)
        with open(self.errors, "w", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                [THRESH, "serve", "--project", self.project, *([] if browser else ["--no-browser"]), *options],
                stdout=subprocess.PIPE, stderr=errors, text=True, env={**os.environ, "THRESH_TOKEN": TOKEN, **(env or {})})
        line = self.process.stdout.readline()
        self.port = int(re.match(r"http://127\.0\.0\.1:(\d+)/#token=", line).group(1))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=20)
        self.process.stdout.close()
        # what sanitizers find at the end, such as a leak, nobody else would see
        with open(self.errors, encoding="utf-8", errors="replace") as file:
            said = file.read()
        assert code == 0 and "runtime error" not in said and "Sanitizer" not in said, (code, said)
        return code

    def close(self):
        if self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def ask(self, method, path, body=None, headers=None, token=TOKEN):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        sent = {"Authorization": f"Bearer {token}"} if token else {}
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            sent["Content-Type"] = "application/json"
        sent.update(headers or {})
        connection.request(method, path if path.startswith("/") else "/api/v1/" + path, body, sent)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        kind = answer.headers.get("Content-Type", "")
        return answer.status, json.loads(data) if kind == "application/json" else data

    def good(self, *request, **more):
        status, answer = self.ask(*request, **more)
        assert status < 300, (request[:2], status, answer)
        return answer

    def job(self, path, body):
        """What comes of a job."""
        done = self.wait_for_job(self.good("POST", path, body)["job"])
        assert done["state"] == "done", done
        return done["result"]

    def wait_for_job(self, job):
        for _ in range(400):
            found = self.good("GET", f"jobs/{job}")
            if found["state"] not in ("waiting", "running"):
                return found
            time.sleep(0.02)
        raise AssertionError("the job does not end")


class Serve(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        self.addCleanup(lambda: self.server.close())

    def add(self, site="shop", name="1.html", data=LIST):
        return self.server.good("POST", f"sites/{site}/pages?name={name}", data)["id"]

    def test_port_that_is_taken(self):
        """What the message advises works: without --port the server finds a free one."""
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([THRESH, "serve", "--no-browser", "--port", port, "--project", os.path.join(folder, "p.thresh")],
                                      capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"port {port}: is it in use? Without --port a free one is chosen", done.stderr)

    def test_who_may_ask(self):
        ask = self.server.ask
        self.assertEqual(ask("GET", "status")[0], 200)
        self.assertEqual(ask("GET", "status", token=None)[0], 401)
        self.assertEqual(ask("GET", "status", token=TOKEN[:-1] + "x")[0], 401)
        self.assertEqual(ask("GET", "status", token=TOKEN + "x")[0], 401)
        self.assertEqual(ask("GET", "status?token=" + TOKEN, token=None)[0], 401)
        for host in ("evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:%d" % self.server.port):
            self.assertEqual(ask("GET", "status", headers={"Host": host})[0], 403, host)
            self.assertEqual(ask("GET", "/", headers={"Host": host}, token=None)[0], 403, host)
        for origin in ("http://evil.example", "null", "https://127.0.0.1:%d" % self.server.port):
            self.assertEqual(ask("GET", "status", headers={"Origin": origin})[0], 403, origin)
        own = "http://127.0.0.1:%d" % self.server.port
        self.assertEqual(ask("GET", "status", headers={"Origin": own})[0], 200)
        self.assertEqual(ask("OPTIONS", "status", headers={"Origin": "http://evil.example"}, token=None)[0], 403)

    def test_paths(self):
        for path in ("/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
                     "/api/v1/../../etc/passwd", "/index.html/../../x"):
            self.assertIn(self.server.ask("GET", path)[0], (401, 403, 404), path)
        self.assertEqual(self.server.ask("GET", "nothing")[0], 404)
        self.assertEqual(self.server.ask("DELETE", "status")[0], 405)
        self.assertEqual(self.server.ask("POST", "/index.html")[0], 405)
        self.assertEqual(self.server.ask("GET", "/")[0], 200)

    def test_bad_bodies(self):
        json_type = {"Content-Type": "application/json"}
        self.assertEqual(self.server.ask("POST", "sites/s/learn", "{", headers=json_type)[0], 400)
        self.assertEqual(self.server.ask("POST", "sites/s/learn", "[]", headers=json_type)[0], 400)
        self.assertEqual(self.server.ask("POST", "sites/s/inputs", {"inputs": [1]})[0], 400)
        self.assertEqual(self.server.ask("POST", "sites/s/pages", b"x")[0], 400)
        self.assertEqual(self.server.ask("PUT", "sites/s/labels", {"page": "x", "records": 7})[0], 422)
        self.assertEqual(self.server.ask("POST", "sites/s/wrappers", {"name": "w", "wrapper": {}})[0], 422)
        self.assertEqual(self.server.ask("POST", "sites/s/extract", {"wrapper": "none"})[0], 422)
        for path in ("pages/99/view", "pages/x/text", "pages/-1/bytes", "jobs/7", "sites/s/wrappers/w/1"):
            self.assertEqual(self.server.ask("GET", path)[0], 404, path)
        self.assertEqual(self.server.ask("GET", "pages/1/place?start=1")[0], 400)

    def test_uploads_have_a_limit(self):
        self.server.close()
        self.server = Server("--max-upload", "100K")
        self.add(data=b"x" * 100_000)
        try:
            self.assertEqual(self.server.ask("POST", "sites/s/pages?name=n", b"x" * 10_000_000)[0], 413)
        except (ConnectionError, http.client.HTTPException):
            pass  # the server may close before all is sent
        self.assertEqual(len(self.server.good("GET", "sites/s/pages")["pages"]), 0)

    def test_from_page_to_records(self):
        page = self.add()
        regions = self.server.good("POST", f"pages/{page}/regions", {})["regions"]
        self.assertEqual(len(regions[0]["records"]), 8)
        learnt = self.server.good("POST", "sites/shop/learn", {"pages": [page]})
        self.assertIn("explain", learnt)
        saved = self.server.good("POST", "sites/shop/wrappers", {"name": "books", "wrapper": learnt["wrapper"]})
        self.assertEqual(saved, {"version": 1})
        again = self.server.good("GET", "sites/shop/wrappers/books/latest")
        self.assertEqual(again["wrapper"]["rules"], learnt["wrapper"]["rules"])
        self.assertIn("profile", again["wrapper"])  # what it is held against later
        found = self.server.good("POST", "sites/shop/extract", {"wrapper": "books"})["pages"][0]["found"]
        text = self.server.good("GET", f"pages/{page}/text")
        values = [value for record in found["records"] for value in record.values() if value]
        self.assertGreaterEqual(len(values), 8)
        for value in values:
            if "start" in value:
                self.assertIn(value["value"].encode().split()[0], text[value["start"]:value["end"]])
        job = self.server.good("POST", "sites/shop/run", {"wrapper": "books"})["job"]
        self.assertEqual(self.server.wait_for_job(job)["state"], "done")
        run = self.server.good("GET", "sites/shop/runs")["runs"][0]
        self.assertEqual((run["records"], run["wrapper_version"]), (8, 1))
        rows = self.server.good("GET", f"runs/{run['id']}/records?from=6&count=5")["records"]
        self.assertEqual(len(rows), 2)

    def test_papers_numbers(self):
        for number, word in enumerate(("ash", "birch", "cedar")):
            self.add(name=f"{number}.html", data=f"<h1>{word}</h1><p>Height: {number + 4} m</p><p>A tree.</p>".encode())
        asked = {"engine": "exalg", "paper": True, "size_threshold": 4, "support_threshold": 0.5}
        options = self.server.good("POST", "sites/shop/learn", asked)["wrapper"]["provenance"]["options"]
        self.assertEqual(options, {"pick": 1, "paper": True, "size_threshold": 4, "support_threshold": 0.5})
        for wrong in ({"size_threshold": 0}, {"size_threshold": "4"}, {"support_threshold": 1.5}):
            self.assertIn(self.server.ask("POST", "sites/shop/learn", {**asked, **wrong})[0], (400, 422), wrong)

    def test_tag_with_nul(self):
        rows = "".join(f"<dt>Name {n}<dd>{1900 + 7 * n}" for n in range(6))
        page = self.add(data=f"<html><body><x\0y><dl>{rows}</dl></x\0y></body></html>".encode())
        wrapper = self.server.good("POST", "sites/shop/learn", {"pages": [page]})["wrapper"]
        self.server.good("POST", "sites/shop/wrappers", {"name": "names", "wrapper": wrapper})
        self.assertIn("\0", json.dumps(wrapper).replace("\\u0000", "\0"))
        found = self.server.good("POST", "sites/shop/extract", {"wrapper": wrapper})["pages"][0]["found"]
        self.assertEqual(len(found["records"]), 6)
        kept = self.server.good("GET", "sites/shop/wrappers/names/latest")["wrapper"]
        self.assertEqual(kept["rules"], wrapper["rules"])

    def test_labels(self):
        self.add()
        line = {"page": "1.html", "records": [{"title": "Title 1"}, {"title": "Title 2"}]}
        self.server.good("PUT", "sites/shop/labels", line)
        self.assertEqual(json.loads(self.server.good("GET", "sites/shop/labels")), line)
        self.assertTrue(self.server.good("GET", "sites/shop/pages")["pages"][0]["labelled"])
        self.server.process.kill()  # nothing accepted is lost
        self.server.process.wait()
        self.server.process.stdout.close()
        self.server.start()
        self.assertEqual(json.loads(self.server.good("GET", "sites/shop/labels")), line)
        self.server.good("PUT", "sites/shop/labels", {"page": "1.html"})
        self.assertEqual(self.server.good("GET", "sites/shop/labels"), b"")

    def test_labels_in_two_tabs(self):
        """Who says what a page had is refused when it has something else."""
        self.add()
        first, second = [{"title": "Title 1"}], [{"title": "Title 1", "price": "Title 2"}]
        put = lambda **line: self.server.ask("PUT", "sites/shop/labels", {"page": "1.html", **line})[0]
        self.assertEqual(put(records=first, before=second), 409)
        self.assertEqual(put(records=first, before=None), 200)
        self.assertEqual(put(records=second, before=None), 409)
        self.assertEqual(put(before=second), 409)
        self.assertEqual(json.loads(self.server.good("GET", "sites/shop/labels")), {"page": "1.html", "records": first})
        self.assertEqual(put(records=second, before=first), 200)
        self.assertEqual(json.loads(self.server.good("GET", "sites/shop/labels")), {"page": "1.html", "records": second})
        self.assertEqual(put(records=7, before=second), 422)  # nothing is left half done
        self.assertEqual(put(record=first[0]), 200)  # who does not say is asked nothing
        self.assertEqual(put(records=second, before=first), 200)
        self.assertEqual(put(before=second), 200)
        self.assertEqual(self.server.good("GET", "sites/shop/labels"), b"")

    def test_two_tabs(self):
        page = self.add()
        wrapper = self.server.good("POST", "sites/shop/learn", {"pages": [page]})["wrapper"]
        save = {"name": "w", "wrapper": wrapper, "base_version": 0}
        self.assertEqual(self.server.ask("POST", "sites/shop/wrappers", save)[0], 200)
        self.assertEqual(self.server.ask("POST", "sites/shop/wrappers", save)[0], 409)
        save["base_version"] = 1
        self.assertEqual(self.server.good("POST", "sites/shop/wrappers", save), {"version": 2})

    def test_taking_back(self):
        """Pages and versions that were added can be removed."""
        ids = [self.add(name=f"{number}.html", data=LIST + b"<!-- %d -->" % number) for number in range(3)]
        removed = self.server.good("DELETE", "sites/shop/pages", {"pages": ids[1:] + [99]})
        self.assertEqual(removed, {"removed": 2})
        self.assertEqual([page["id"] for page in self.server.good("GET", "sites/shop/pages")["pages"]], ids[:1])
        wrapper = self.server.good("POST", "sites/shop/learn", {})["wrapper"]
        for _ in range(2):
            self.server.good("POST", "sites/shop/wrappers", {"name": "w", "wrapper": wrapper})
        self.server.good("DELETE", "sites/shop/wrappers/w/2")
        self.assertEqual(self.server.ask("DELETE", "sites/shop/wrappers/w/2")[0], 404)
        self.assertEqual(self.server.good("GET", "sites/shop/wrappers/w/latest")["version"], 1)

    def test_files(self):
        """Every form of output, as the command line writes it."""
        page = self.add()
        wrapper = self.server.good("POST", "sites/shop/learn", {"pages": [page]})["wrapper"]
        ask = {"wrapper": wrapper}
        csv = self.server.good("POST", "sites/shop/file", {**ask, "format": "csv"}).decode().splitlines()
        self.assertEqual(len(csv), 9)
        self.assertIn("Title 1", csv[1])
        lines = self.server.good("POST", "sites/shop/file", {**ask, "format": "ndjson"}).decode().splitlines()
        self.assertEqual(len([json.loads(line) for line in lines]), 8)
        self.assertTrue(self.server.good("POST", "sites/shop/file", {**ask, "format": "sqlite"}).startswith(b"SQLite format 3"))
        self.assertEqual(self.server.ask("POST", "sites/shop/file", {**ask, "format": "x"})[0], 400)
        self.assertEqual(self.server.ask("POST", "sites/shop/file", {"format": "csv"})[0], 422)

    def test_knobs(self):
        """What the papers leave to their users reaches the engines."""
        page = self.add()
        found = self.server.good("POST", f"pages/{page}/regions", {"engine": "iepad"})["regions"]
        self.assertEqual(len(found[0]["records"]), 8)
        few = self.server.good("POST", f"pages/{page}/regions", {"engine": "iepad", "min_count": 9})["regions"]
        self.assertEqual(few, [])
        self.assertEqual(self.server.ask("POST", f"pages/{page}/regions", {"engine": "iepad", "min_count": "x"})[0], 422)
        self.assertEqual(self.server.ask("POST", f"pages/{page}/regions", {"engine": "iepad", "encoding": "x"})[0], 422)

    def test_doubts_and_clusters(self):
        for number in range(4):
            self.add(name=f"{number}.html", data=b"<h1>Name %d</h1><p>Costs <b>%d.50</b> EUR</p>" % (number, number))
        clusters = self.server.good("GET", "sites/shop/clusters")
        self.assertEqual(sum(len(one["pages"]) for one in clusters["clusters"]) + len(clusters["alone"]), 4)
        self.server.good("PUT", "sites/shop/labels", {"page": "0.html", "records": [{"price": "0.50"}]})
        learnt = self.server.good("POST", "sites/shop/learn", {"engine": "stalker"})["wrapper"]
        self.assertEqual(self.server.good("POST", "sites/shop/suggest", {"wrapper": learnt}), {"pages": []})
        other = self.server.good("POST", "sites/shop/learn", {"engine": "softmealy"})["wrapper"]
        self.assertEqual(self.server.good("POST", "sites/shop/suggest", {"wrapper": other}), {"pages": []})
        self.server.good("POST", "sites/shop/wrappers", {"name": "w", "wrapper": other})
        self.assertTrue(self.server.good("GET", "sites/shop/wrappers/w/1")["graph"].startswith("digraph"))

    def test_correcting(self):
        """Labels mend softmealy's rules, and tell the part of the page that has the records."""
        html = "<h2>Old</h2><ul><li><b>Aal</b> 1</ul><h2>New</h2><ul><li><b>Berg</b> 2<li><b>City</b> 3<li><b>Dale</b> 4</ul><h3>End</h3>"
        self.add(name="a.html", data=html.encode())
        line = {"page": "a.html", "records": [{"name": "Berg", "no": "2"}, {"name": "City", "no": "3"}]}
        read = lambda wrapper: [r["name"]["value"] for r in self.server.good("POST", "sites/shop/extract", {"wrapper": wrapper})["pages"][0]["found"]["records"]]
        first = self.server.good("POST", "sites/shop/learn", {"engine": "softmealy", "labels": [line]})["wrapper"]
        self.assertEqual(read(first), ["Aal", "Berg", "City", "Dale"])
        line["body"] = {"start": html.index("<li><b>Berg"), "end": html.index("</ul><h3>")}
        mended = self.server.good("POST", "sites/shop/learn", {"engine": "softmealy", "correct": first, "labels": [line]})["wrapper"]
        self.assertEqual(read(mended), ["Berg", "City", "Dale"])
        self.assertEqual(mended["rules"]["edges"], first["rules"]["edges"])
        lists = self.server.good("POST", "sites/shop/learn", {"engine": "lists"})["wrapper"]
        self.assertEqual(self.server.ask("POST", "sites/shop/learn", {"correct": lists, "labels": [line]})[0], 422)
        self.assertEqual(self.server.ask("POST", "sites/shop/learn", {"correct": 7, "labels": [line]})[0], 422)

    def change(self, whole=6):
        """A site of six lists, a wrapper of them, and `whole` of the pages with a new look."""
        row = "<li><b>Title %d of the shop</b> <i>%d.50 EUR</i></li>"
        other = "<div class=x><h4>Title %d of the shop</h4><p><em>%d.50 EUR</em></p></div>"
        def pages(before, each, after, count):
            for page in range(count):
                rows = "".join(each % (10 * page + i, 7 * page + 3 * i) for i in range(8))
                self.add(name=f"{page}.html", data=f"{before}{rows}{after}".encode())
        pages("<ul>", row, "</ul>", 6)
        wrapper = self.server.good("POST", "sites/shop/learn", {})["wrapper"]
        self.server.good("POST", "sites/shop/wrappers", {"name": "w", "wrapper": wrapper})
        self.assertFalse(self.server.job("sites/shop/verify", {"wrapper": "w"})["drift"])
        self.assertEqual(self.server.job("sites/shop/repair", {"wrapper": "w"})["outcome"], "fine")
        pages("<section>", other, "</section>", whole)
        return wrapper

    def test_verify_and_repair(self):
        """A check is kept as a run with its verdicts; a repair is only proposed."""
        wrapper = self.change()
        self.assertTrue(self.server.good("GET", "sites/shop/wrappers/w/1")["profile"])
        verdict = self.server.job("sites/shop/verify", {"wrapper": "w"})
        self.assertTrue(verdict["drift"])
        runs = self.server.good("GET", "sites/shop/runs")["runs"]
        self.assertEqual([run["verdict"] for run in runs], ["drift", "fine"])
        told = self.server.good("GET", f"runs/{verdict['run']}/verdicts")["verdicts"]
        self.assertIn("drift", [one["verdict"] for one in told])
        repair = self.server.job("sites/shop/repair", {"wrapper": "w"})
        self.assertIn(repair["outcome"], ("repaired", "broken"))
        self.assertEqual("wrapper" in repair, repair["outcome"] == "repaired")
        self.assertEqual(len(self.server.good("GET", "sites/shop/wrappers")["wrappers"]), 1)
        self.assertEqual(self.server.ask("POST", "sites/shop/verify", {"wrapper": wrapper})[0], 422)  # no profile
        self.assertEqual(self.server.ask("POST", "sites/shop/repair", {"wrapper": "none"})[0], 422)

    def test_a_proposal_is_kept(self):
        """Until it is forgotten, for the wrapper and the pages that it is of."""
        where = "sites/shop/wrappers/w/repair"
        self.assertEqual(self.server.ask("GET", where)[0], 404)  # no such wrapper
        self.change()
        job = self.server.good("POST", "sites/shop/repair", {"wrapper": "w"})["job"]
        self.server.wait_for_job(job)
        kept = {"job": job, "state": "done", "current": True}
        self.assertEqual(self.server.good("GET", where), kept)
        pages = [page["id"] for page in self.server.good("GET", "sites/shop/pages")["pages"]]
        self.server.job("sites/shop/repair", {"wrapper": "w", "pages": pages[:3]})  # of some pages: not the site's
        self.assertEqual(self.server.good("GET", where), kept)
        # another page, of the number of one that is gone
        last = self.add(name="last.html")
        self.assertFalse(self.server.good("GET", where)["current"])
        self.server.good("DELETE", "sites/shop/pages", {"pages": [last]})
        self.assertTrue(self.server.good("GET", where)["current"])
        # another version, and another wrapper of the same number
        held = self.server.good("GET", "sites/shop/wrappers/w/1")["wrapper"]
        other = self.server.good("POST", "sites/shop/learn", {})["wrapper"]
        self.assertEqual(self.server.good("POST", "sites/shop/wrappers", {"name": "w", "wrapper": other})["version"], 2)
        self.assertFalse(self.server.good("GET", where)["current"])
        for version in (1, 2):
            self.server.good("DELETE", f"sites/shop/wrappers/w/{version}")
        self.assertEqual(self.server.ask("GET", where)[0], 404)
        self.assertEqual(self.server.good("POST", "sites/shop/wrappers", {"name": "w", "wrapper": other})["version"], 1)
        self.assertFalse(self.server.good("GET", where)["current"])
        self.server.good("DELETE", "sites/shop/wrappers/w/1")
        self.server.good("POST", "sites/shop/wrappers", {"name": "w", "wrapper": held})
        self.assertTrue(self.server.good("GET", where)["current"])
        self.server.good("POST", "sites/shop/wrappers", {"name": "v", "wrapper": held})
        self.assertIsNone(self.server.good("GET", "sites/shop/wrappers/v/repair")["job"])
        # what is forgotten is gone, with all that was proposed before
        self.server.good("DELETE", where)
        self.assertEqual(self.server.good("GET", where), {"job": None, "state": None, "current": False})
        self.assertNotIn("result", self.server.good("GET", f"jobs/{job}"))

    def test_which_pages_drift(self):
        """The pages with the new look, and no others; the run keeps them."""
        self.change(5)
        verdict = self.server.job("sites/shop/verify", {"wrapper": "w"})
        self.assertTrue(verdict["drift"])
        named = [page["page"] for page in verdict["drifting"]]
        self.assertEqual(sorted(named), ["0.html", "1.html", "2.html", "3.html", "4.html"])
        self.assertTrue(all(page["words"] for page in verdict["drifting"]))
        told = self.server.good("GET", f"runs/{verdict['run']}/verdicts")["verdicts"]
        self.assertEqual(told[0]["evidence"]["pages"], verdict["drifting"])

    def test_a_check_is_cancelled(self):
        """Nothing of it is kept."""
        for number in range(400):
            self.add(name=f"{number}.html", data=LIST * 100 + b"<!-- %d -->" % number)
        wrapper = self.server.good("POST", "sites/shop/learn", {"pages": [1]})["wrapper"]
        self.server.good("POST", "sites/shop/wrappers", {"name": "w", "wrapper": wrapper, "pages": [1, 2, 3]})
        job = self.server.good("POST", "sites/shop/verify", {"wrapper": "w"})["job"]
        self.server.good("DELETE", f"jobs/{job}")
        self.assertEqual(self.server.wait_for_job(job)["state"], "cancelled")
        self.assertEqual(self.server.good("GET", "sites/shop/runs")["runs"], [])

    def test_a_repair_is_cancelled(self):
        """While it looks for the fields: it ends in a fraction of the time, and nothing is changed."""
        words = ("amber", "birch", "cobalt", "delta", "ember", "fjord", "garnet")
        def page(number, old):
            say = "".join(("<li><span class=who>%s %d</span><p>%s</p></li>" if old else "<tr><td class=a>%s %d<td><q>%s</q></tr>")
                          % (words[(number + i) % 7], i, " ".join(words[(number * i + k) % 7] for k in range(9))) for i in range(3000))
            title, price = f"The {words[number % 7]} tale {number}", f"{number * 3}.50 EUR"
            return (f"<h1>{title}</h1><p class=cost>Price: <b>{price}</b></p><ul>{say}</ul>" if old
                    else f"<div><h2 class=n>{title}</h2><div><strong>{price}</strong></div></div><table>{say}</table>").encode()
        for number in range(14):
            self.add(name=f"{number}.html", data=page(number, True))
        self.server.good("PUT", "sites/shop/labels", {"page": "3.html", "records": [{"title": "The delta tale 3", "price": "9.50 EUR"}]})
        wrapper = self.server.good("POST", "sites/shop/learn", {"engine": "stalker"})["wrapper"]
        self.server.good("POST", "sites/shop/wrappers", {"name": "w", "wrapper": wrapper})
        for number in range(14):
            self.add(name=f"{number}.html", data=page(number, False))
        def until(job, good):
            while True:
                found = self.server.good("GET", f"jobs/{job}")
                if good(found):
                    return found
                time.sleep(0.01)
        looking = lambda job: job["done"] >= 14
        ended = lambda job: job["state"] not in ("waiting", "running")
        job = self.server.good("POST", "sites/shop/repair", {"wrapper": "w"})["job"]
        until(job, looking)
        began = time.monotonic()
        self.assertEqual(until(job, ended)["result"]["outcome"], "repaired")
        whole = time.monotonic() - began
        for part in (0, 0.2, 0.5):  # of the work
            job = self.server.good("POST", "sites/shop/repair", {"wrapper": "w"})["job"]
            self.assertEqual(until(job, looking)["state"], "running")
            time.sleep(part * whole)
            began = time.monotonic()
            self.server.good("DELETE", f"jobs/{job}")
            found = until(job, ended)
            self.assertEqual(found["state"], "cancelled")
            self.assertNotIn("result", found)
            self.assertLess(time.monotonic() - began, whole / 3)
        self.assertEqual([one["version"] for one in self.server.good("GET", "sites/shop/wrappers")["wrappers"]], [1])
        self.assertEqual(self.server.good("GET", "sites/shop/runs")["runs"], [])
        self.assertEqual(subprocess.run([THRESH, "project", "check", self.server.project], capture_output=True).returncode, 0)

    def test_questions_set_aside(self):
        """They are kept by site, all or none, and asked again when somebody says so."""
        ignored = lambda site="shop": self.server.good("GET", f"sites/{site}/ignored")["questions"]
        self.assertEqual(ignored(), [])
        odd = ["p.award", "", "\u0000 <b>\u05d0", "p.award", "x" * 5000]
        self.server.good("PUT", "sites/shop/ignored", {"questions": odd})
        self.assertEqual(ignored(), sorted(set(odd)))
        self.assertEqual(ignored("other"), [])
        for body in ({}, {"questions": "p"}, {"questions": ["p", 3]}, {"questions": [None]}):
            self.assertEqual(self.server.ask("PUT", "sites/shop/ignored", body)[0], 400, body)
        self.server.good("PUT", "sites/shop/ignored", {"questions": odd[1:3] + ["never there"], "ignore": False})
        self.assertEqual(ignored(), ["p.award", "x" * 5000])
        self.server.stop()
        self.server.start()
        self.assertEqual(ignored(), ["p.award", "x" * 5000])
        self.server.good("DELETE", "sites/shop")
        self.assertEqual(ignored(), [])

    def test_doubts_of_several_values(self):
        """Each value of an answer with its place, and the place of text that no labelled page has."""
        names = ("Ann", "Bob", "Cid", "Dora", "Eve", "Flo")
        def page(number):
            by = ", ".join(f"<a href=/a>{names[(number + k) % 6]} {number}</a>" for k in range(1 + number % 3))
            award = f"<p class=award>Prize {number * 7}</p>" if number % 2 else ""
            return f"<div class=item><h1>Tale {number}</h1><p class=by>by {by}</p>{award}<p>Sent soon.</p></div>".encode()
        data = [page(number) for number in range(6)]
        for number in range(6):
            self.add(name=f"{number}.html", data=data[number])
        self.server.good("PUT", "sites/shop/labels", {"page": "0.html", "records": [{"title": "Tale 0", "by": "Ann 0"}]})
        learnt = self.server.good("POST", "sites/shop/learn", {"engine": "paths"})["wrapper"]
        asked = {one["page"]: one["doubts"] for one in self.server.good("POST", "sites/shop/suggest", {"wrapper": learnt})["pages"]}
        [doubt] = [one for one in asked["2.html"] if one["field"] == "by"]
        self.assertIsNone(doubt["spot"])
        values = doubt["answers"][doubt["chosen"]]["values"]
        self.assertEqual([one["value"] for one in values], ["Cid 2", "Dora 2", "Eve 2"])
        self.assertEqual([data[2][one["start"]:one["end"]].decode() for one in values], ["Cid 2", "Dora 2", "Eve 2"])
        learnt = self.server.good("POST", "sites/shop/learn", {"engine": "stalker"})["wrapper"]
        asked = {one["page"]: one["doubts"] for one in self.server.good("POST", "sites/shop/suggest", {"wrapper": learnt})["pages"]}
        new = {page: [one for one in doubts if one["field"] == ""] for page, doubts in asked.items()}
        self.assertEqual([page for page, doubts in new.items() if doubts], ["1.html", "3.html", "5.html"])
        self.assertEqual(len({one["spot"] for doubts in new.values() for one in doubts}), 1)
        self.assertIn("p.award", new["1.html"][0]["spot"])
        self.assertEqual(new["3.html"][0]["answers"][0]["values"][0]["value"], "Prize 21")

    def test_labels_that_do_not_come_out(self):
        """The workbench must not call it done: the answer says how many, and the first note which."""
        self.add(name="a.html", data=b"<ul><li><b>Ann</b><li><b>Bob</b>, <i>Cook</i><li><b>Cy</b>, <i>Maid</i></ul>")
        labels = [{"page": "a.html", "records": [{"N": "Ann"}, {"N": "Bob", "A": "Cook"}]}]
        learnt = self.server.good("POST", "sites/shop/learn", {"engine": "lists", "labels": labels})
        self.assertEqual(learnt["wrong"], 2)
        self.assertIn("N: correct in 1 of 2 labelled records", learnt["notes"][0])
        self.assertEqual(self.server.good("POST", "sites/shop/learn", {"labels": labels})["wrong"], 0)

    def test_learning_of_clusters(self):
        """Without labels one template is learnt from: the largest, or the one that is asked for."""
        for number, word in enumerate(("ash", "birch", "cedar", "oak")):
            self.add(name=f"tree{number}.html", data=f"<div class=tree><h1>The {word}</h1><p>Height: <b>{number + 4} m</b></p><p>A tree of {word} wood.</p></div>".encode())
        for number in range(3):
            rows = "".join(f"<tr><td class=n>Row {number}{i}</td><td><a href=/{i}>Link to {i * 7 + number}</a></td></tr>" for i in range(9))
            self.add(name=f"list{number}.html", data=f"<table class=rows>{rows}</table>".encode())
        found = self.server.good("GET", "sites/shop/clusters")["clusters"]
        self.assertEqual([len(one["pages"]) for one in found], [4, 3])
        first = self.server.good("POST", "sites/shop/learn", {})
        self.assertEqual((first["pages"], first["clusters"]), (found[0]["pages"], 2))
        self.assertTrue(any("2 templates" in note for note in first["notes"]), first["notes"])
        second = self.server.good("POST", "sites/shop/learn", {"cluster": 2})
        self.assertEqual(second["pages"], found[1]["pages"])
        self.assertEqual(self.server.ask("POST", "sites/shop/learn", {"cluster": 3})[0], 422)
        # as the command line
        path = os.path.join(self.server.folder, "w.json")
        for number, learnt in ((1, first), (2, second)):
            subprocess.run([THRESH, "learn", "-q", "--project", self.server.project, "--site", "shop", "--cluster", str(number), "-o", path], check=True)
            with open(path, encoding="utf-8") as file:
                made = json.load(file)
            self.assertEqual((made["engine"], made["rules"]), (learnt["wrapper"]["engine"], learnt["wrapper"]["rules"]))

    def test_view_is_safe(self):
        page = self.add(data=HOSTILE)
        view = self.server.good("GET", f"pages/{page}/view").decode()
        for word in ("<script", "<iframe", "<object", "<embed", "<link", "<base", "<form", "<svg", "<math",
                     "<template", "onclick", "onerror", "formaction", "ping=", "target=", "@import"):
            self.assertNotIn(word, view.lower())
        self.assertEqual(re.findall(r"url\((?!&quot;data:,|\"data:,)", view), [])
        self.assertNotRegex(view, r'\s(src|href|action)="(?!data:image/)')
        self.assertIn("Text &lt;script&gt;alert(2)", view)
        self.assertIn('class="ok"', view)
        self.assertIn("<style>b{color:red}</style>", view)

    def see(self, page, *more):
        """The answer to a request for a page as it looks, which is sent without a token."""
        path = "/".join([self.server.good("GET", "status")["see"], str(page), *map(str, more)])
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers, body

    def test_look_keeps_structure(self):
        page = self.add(data=b"""<!doctype html><html lang=en class=no-js><title>x</title><style>ul>:first-child{color:red}</style>
<body id=top data-kind=shop onload=x()><ul><script>1</script><li class="a b" aria-label=x>One &amp; two</li><li>  <b>Three</b></ul>
<p><a href="/there?a=1">go</a><my-card role=note>card</my-card><blink>x</blink><form action=/x><input name=q></form>""")
        status, headers, body = self.see(page)
        self.assertEqual(status, 200)
        look = body.decode()
        self.assertTrue(look.startswith('<!doctype html><html lang="en" class="no-js"><head><meta charset="utf-8"><style>'), look)
        self.assertIn('<style>ul>:first-child{color:red}</style></head><body id="top" data-kind="shop"><ul><template></template>'
                      '<li class="a b" aria-label="x"><!--t=', look)
        self.assertIn('<my-card role="note"><!--t=', look)
        self.assertRegex(look, r'<a data-href-s="\d+" data-href-e="\d+" data-href="/there\?a=1"><!--t=')
        self.assertRegex(look, r"<th-x><!--t=\d+-\d+-->x</th-x></p><th-form><input></th-form>")
        text = self.server.good("GET", f"pages/{page}/text")
        found = [text[int(start):int(end)] for start, end in re.findall(r"<!--t=(\d+)-(\d+)-->", look)]
        self.assertEqual(found, [b"One &amp; two", b"Three", b"go", b"card", b"x"])

    def test_look_is_safe(self):
        page = self.add(data=HOSTILE)
        status, headers, body = self.see(page)
        look = body.decode()
        for word in ("<script", "<iframe", "<object", "<embed", "<link", "<base", "<form", "<math", "onclick", "onerror",
                     "formaction", "ping=", "target=", "@import", "http-equiv"):
            self.assertNotIn(word, look.lower())
        self.assertNotRegex(look, r'\s(src|href|action|background)="(?!data:image/)')
        self.assertEqual(re.findall(r"url\((?!&quot;data:,|\"data:,)", look), [])
        policy = headers["Content-Security-Policy"]
        origin = f"http://127.0.0.1:{self.server.port}{self.server.good('GET', 'status')['see']}/"
        self.assertEqual(policy, f"default-src 'none'; style-src 'unsafe-inline' {origin}; img-src data: {origin}; font-src data: "
                         f"{origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin")
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(headers["Referrer-Policy"], "no-referrer")
        self.assertEqual(headers["Cross-Origin-Resource-Policy"], "same-origin")

    def test_who_may_see(self):
        page = self.add()
        see = self.server.good("GET", "status")["see"]
        key = see.split("/")[2]
        self.assertRegex(see, r"^/see/[0-9a-f]{64}$")
        self.assertNotIn(TOKEN, see)
        self.assertEqual(self.server.ask("GET", f"{see}/{page}", token=None)[0], 200)
        for path in (f"/see/{page}", f"/see/x/{page}", f"/see/{key[:-1]}/{page}", f"/see/{key}x/{page}", f"/see//{page}", f"{see}",
                     f"{see}/", f"{see}/99", f"{see}/{page}/1", f"{see}/{page}/", f"{see}/{page}/1/2", f"{see}/x", f"{see}/-1",
                     f"{see}/api/v1/status", f"{see}/../../api/v1/status"):
            self.assertIn(self.server.ask("GET", path, token=None)[0], (401, 404), path)
        self.assertEqual(self.server.ask("POST", f"{see}/{page}", b"x", token=None)[0], 405)
        self.assertEqual(self.server.ask("GET", f"{see}/{page}", token=None, headers={"Host": "evil.example"})[0], 403)
        self.assertEqual(self.server.ask("GET", f"{see}/{page}", token=None, headers={"Origin": "http://evil.example"})[0], 403)
        self.assertEqual(self.server.ask("GET", "status", headers={"Authorization": "Bearer " + key}, token=None)[0], 401)
        self.server.stop()
        self.server.start(env={"THRESH_TOKEN": "another-token-for-tests"})
        self.assertEqual(self.server.ask("GET", f"{see}/{page}", token=None)[0], 404)

    def test_look_of_a_dropped_folder(self):
        """Files that are uploaded beside a page, in any order; types are those of the content."""
        put = lambda name, data, site="shop": self.server.ask("POST", f"sites/{site}/assets?name={name}", data)
        self.assertEqual(put("shop/x_files/a.css", b"@import 'b.css'; p{background:url(c.png)}")[0], 200)
        page = self.add(name="shop/x.html", data=b"<link rel=stylesheet href=x_files/a.css><img src='x_files/c.png'><img src=x_files/d.svg><p>x")
        self.assertEqual(put("shop/x_files/b.css", b"p{color:u\\72l(http://evil.example/x)}</style><script>")[0], 200)
        self.assertEqual(put("shop/x_files/c.png", PNG)[0], 200)
        svg = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
        self.assertEqual(put("shop/x_files/d.svg", svg)[0], 200)
        self.assertEqual(put("shop/x_files/e.png", b"<html><script>alert(1)</script>")[0], 422)
        self.assertEqual(put("shop/x_files/f.css", b"\0\0\0binary")[0], 422)
        self.assertEqual(put("", b"x")[0], 400)
        self.assertEqual([one["type"] for one in self.server.good("GET", "sites/shop/assets")["assets"]],
                         ["text/css", "text/css", "image/png", "image/svg+xml"])
        see = self.server.good("GET", "status")["see"]
        look = self.see(page)[2].decode()
        self.assertEqual(re.findall(r' (?:src|href)="%s/%d/(\d+)"' % (see, page), look), ["1", "3", "4"])
        status, headers, sheet = self.see(page, 1)
        self.assertEqual(headers["Content-Type"], "text/css; charset=utf-8")
        self.assertEqual(sheet.decode(), f'@import url("{see}/{page}/2"); p{{background:url("{see}/{page}/3")}}')
        self.assertNotIn(b"<script", self.see(page, 2)[2])
        self.assertNotIn(b"evil", self.see(page, 2)[2])
        status, headers, image = self.see(page, 3)
        self.assertEqual((headers["Content-Type"], image), ("image/png", PNG))
        status, headers, image = self.see(page, 4)
        self.assertEqual((headers["Content-Type"], headers["X-Content-Type-Options"]), ("image/svg+xml", "nosniff"))
        self.assertRegex(headers["Content-Security-Policy"], r"^default-src 'none'; .*; sandbox$")
        self.assertEqual(headers["Content-Disposition"], "attachment")  # never a document
        other = self.add(site="other")
        self.assertEqual(self.see(other, 1)[0], 404)  # of another site
        self.server.good("DELETE", "sites/shop")
        self.assertEqual(self.server.good("GET", "sites/shop/assets"), {"assets": []})

    def test_looks_are_tidied(self):
        """What no page looks with any more goes with `thresh project tidy`."""
        for name, data in (("a.css", b"@import 'b.css';"), ("b.css", b"p{background:url(c.png)}"), ("c.png", PNG), ("d.png", PNG + b"d"), ("e.css", b"p{}")):
            self.server.good("POST", f"sites/shop/assets?name={name}", data)
        self.add(name="1.html", data=b"<link rel=stylesheet href=a.css><p>x")
        other = self.add(name="2.html", data=b"<img src=d.png><p>x")
        tidy = lambda: subprocess.run([THRESH, "project", "tidy", self.server.project], check=True, capture_output=True)
        names = lambda: [one["address"] for one in self.server.good("GET", "sites/shop/assets")["assets"]]
        tidy()
        self.assertEqual(names(), ["a.css", "b.css", "c.png", "d.png"])
        self.server.good("DELETE", "sites/shop/pages", {"pages": [other]})
        tidy()
        self.assertEqual(names(), ["a.css", "b.css", "c.png"])
        self.assertEqual(subprocess.run([THRESH, "project", "list", self.server.project, "assets", "-f", "csv"], check=True, capture_output=True,
                                        text=True).stdout.split("\n")[1].split(",")[:4], ["shop", "a.css", "text/css", "16"])

    def test_look_of_a_saved_page(self):
        """Files beside a page of this machine, and none from elsewhere."""
        folder = tempfile.mkdtemp(prefix="thresh-saved-")
        self.addCleanup(shutil.rmtree, folder)
        write = lambda name, data: (os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True),
                                    open(os.path.join(folder, name), "wb").write(data))
        write("in/shop/x.html", b"<link rel=stylesheet href='x%20files/a.css'><link rel=stylesheet href='../top.css'><img src=x%20files/c.png>"
              b"<link rel=stylesheet href=../../secret.css><link rel=stylesheet href=link.css><img src=/logo.png><img src=notes.txt><p>x")
        write("in/shop/x files/a.css", b"@import url(b.css); p{background:url('c.png')}")
        write("in/shop/x files/b.css", b"p{color:red}")
        write("in/shop/x files/c.png", PNG)
        write("in/top.css", b"p{margin:0}")
        write("in/logo.png", PNG + b"1")
        write("in/shop/notes.txt", b"secret")
        write("secret.css", b"p{content:'secret'}")
        os.symlink(os.path.join(folder, "secret.css"), os.path.join(folder, "in/shop/link.css"))
        job = self.server.good("POST", "sites/shop/inputs", {"inputs": [os.path.join(folder, "in")]})["job"]
        self.assertEqual(self.server.wait_for_job(job)["state"], "done")
        names = [os.path.relpath(one["address"], folder) if one["address"][0] == "/" else one["address"]
                 for one in self.server.good("GET", "sites/shop/assets")["assets"]]
        self.assertEqual(sorted(names), ["in/shop/x files/a.css", "in/shop/x files/b.css", "in/shop/x files/c.png", "in/top.css", "logo.png"])
        page = self.server.good("GET", "sites/shop/pages")["pages"][0]["id"]
        self.assertEqual(self.see(page)[2].count(b"/see/"), 4)

    def test_look_of_a_fetched_page(self):
        """Sheets, what they import, images and fonts; failures are no errors, and nothing is fetched twice."""
        site = LookSite()
        self.addCleanup(site.close)
        self.server.close()
        self.server = Server("--allow-private", "--delay", "0")
        urls = [f"{site.origin}/a/page.html", f"{site.origin}/a/other.html"]
        job = self.server.good("POST", "sites/shop/inputs", {"inputs": urls})["job"]
        done = self.server.wait_for_job(job)
        self.assertEqual((done["state"], done["message"]), ("done", ""))
        assets = {one["address"].removeprefix(site.origin): one["type"] for one in self.server.good("GET", "sites/shop/assets")["assets"]}
        self.assertEqual(assets, {"/s/one.css?v=1": "text/css", "/s/two.css": "text/css", "/i/lazy.png": "image/png", "/i/bg.png": "image/png",
                                  "/i/set.png": "image/png", "/s/f.woff2": "font/woff2"})
        asked = [path for path in site.asked if path != "/robots.txt"]
        self.assertEqual(len(asked), len(set(asked)), asked)
        self.assertFalse([path for path in site.asked if "private" in path or "script" in path or "frame" in path], site.asked)
        page = self.server.good("GET", "sites/shop/pages")["pages"][0]["id"]
        self.assertEqual(self.see(page)[2].count(b"/see/"), 3)
        self.server.close()
        self.server = Server("--allow-private", "--delay", "0", "--no-looks")
        job = self.server.good("POST", "sites/shop/inputs", {"inputs": urls[:1]})["job"]
        self.assertEqual(self.server.wait_for_job(job)["state"], "done")
        self.assertEqual(self.server.good("GET", "sites/shop/assets"), {"assets": []})

    def test_look_of_an_archive(self):
        """What the same archive has."""
        folder = tempfile.mkdtemp(prefix="thresh-warc-")
        self.addCleanup(shutil.rmtree, folder)
        path = os.path.join(folder, "crawl.warc")
        with open(path, "wb") as file:
            for url, kind, body in (("http://a.example/x/bg.png", "image/png", PNG),
                                    ("http://a.example/p.html", "text/html", b"<link rel=stylesheet href=x/a.css><p>x"),
                                    ("http://a.example/x/other.css", "text/css", b"p{}"),
                                    ("http://a.example/x/a.css", "text/css", b"p{background:url(bg.png)}")):
                block = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s" % (kind.encode(), len(body), body)
                file.write(b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nContent-Type: application/http;msgtype=response\r\n"
                           b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (url.encode(), len(block), block))
        job = self.server.good("POST", "sites/shop/inputs", {"inputs": [path]})["job"]
        self.assertEqual(self.server.wait_for_job(job)["state"], "done")
        self.assertEqual([one["name"] for one in self.server.good("GET", "sites/shop/pages")["pages"]], ["http://a.example/p.html"])
        found = ["http://a.example/x/a.css", "http://a.example/x/bg.png"]
        self.assertEqual([one["address"] for one in self.server.good("GET", "sites/shop/assets")["assets"]], found)
        with open(path, "rb") as file:  # the same, dropped
            self.server.good("POST", "sites/other/pages?name=crawl.warc", file.read())
        self.assertEqual([one["address"] for one in self.server.good("GET", "sites/other/assets")["assets"]], found)

    def test_view_keeps_direction(self):
        page = self.add(data=b"<html dir=rtl lang=ar onload=x><body class='list wide' style='background:url(x)' onload=y><p>x</p>")
        view = self.server.good("GET", f"pages/{page}/view?lean=1").decode()
        self.assertTrue(view.startswith('<!doctype html><html dir="rtl" lang="ar"><meta charset="utf-8"><body class="list wide">'), view)

    def test_view_of_a_large_page(self):
        """All of it is there; what is behind the beginning is shown later, in few portions."""
        rows = b"".join(b"<li><b>Title %d</b><i>%d EUR</i></li>" % (i, i) for i in range(40000))
        page = self.add(data=b"<ul>" + rows + b"</ul>")
        view = self.server.good("GET", f"pages/{page}/view?lean=1").decode()
        self.assertEqual(view.count("<li"), 40000)
        portions = [int(one) for one in re.findall(r"<li l=(\d+)>", view)]
        self.assertEqual(portions, sorted(portions))
        self.assertLessEqual(len(set(portions)), 8)
        self.assertGreater(len(portions), 39000)
        self.assertNotIn(" l=", self.server.good("GET", f"pages/{page}/view").decode())

    def test_hits(self):
        """What rules go by, by engine: each hit is what stands at its bytes."""
        for number, word in enumerate(("ash", "birch", "cedar")):
            self.add(name=f"{number}.html", data=f"<h1>The {word}</h1><table><tr><th>Pages</th><td>{number + 40}</td></tr><tr><th>Our price:</th><td><b>{number + 4}.50</b> EUR</td></tr></table>".encode())
        for number, word in enumerate(("ash", "birch")):
            self.server.good("PUT", "sites/shop/labels", {"page": f"{number}.html", "records": [{"title": f"The {word}", "price": f"{number + 4}.50"}]})
        text = self.server.good("GET", "pages/3/text")
        wanted = {"stalker": ("start, forward", "<b>"), "softmealy": ("start, left", "<b>"), "paths": ("element", "<b>"), "template": ("element", "<b>")}
        for engine, (part, tag) in wanted.items():
            asked = {"engine": engine, **({"labels": []} if engine == "template" else {})}
            wrapper = self.server.good("POST", "sites/shop/learn", asked)["wrapper"]
            hits = self.server.good("POST", "sites/shop/hits", {"wrapper": wrapper, "page": 3})["hits"]
            for hit in hits:
                self.assertEqual(text[hit["start"]:hit["end"]].decode()[:len(hit["text"])], hit["text"])
            field = "our_price" if engine == "template" else "price"
            self.assertIn((field, part, tag), [(hit["field"], hit["part"], hit["text"]) for hit in hits], engine)
        self.assertEqual(self.server.ask("POST", "sites/shop/hits", {"wrapper": wrapper, "page": 99})[0], 404)

    def test_columns_of_a_run(self):
        rows = "".join(f"<li><b>Lamp {n}</b> <i>{10 + n}.50 EUR</i></li>" for n in range(12)).replace("15.50 EUR", "9000.00 EUR")
        page = self.add(data=f"<h1>Shop</h1><ul>{rows}</ul>".encode())
        wrapper = self.server.good("POST", "sites/shop/learn", {"pages": [page]})["wrapper"]
        self.server.good("POST", "sites/shop/wrappers", {"name": "w", "wrapper": wrapper})
        self.server.wait_for_job(self.server.good("POST", "sites/shop/run", {"wrapper": "w"})["job"])
        run = self.server.good("GET", "sites/shop/runs")["runs"][0]["id"]
        survey = self.server.good("GET", f"runs/{run}/columns")
        self.assertEqual((survey["records"], [one["records"] for one in survey["pages"]]), (12, [12]))
        price = next(field for field in survey["fields"] if field["type"] == "price")
        self.assertEqual((price["filled"], price["coverage"], price["numbers"]["most"]), (12, [12], 9000))
        self.assertEqual([(one["why"], one["records"][0]["record"]) for one in price["outliers"]], [("far", 5)])
        told = subprocess.run([THRESH, "project", "columns", self.server.project, str(run)], check=True, capture_output=True).stdout
        self.assertEqual(json.loads(told), survey)
        self.assertEqual(self.server.ask("GET", "runs/99/columns")[0], 422)

    def test_steps(self):
        pages = [self.add(name=f"{i}.html", data=b"<html><body><h1>Thing %d</h1><p>now at %d euro</p><ul>%s</ul></body></html>" % (i, 7 * i, b"".join(b"<li><b>A%d</b> <i>%d</i></li>" % (n, n) for n in range(6))))
                 for i in (1, 2, 3)]
        text = self.server.good("GET", f"pages/{pages[0]}/text").decode()
        path = os.path.join(self.server.folder, "1.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        for engine in ("mdr", "iepad"):
            steps = self.server.good("POST", f"pages/{pages[0]}/steps", {"engine": engine})["steps"]
            told = subprocess.run([THRESH, "regions", "--trace", "--engine", engine, "-f", "ndjson", path], check=True, capture_output=True, text=True).stdout
            self.assertEqual(steps[1:], [json.loads(line) for line in told.splitlines()][1:]) # but for the name of the page
        nodes = [one for one in self.server.good("POST", f"pages/{pages[0]}/steps", {"engine": "mdr"})["steps"] if one.get("tag") == "li"]
        self.assertEqual([text[one["start"]:one["end"]] for one in nodes][0], "<li><b>A0</b> <i>0</i></li>")
        rows = self.server.good("POST", f"pages/{pages[0]}/steps", {"engine": "iepad", "encoding": "all-tag"})["steps"]
        rows = [one["row"] for one in rows if one["step"] == "record"]
        self.assertIn("<li> <b> <TEXT> </b> <i> <TEXT> </i> </li>", rows)
        self.assertEqual([one["step"] for one in self.server.good("POST", f"pages/{pages[0]}/steps", {})["steps"]], ["page"]) # our own engine shows none
        classes = self.server.good("POST", "sites/shop/learn", {"engine": "exalg", "labels": [], "steps": True})["steps"]
        self.assertIn("lfeq", [one["step"] for one in classes])
        self.assertEqual(self.server.ask("POST", "pages/99/steps", {"engine": "mdr"})[0], 404)
        self.assertEqual(self.server.ask("POST", f"pages/{pages[0]}/steps", {"engine": "nobody"})[0], 422)

    def test_documentation(self):
        status, body = self.server.ask("GET", "/docs/LISTS.html", token=None)
        if status == 404:
            self.skipTest("built without the workbench")
        self.assertIn(b'<h3 id="mdr">MDR</h3>', body)
        self.assertNotIn(b"<script", body)

    def test_view_has_places(self):
        page = self.add(data="<p>Käse &amp; Brot</p>".encode())
        view = self.server.good("GET", f"pages/{page}/view").decode()
        start = int(re.search(r"<th-t t=(\d+)-", view).group(1))
        self.assertRegex(view, r'<p data-n="1" data-s="0" data-e="\d+"><th-t ')
        lean = self.server.good("GET", f"pages/{page}/view?lean=1").decode()
        self.assertIn(f"<p><th-t t={start}-", lean)
        place = self.server.good("GET", f"pages/{page}/place?start={start}&from=5&to=11")
        self.assertEqual(place["text"], "& Brot")
        text = self.server.good("GET", f"pages/{page}/text")
        self.assertEqual(text[place["start"]:place["end"]], b"&amp; Brot")
        # every part of a text with references, ampersands that begin none, line ends and letters of two units
        source, shown = "Tin &amp; AT&T\r\n&#8364;5 &lt;\U0001f600&gt; &copy x", "Tin & AT&T\n€5 <\U0001f600> © x"
        page = self.add(name="parts", data=f"<p>{source}</p>".encode())
        for word in re.findall(r"\S+", shown):
            at = shown.index(word)
            units = [len(shown[:end].encode("utf-16-le")) // 2 for end in (at, at + len(word))]
            place = self.server.good("GET", f"pages/{page}/place?start=3&from={units[0]}&to={units[1]}")
            self.assertEqual(place["text"], word)

    def test_around(self):
        """The elements around a byte, with attributes and their places; places decode to the values."""
        source = ('<!doctype html><base href="https://shop.example/list/"><ul><li class="card new" data-sku=\'K&amp;1\' onclick=go()>'
                  '<a href=" ../p/1?a=1&amp;b=2 "><img src="data:,x" data-src=i/ä.jpg srcset="i/s.jpg 1x, i/l.jpg 2x" alt=""><b>Kéttle</b></a>'
                  '<TIME DateTime=2026-05-02 hidden>Saturday</TIME></ul>').encode()
        page = self.add(data=source)
        text = self.server.good("GET", f"pages/{page}/text")

        def around(needle):
            found = self.server.good("GET", f"pages/{page}/around?start={source.index(needle.encode())}")["elements"]
            for element in found:
                for attribute in element["attributes"]:
                    self.assertEqual(text[attribute["start"]:attribute["end"]].decode().replace("&amp;", "&"), attribute["value"])
                    del attribute["start"], attribute["end"]
            return found

        found = around("Kéttle")
        self.assertEqual([element["tag"] for element in found], ["b", "a", "li", "ul"])
        self.assertEqual(found[0]["attributes"], [])
        self.assertEqual(found[1]["attributes"], [{"name": "href", "value": "../p/1?a=1&b=2", "url": "https://shop.example/p/1?a=1&b=2"}])
        self.assertEqual(found[2]["class"], "card new")
        self.assertEqual(found[2]["attributes"], [{"name": "data-sku", "value": "K&1"}])
        image = around("i/l.jpg")[0]
        self.assertEqual(image["tag"], "img")
        self.assertEqual(image["attributes"], [
            {"name": "src", "value": "data:,x", "url": "data:,x"},
            {"name": "data-src", "value": "i/ä.jpg", "url": "https://shop.example/list/i/ä.jpg", "image": True},
            {"name": "srcset", "value": "i/l.jpg", "url": "https://shop.example/list/i/l.jpg"}])
        self.assertEqual(around("Saturday")[0]["attributes"], [{"name": "datetime", "value": "2026-05-02"}])
        self.assertEqual(self.server.ask("GET", f"pages/{page}/around?start={len(source)}")[0], 422)
        self.assertEqual(self.server.ask("GET", f"pages/{page}/around")[0], 400)
        self.assertEqual(self.server.ask("GET", "pages/99/around?start=0")[0], 404)
        deep = self.add(name="deep.html", data=b"<div>" * 400 + b"x" + b"<img src='data:," + b"y" * 100000 + b"'>")
        found = self.server.good("GET", f"pages/{deep}/around?start={5 * 400 + 3}")["elements"]
        self.assertEqual(len(found), 48)
        self.assertEqual(len(found[0]["attributes"][0]["value"]), 1000)
        self.assertEqual(found[0]["attributes"][0]["end"] - found[0]["attributes"][0]["start"], 100006)
        self.assertTrue(found[0]["attributes"][0]["cut"])

    def test_learn_from_attributes(self):
        """The place of an attribute's value, as `around` gives it, is a label: one gives the attribute of all records."""
        page = self.add(data=b"<h1>Shop</h1><ul>" + b"".join(
            b"<li data-sku='K-%d'><a href='/p/%d'><img src='data:,' data-src='/i/%d.jpg' alt='No. %d'><b>Thing %d</b></a> <time datetime='2026-05-%02d'>day</time></li>"
            % (i, i, i, i, i, i) for i in range(1, 8)) + b"</ul>")
        text = self.server.good("GET", f"pages/{page}/text")
        wanted = {"data-sku": "K-{}", "href": "/p/{}", "data-src": "/i/{}.jpg", "alt": "No. {}", "datetime": "2026-05-0{}"}
        for needle in (b"No. 2", b"Thing 2", b"2026-05-02"):
            for element in self.server.good("GET", f"pages/{page}/around?start={text.index(needle)}")["elements"]:
                for attribute in element["attributes"]:
                    if attribute["name"] not in wanted:
                        continue
                    line = {"page": "1.html", "records": [{"x": {"start": attribute["start"], "end": attribute["end"]}}]}
                    learnt = self.server.good("POST", "sites/shop/learn", {"labels": [line], "list": True})
                    found = self.server.good("POST", "sites/shop/extract", {"wrapper": learnt["wrapper"]})["pages"][0]["found"]["records"]
                    self.assertEqual([row["x"]["value"] for row in found], [wanted[attribute["name"]].format(i) for i in range(1, 8)])

    def test_inputs_and_events(self):
        folder = os.path.join(self.server.folder, "in")
        os.mkdir(folder)
        for number in range(30):
            with open(os.path.join(folder, f"{number}.html"), "wb") as file:
                file.write(LIST + b"<!-- %d -->" % number)
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=10)
        connection.request("GET", "/api/v1/events", headers={"Authorization": f"Bearer {TOKEN}"})
        events = connection.getresponse()
        self.assertEqual(events.readline(), b": listening\n")
        job = self.server.good("POST", "sites/new/inputs", {"inputs": [folder]})["job"]
        self.assertEqual(self.server.wait_for_job(job)["done"], 30)
        self.assertEqual(len(self.server.good("GET", "sites/new/pages")["pages"]), 30)
        states = []
        while "done" not in states:
            line = events.readline()
            if line.startswith(b"data: "):
                states.append(json.loads(line[6:])["state"])
        self.assertEqual(states[0], "waiting")
        connection.close()

    def test_cancel(self):
        folder = os.path.join(self.server.folder, "in")
        os.mkdir(folder)
        for number in range(3000):
            with open(os.path.join(folder, f"{number}.html"), "wb") as file:
                file.write(LIST + b"<!-- %d -->" % number)
        job = self.server.good("POST", "sites/new/inputs", {"inputs": [folder]})["job"]
        self.server.good("DELETE", f"jobs/{job}")
        self.assertEqual(self.server.wait_for_job(job)["state"], "cancelled")
        self.assertLess(len(self.server.good("GET", "sites/new/pages")["pages"]), 3000)
        done = subprocess.run([THRESH, "project", "check", self.server.project], capture_output=True, check=False)
        self.assertEqual(done.returncode, 0)

    def test_half_sent(self):
        """Hundreds of requests that never end, or that go on byte by byte, do not keep others out."""
        sockets = []
        request = b"POST /%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 1000\r\n\r\n"
        for number in range(600):  # nothing, a piece of a header, or a whole one without its body
            whole = request % (b"index.html" if number % 2 else b"api/v1/sites/s/pages?name=x", self.server.port)
            one = socket.create_connection(("127.0.0.1", self.server.port))
            one.setblocking(False)
            with contextlib.suppress(OSError):
                one.send(whole[:number % (len(whole) + 1)])
            sockets.append(one)
        for step in range(4):
            self.assertEqual(self.in_time("GET", "status")[0], 200)
            for one in sockets:
                with contextlib.suppress(OSError):
                    one.send(b"x")
        for one in sockets:
            one.close()
        self.assertEqual(self.in_time("GET", "status")[0], 200)

    def in_time(self, *request):
        """An answer that comes within two seconds."""
        began = time.monotonic()
        answer = self.server.ask(*request)
        self.assertLess(time.monotonic() - began, 2 * PATIENCE)
        return answer

    def ends_in_time(self, job):
        """Cancels a job, which ends within two seconds."""
        began = time.monotonic()
        self.server.good("DELETE", f"jobs/{job}")
        self.assertEqual(self.server.wait_for_job(job)["state"], "cancelled")
        self.assertLess(time.monotonic() - began, 2 * PATIENCE)

    def slow_site(self, delay):
        site = SlowSite(delay)
        self.addCleanup(site.close)
        self.server.close()
        self.server = Server("--allow-private")
        return site

    def test_slow_hosts(self):
        """While pages are fetched everything else goes on, and pages that have come are there."""
        site = self.slow_site(0.7)
        self.add()
        job = self.server.good("POST", "sites/new/inputs", {"inputs": site.urls(20)})["job"]
        for _ in range(3):
            self.assertEqual(self.in_time("PUT", "sites/shop/labels", {"page": "1.html", "records": [{"title": "Title 1"}]})[0], 200)
            self.assertEqual(self.in_time("GET", "status")[0], 200)
            time.sleep(1)
        self.assertTrue(self.server.good("GET", "sites/new/pages")["pages"])
        self.assertEqual(self.server.good("GET", f"jobs/{job}")["state"], "running")
        self.ends_in_time(job)
        self.assertLess(len(self.server.good("GET", "sites/new/pages")["pages"]), 20)

    def test_hosts_that_never_answer(self):
        """Neither a job nor the server waits for them when it is to end."""
        site = self.slow_site(60)
        add = lambda: self.server.good("POST", "sites/new/inputs", {"inputs": site.urls(3)})["job"]
        job = add()
        time.sleep(0.5)
        self.ends_in_time(job)
        add()
        time.sleep(0.5)
        self.stops_in_time()

    def stops_in_time(self):
        began = time.monotonic()
        self.assertEqual(self.server.stop(), 0)
        self.assertLess(time.monotonic() - began, 2 * PATIENCE)

    def test_every_job_ends_in_time(self):
        """On large pages, and on a list whose items are never closed, which is hard to repair."""
        def fill(count, item):
            for number in range(3):
                rows = "".join(item % (i, i, number, i) for i in range(count))
                self.add(name=f"{number}.html", data=f"<ul>{rows}</ul>".encode())
        fill(20, "<li><a href=/p/%d>Item %d of %d</a> <b>$%d.00</b></li>")
        self.server.good("PUT", "sites/shop/labels", {"page": "0.html", "records": [{"name": f"Item {i} of 0", "price": f"${i}.00"} for i in range(3)]})
        wrapper = self.server.good("POST", "sites/shop/learn", {"engine": "stalker"})["wrapper"]
        self.server.good("POST", "sites/shop/wrappers", {"name": "w", "wrapper": wrapper})
        def cancel(kind):
            for wait in (0, 0.4, 1):
                job = self.server.good("POST", f"sites/shop/{kind}", {"wrapper": "w"})["job"]
                time.sleep(wait)
                began = time.monotonic()
                self.server.good("DELETE", f"jobs/{job}")
                self.assertIn(self.server.wait_for_job(job)["state"], ("cancelled", "done"))
                self.assertLess(time.monotonic() - began, 2 * PATIENCE, (kind, wait))
        fill(60_000, "<li><a href=/p/%d>Item %d of %d</a> <b>$%d.00</b></li>")
        cancel("run")
        cancel("verify")
        fill(1500, "<li class=z><div><a href=/p/%d>Item %d of %d</a> <u class=q>$%d.00</u></li>")
        cancel("repair")
        self.server.good("POST", "sites/shop/repair", {"wrapper": "w"})
        def learn():
            with contextlib.suppress(OSError, http.client.HTTPException):  # the server goes
                self.server.ask("POST", "sites/shop/learn", {"engine": "softmealy"})
        learning = threading.Thread(target=learn)
        learning.start()
        time.sleep(0.5)
        self.stops_in_time()
        learning.join()

    def test_fetching_on_the_command_line(self):
        """Another process can write to the project while pages are fetched."""
        site = self.slow_site(0.7)
        for words in (["project", "add", self.server.project], ["--project", self.server.project]):
            run = subprocess.Popen([THRESH, *words, "--allow-private", "-q", *site.urls(4)], stdout=subprocess.DEVNULL)
            tries = 0
            while run.poll() is None:
                with contextlib.closing(sqlite3.connect(self.server.project, timeout=PATIENCE, isolation_level=None)) as other:
                    other.execute("BEGIN IMMEDIATE")  # fails when it has to wait for longer
                    other.execute("ROLLBACK")
                tries += 1
                time.sleep(0.05)
            self.assertEqual(run.returncode, 0)
            self.assertGreater(tries, 10)
        self.assertEqual(len(self.server.good("GET", "sites/default/pages")["pages"]), 4)

    def test_what_never_ends(self):
        """Pipes, devices and standard input are refused; the next job runs."""
        pipe, names = os.path.join(self.server.folder, "pipe"), os.path.join(self.server.folder, "names")
        os.mkfifo(pipe)
        with open(names, "w", encoding="utf-8") as file:
            file.write("-\n@-\npipe\n")
        inputs = [pipe, "@" + pipe, "-", "@-", "/dev/zero", "@/dev/zero", "@" + names]
        job = self.server.good("POST", "sites/new/inputs", {"inputs": inputs})["job"]
        found = self.server.wait_for_job(job)
        self.assertEqual((found["state"], found["done"]), ("done", 0))
        self.assertIn("9 could not be read", found["message"])

    def test_names_that_are_not_text(self):
        """Names of files may be any bytes: what is said of them is UTF-8 all the same."""
        folder = os.path.join(self.server.folder, "in").encode()
        os.mkdir(folder)
        os.symlink(b"nowhere", os.path.join(folder, b"caf\xe9\xc3\xa9.html"))
        row = "<li><b>Title %d of the shop</b> <i>%d.50 EUR</i></li>"
        for number in range(4):
            with open(os.path.join(folder, b"%d\xff.html" % number), "w", encoding="utf-8") as file:
                file.write("<ul>" + "".join(row % (10 * number + i, 7 * number + i) for i in range(8)) + "</ul>")
        job = self.server.good("POST", "sites/new/inputs", {"inputs": [folder.decode()]})["job"]
        found = self.server.wait_for_job(job)
        self.assertEqual((found["state"], found["done"]), ("done", 4))
        self.assertIn("caf\ufffd\u00e9.html", found["result"]["failed"][0]["input"])
        pages = self.server.good("GET", "sites/new/pages")["pages"]
        self.assertEqual(pages[0]["name"], f"{folder.decode()}/0\ufffd.html")
        learnt = self.server.good("POST", "sites/new/learn", {})["wrapper"]
        self.server.good("POST", "sites/new/wrappers", {"name": "w", "wrapper": learnt})
        self.assertEqual(len(self.server.good("POST", "sites/new/extract", {"wrapper": "w"})["pages"]), 4)
        for number in range(4):
            with open(os.path.join(folder, b"%d\xff.html" % number), "w", encoding="utf-8") as file:
                file.write("<p>Gone %d</p>" % number)
        self.server.wait_for_job(self.server.good("POST", "sites/new/inputs", {"inputs": [folder.decode()]})["job"])
        self.assertTrue(self.server.job("sites/new/verify", {"wrapper": "w"})["drift"])
        self.server.job("sites/new/repair", {"wrapper": "w"})
        self.assertEqual(self.server.ask("GET", "sites/caf%E9/pages")[0], 400)

    def test_browser(self):
        """It is told the address in a file of its own; it is waited for, and outlives the server."""
        self.server.close()
        told = os.path.join(self.server.folder, "told")
        os.makedirs(told)
        opener = os.path.join(told, "xdg-open")
        with open(opener, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\ncd {told}\ntr '\\0' ' ' </proc/$$/cmdline >words\ngrep SigBlk /proc/self/status >mask\ncp -p \"$1\" door\n"
                       "sleep 30 & echo $! >browser\nmv mask blocked\n")
        os.chmod(opener, 0o755)
        env = {"PATH": f"{told}:{os.environ['PATH']}", "DISPLAY": ":0", "XDG_RUNTIME_DIR": told}
        self.server.start(browser=True, env=env)
        def read(name):
            with open(os.path.join(told, name), encoding="ascii") as file:
                return file.read()
        deadline = time.monotonic() + 10 * PATIENCE
        while not os.path.exists(os.path.join(told, "blocked")) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertNotIn(TOKEN, read("words"))
        self.assertIn(f"http://127.0.0.1:{self.server.port}/#token={TOKEN}", read("door"))
        self.assertEqual(stat.S_IMODE(os.stat(os.path.join(told, "door")).st_mode), 0o600)
        self.assertEqual(int(read("blocked").split()[1], 16), 0)
        browser = int(read("browser"))
        children = lambda: read(f"/proc/{self.server.process.pid}/task/{self.server.process.pid}/children").split()
        while children() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(children(), [])  # not even one that has ended
        self.server.stop()
        os.kill(browser, 0)  # it is there
        os.kill(browser, signal.SIGTERM)
        self.assertEqual([name for name in os.listdir(told) if name.endswith(".html")], [])

    def test_many_requests(self):
        """Many requests at once: all answered, and memory stays where it is."""
        def memory():
            with open(f"/proc/{self.server.process.pid}/statm", encoding="ascii") as file:
                return int(file.read().split()[1])

        def work(count):
            connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
            for _ in range(count):
                connection.request("GET", "/api/v1/sites", headers={"Authorization": f"Bearer {TOKEN}"})
                answer = connection.getresponse()
                answer.read()
                assert answer.status == 200
            connection.close()

        def burst(count):
            threads = [threading.Thread(target=work, args=(count,)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        self.add()
        burst(250)
        before = memory()
        burst(1000)
        if not SANITIZED:  # a sanitizer keeps what was freed
            self.assertLess(memory(), before * 1.5)

    def test_others_see_what_was_saved(self):
        """What was answered as saved is seen by the command line at once, and outlives the server,
        however many connections to the project come and go."""
        page = self.add()
        wrapper = self.server.good("POST", "sites/shop/learn", {"pages": [page]})["wrapper"]
        with open(os.path.join(self.server.folder, "2.html"), "wb") as file:
            file.write(LIST)
        over = threading.Event()

        def ask():
            while not over.is_set():
                self.server.good("GET", "sites/shop/pages")

        def versions():
            told = subprocess.run([THRESH, "project", "list", self.server.project, "wrappers", "-f", "json"],
                                  stdout=subprocess.PIPE, check=True)
            return [int(one["version"]) for one in json.loads(told.stdout)]

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        try:
            for version in range(1, 26):
                self.assertEqual(self.server.good("POST", "sites/shop/wrappers", {"name": "w", "wrapper": wrapper}), {"version": version})
                self.assertEqual(versions(), list(range(1, version + 1)))
                if version % 5 == 0:  # the project lies among the pages
                    job = self.server.good("POST", "sites/shop/inputs", {"inputs": [self.server.folder]})["job"]
                    self.assertEqual(self.server.wait_for_job(job)["state"], "done")
        finally:
            over.set()
            for thread in threads:
                thread.join()
        self.server.process.kill()
        self.server.process.wait()
        self.assertEqual(versions(), list(range(1, 26)))
        self.server.process.stdout.close()
        self.server.start()

    def test_end(self):
        self.assertEqual(self.server.stop(), 0)
        self.server.start()
        self.assertEqual(self.server.ask("GET", "status")[0], 200)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

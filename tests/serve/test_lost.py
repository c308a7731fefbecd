#!/usr/bin/env python3
"""Nothing is lost: requests that are sent again, a server that is started again, files that are there already.

    test_lost.py THRESH [--sanitized]
"""
import gzip
import hashlib
import hmac
import os
import re
import signal
import stat
import subprocess
import unittest

from test_serve import LIST, THRESH, TOKEN, Server

OTHER = LIST.replace(b"Title", b"Other")


def warc(pages):
    """An archive of pages by URL."""
    whole = b""
    for url, html in pages.items():
        body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + html
        whole += (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
                  f"WARC-Record-ID: <urn:uuid:{hashlib.md5(url.encode()).hexdigest()}>\r\n"
                  f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body + b"\r\n\r\n"
    return whole


class Lost(unittest.TestCase):
    def setUp(self):
        self.server = Server("--allow-private")
        self.addCleanup(self.server.close)

    def kill(self):
        self.server.process.send_signal(signal.SIGKILL)
        self.server.process.wait()
        self.server.process.stdout.close()

    def names(self):
        return [page["name"] for page in self.server.good("GET", "sites/shop/pages")["pages"]]

    def test_labels_twice(self):
        """The same request again, as after a lost answer, is no conflict; another one is."""
        self.server.good("POST", "sites/shop/pages?name=1.html", LIST)
        one, two = [{"title": "Title 1"}], [{"title": "Title 2"}]
        change = {"page": "1.html", "before": None, "records": one}
        self.server.good("PUT", "sites/shop/labels", change)
        self.server.good("PUT", "sites/shop/labels", change)
        status, _ = self.server.ask("PUT", "sites/shop/labels", {**change, "records": two})
        self.assertEqual(status, 409)
        removal = {"page": "1.html", "before": one}
        self.server.good("PUT", "sites/shop/labels", removal)
        self.server.good("PUT", "sites/shop/labels", removal)
        self.assertEqual(self.server.good("GET", "sites/shop/labels"), b"")

    def test_wrapper_twice(self):
        """A wrapper that is sent again makes one version; one that is meant makes another."""
        self.server.good("POST", "sites/shop/pages?name=1.html", LIST)
        wrapper = self.server.good("POST", "sites/shop/learn", {})["wrapper"]
        save = {"name": "list", "wrapper": wrapper}
        self.assertEqual(self.server.good("POST", "sites/shop/wrappers", save)["version"], 1)
        self.assertEqual(self.server.good("POST", "sites/shop/wrappers", {**save, "again": True})["version"], 1)
        self.assertEqual(self.server.good("POST", "sites/shop/wrappers", {**save, "again": True, "base_version": 0})["version"], 1)
        self.assertEqual(self.server.good("POST", "sites/shop/wrappers", save)["version"], 2)

    def test_killed(self):
        """What was answered is stored, and a job of the server before is not taken for another one."""
        self.server.good("POST", "sites/shop/pages?name=1.html", LIST)
        self.server.good("PUT", "sites/shop/labels", {"page": "1.html", "records": [{"title": "Title 1"}]})
        job = self.server.good("POST", "sites/shop/inputs", {"inputs": ["/nowhere.html"]})["job"]
        self.kill()
        self.server.start()
        self.assertEqual(self.names(), ["1.html"])
        self.assertIn(b"Title 1", self.server.good("GET", "sites/shop/labels"))
        self.assertEqual(self.server.ask("GET", f"jobs/{job}")[0], 404)
        self.server.good("POST", "sites/shop/inputs", {"inputs": ["/nowhere.html"]})
        self.assertEqual(self.server.ask("GET", f"jobs/{job}")[0], 404)

    def test_names_that_are_taken(self):
        first = self.server.good("POST", "sites/shop/pages?name=1.html&exists=refuse", LIST)
        self.assertTrue(first["added"])
        again = self.server.good("POST", "sites/shop/pages?name=1.html&exists=refuse", LIST)
        self.assertEqual((again["id"], again["added"]), (first["id"], False))
        status, answer = self.server.ask("POST", "sites/shop/pages?name=1.html&exists=refuse", OTHER)
        self.assertEqual(status, 409, answer)
        self.assertEqual(self.server.good("GET", f"pages/{first['id']}/bytes"), LIST)
        replaced = self.server.good("POST", "sites/shop/pages?name=1.html", OTHER)
        self.assertNotEqual(replaced["id"], first["id"])
        self.assertEqual(len(self.server.good("GET", "sites/shop/pages?all=1")["pages"]), 2)

    def test_what_is_not_a_page(self):
        for name, data, reason in (("a.png", b"\x89PNG\r\n\x1a\n", "a PNG image"), ("a.pdf", b"%PDF-1.4", "a PDF file"),
                                   ("a.zip", b"PK\3\4", "a ZIP file"), ("a.html", b"", "empty"), ("b.html", bytes(range(32)) * 40, "a binary file"),
                                   ("a.warc", b"WARC/1.0\r\n\r\n", "")):
            status, answer = self.server.ask("POST", f"sites/shop/pages?name={name}", data)
            self.assertEqual(status, 422, (name, answer))
            self.assertIn(reason, answer["error"])
            self.assertNotIn(f"{name}: ", answer["error"])
        self.assertEqual(self.names(), [])

    def test_archives(self):
        """An archive gives its pages, by their URLs; a page that is packed is unpacked."""
        urls = ["http://shop.example/1", "http://shop.example/2"]
        data = warc(dict.fromkeys(urls, LIST))
        answer = self.server.good("POST", "sites/shop/pages?name=crawl.warc", data)
        self.assertEqual(len(answer["pages"]), 2)
        self.assertEqual(sorted(page["url"] for page in self.server.good("GET", "sites/shop/pages")["pages"]), urls)
        packed = self.server.good("POST", "sites/packed/pages?name=1.html.gz", gzip.compress(LIST))
        self.assertEqual(self.server.good("GET", f"pages/{packed['id']}/bytes"), LIST)

    def test_each_failure(self):
        closed = "http://127.0.0.1:9/closed"
        folder = os.path.join(self.server.folder, "in")
        os.mkdir(folder)
        good, bad = os.path.join(folder, "good.html"), os.path.join(folder, "bad.pdf")
        for path, data in ((good, LIST), (bad, b"%PDF-1.4")):
            with open(path, "wb") as file:
                file.write(data)
        job = self.server.job("sites/shop/inputs", {"inputs": [good, closed, bad, "/nowhere.html"]})
        failed = {one["input"]: one["reason"] for one in job["failed"]}
        self.assertEqual(set(failed), {closed, bad, "/nowhere.html"})
        self.assertIn("PDF", failed[bad])
        self.assertIn("No such file", failed["/nowhere.html"])
        self.assertEqual(job["count"], 3)
        self.assertEqual(self.names(), [good])


class Address(unittest.TestCase):
    """A server that is started again by hand, without THRESH_TOKEN."""

    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.close)
        self.server.stop()
        self.file = self.server.project + ".address"

    def start(self, *options):
        env = {name: value for name, value in os.environ.items() if name != "THRESH_TOKEN"}
        self.server.process = subprocess.Popen([THRESH, "serve", "--project", self.server.project, "--no-browser", *options],
                                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env)
        address = self.server.process.stdout.readline().strip()
        port, token = re.match(r"http://127\.0\.0\.1:(\d+)/#token=(.*)$", address).groups()
        self.server.port = int(port)
        return address, token

    def stop(self):
        self.server.process.send_signal(signal.SIGTERM)
        self.server.process.wait(timeout=20)
        self.server.process.stdout.close()

    def test_kept(self):
        self.assertFalse(os.path.exists(self.file), "a token that the user chose is not written anywhere")
        first, token = self.start()
        self.assertEqual(stat.S_IMODE(os.stat(self.file).st_mode), 0o600)
        self.assertEqual(self.server.ask("GET", "status", token=token)[0], 200)
        self.assertEqual(self.server.ask("GET", "status", token=TOKEN)[0], 401)
        self.stop()
        self.assertEqual(self.start()[0], first)
        self.stop()
        fresh, _ = self.start("--new-address")
        self.assertNotEqual(fresh.split("token=")[1], token)
        self.stop()
        self.assertEqual(self.start()[0], fresh)
        # somebody else is there: the token is not used again
        other = self.server.process
        second, _ = self.start()
        self.assertNotEqual(second.split("token=")[1], fresh.split("token=")[1])
        self.stop()
        self.server.process = other
        self.stop()

    def test_files_that_are_not_trusted(self):
        first, _ = self.start()
        self.stop()
        os.chmod(self.file, 0o640)
        second, _ = self.start()
        self.assertNotEqual(second, first)
        self.stop()
        self.assertEqual(stat.S_IMODE(os.stat(self.file).st_mode), 0o600)
        os.rename(self.file, self.file + ".moved")
        os.symlink(self.file + ".moved", self.file)
        third, _ = self.start()
        self.assertNotEqual(third, second)
        self.assertFalse(os.path.islink(self.file))
        self.stop()
        for text in ("", "http://127.0.0.1:99999/#token=" + "a" * 64, "http://127.0.0.1:80/#token=short\n", "\0" * 300, "x" * 100000):
            with open(self.file, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(self.file, 0o600)
            self.assertNotIn(text.strip()[-64:] or "-", self.start()[0])
            self.stop()

    def test_proof(self):
        _, token = self.start()
        text = "0123456789-a-random-text"
        _, answer = self.server.ask("GET", f"/proof?text={text}", token=None)
        self.assertEqual(answer["proof"], hmac.new(token.encode(), text.encode(), hashlib.sha256).hexdigest())
        for path in ("/proof", "/proof?text=short", "/proof?text=" + "x" * 1000):
            self.assertEqual(self.server.ask("GET", path, token=None)[0], 404)
        self.assertTrue(self.server.good("GET", "status", token=token)["proves"])
        self.stop()
        self.server.start()  # with a token that somebody chose, and that may be guessed
        self.assertEqual(self.server.ask("GET", f"/proof?text={text}", token=None)[0], 404)
        self.assertFalse(self.server.good("GET", "status")["proves"])


if __name__ == "__main__":
    unittest.main(argv=["test_lost.py"], verbosity=2)

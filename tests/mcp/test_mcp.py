#!/usr/bin/env python3
"""What `thresh mcp` says to messages of all kinds, good and bad: bounds, folders, cancelling, garbage.

    tests/mcp/test_mcp.py THRESH
"""
import http.server
import json
import os
import pty
import random
import shutil
import signal
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
THRESH = [*os.environ.get("THRESH_WRAP", "").split(), os.path.abspath(sys.argv.pop(1))]
PATIENCE = 60 if os.environ.get("THRESH_WRAP") else 20  # seconds


class Server:
    """`thresh mcp` in a folder."""

    def __init__(self, folder, *options):
        self.process = subprocess.Popen([*THRESH, "mcp", *options], cwd=folder, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.number = 0

    def send(self, message):
        self.process.stdin.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def take(self):
        return json.loads(self.process.stdout.readline())

    def request(self, method, params=None):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, **({"params": params} if params is not None else {})})
        return self.number

    def ask(self, method, params=None):
        number = self.request(method, params)
        answer = self.take()
        assert answer["id"] == number, answer
        return answer

    def begin(self, version="2025-06-18"):
        return self.ask("initialize", {"protocolVersion": version, "capabilities": {},
                                       "clientInfo": {"name": "test", "version": "1"}})["result"]

    def call(self, name, **arguments):
        """What a tool answers: an object, or a text where it fails."""
        result = self.ask("tools/call", {"name": name, "arguments": arguments})["result"]
        if result["isError"]:
            return result["content"][0]["text"]
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result["structuredContent"]

    def end(self):
        """Its exit code, what else it said, and its words on standard error."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err.decode()


class Messages(unittest.TestCase):
    def setUp(self):
        self.top = tempfile.mkdtemp(prefix="thresh-mcp-")
        self.addCleanup(shutil.rmtree, self.top)
        self.folder = os.path.join(self.top, "pages")
        shutil.copytree(os.path.join(ROOT, "examples", "pages"), self.folder)
        self.servers = []
        self.addCleanup(self.end_servers)

    def end_servers(self):
        for server in self.servers:
            if server.process.poll() is None:
                server.process.kill()
            server.process.communicate()

    def server(self, *options, begin=True):
        server = Server(self.folder, *options)
        self.servers.append(server)
        if begin:
            server.begin()
        return server

    def many(self, count, text="word"):
        """A page of a list of `count` records."""
        with open(os.path.join(self.folder, "many.html"), "w", encoding="utf-8") as file:
            file.write("<title>Many</title><ul>")
            for number in range(count):
                file.write(f"<li><a href=/n/{number}>Item {number}</a> <b>{number % 97}.50</b> <i>{text} {number}</i></li>\n")
            file.write("</ul>")
        return ["many.html"]

    def test_versions(self):
        for asked, given in (("2025-11-25", "2025-11-25"), ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"),
                             ("1999-01-01", "2025-11-25"), ("zzz", "2025-11-25")):
            self.assertEqual(self.server(begin=False).begin(asked)["protocolVersion"], given)
        server = self.server(begin=False)
        self.assertEqual(server.ask("initialize", {})["error"]["code"], -32602)
        self.assertEqual(server.ask("tools/list")["error"]["code"], -32600)
        meta = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                          "io.modelcontextprotocol/clientCapabilities": {}}}
        found = server.ask("server/discover", meta)["result"]
        self.assertIn("2026-07-28", found["supportedVersions"])
        listed = server.ask("tools/list", meta)["result"]
        self.assertEqual((len(listed["tools"]), listed["resultType"]), (4, "complete"))
        meta["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2099-01-01"
        refused = server.ask("tools/list", meta)["error"]
        self.assertEqual((refused["code"], refused["data"]["requested"]), (-32022, "2099-01-01"))

    def test_bad_messages(self):
        server = self.server()
        for message, code in ((b"garbage\n", -32700), (b'{"jsonrpc": "2.0", "id": 1,\n', -32700), (b"\xff\xfe\x00\n", -32700),
                              (b"[" * 100000 + b"\n", -32700), (b"7\n", -32600), (b"[]\n", -32600), (b"{}\n", -32600), (b'"x"\n', -32600),
                              (b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n', -32600), (b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600),
                              (b'{"jsonrpc":"2.0","id":1,"method":7}\n', -32600), (b'{"jsonrpc":"2.0","id":{},"method":"ping"}\n', -32600),
                              (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}\n', -32602),
                              (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}\n', -32602),
                              (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"records","arguments":[]}}\n', -32602),
                              (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no-such"}}\n', -32602),
                              (b'{"jsonrpc":"2.0","id":"a","method":"no/such"}\n', -32601),
                              (b"x" * (17 << 20) + b"\n", -32600)):
            server.send(message)
            self.assertEqual(server.take()["error"]["code"], code, message[:80])
        # nobody answers these
        server.send(b'\n  \r\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n{"jsonrpc":"2.0","id":5,"result":{}}\n'
                    b'{"jsonrpc":"2.0","method":"no/such"}\n{"jsonrpc":"2.0","method":"notifications/cancelled"}\n')
        self.assertEqual(server.ask("ping")["result"], {})
        self.assertEqual(server.end(), (0, b"", ""))

    def test_several_in_one_message(self):
        server = self.server()
        call = {"jsonrpc": "2.0", "id": "b", "method": "tools/call",
                "params": {"name": "records", "arguments": {"inputs": ["books.html"]}}}
        server.send([{"jsonrpc": "2.0", "id": "a", "method": "ping"}, {"jsonrpc": "2.0", "method": "x"}, call, 7])
        answers = server.take()
        self.assertEqual({answer["id"] for answer in answers}, {"a", "b", None})
        server.send([{"jsonrpc": "2.0", "method": "x"}])
        self.assertEqual(server.ask("ping")["result"], {})

    def test_the_last_line_needs_no_end(self):
        server = self.server()
        server.send(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"records","arguments":{"inputs":["books.html"]}}}')
        code, out, err = server.end()
        self.assertEqual((code, json.loads(out)["result"]["structuredContent"]["records"], err), (0, 4, ""))

    def test_arguments(self):
        server = self.server()
        for name, arguments, words in (
                ("records", {}, "give either inputs or html"),
                ("records", {"inputs": ["books.html"], "html": "x"}, "give either inputs or html"),
                ("records", {"inputs": []}, "inputs must be an array of strings, not empty"),
                ("records", {"inputs": "books.html"}, "inputs must be an array of strings, not empty"),
                ("records", {"inputs": [7]}, "inputs must be an array of strings, not empty"),
                ("records", {"inputs": [""]}, "an input is empty"),
                ("records", {"inputs": ["books.html"], "limit": 0}, "limit must be a whole number from 1"),
                ("records", {"inputs": ["books.html"], "first": 1.5}, "first must be a whole number from 0"),
                ("records", {"inputs": ["books.html"], "colour": "red"}, 'unknown argument "colour"'),
                ("extract", {"inputs": ["books.html"]}, "wrapper is missing"),
                ("extract", {"inputs": ["books.html"], "wrapper": "learnt-7"}, "there is no such wrapper"),
                ("extract", {"inputs": ["books.html"], "wrapper": "books.html"}, "books.html"),
                ("extract", {"inputs": ["books.html"], "wrapper": "."}, "is not a wrapper file"),
                ("learn", {"inputs": ["books.html"], "engine": "loom"}, "loom"),
                ("learn", {"inputs": ["books.html"], "labels": [{}]}, "labels"),
                ("learn", {"inputs": ["books.html"], "labels": [{"page": "other.html", "records": [{"a": "b"}]}]}, '"books.html"'),
                ("learn", {"inputs": ["books.html"], "examples": {"title": 7}}, "examples must be an object of strings"),
                ("learn", {"html": "<p>no list"}, ""),
                ("verify", {"inputs": ["books.html"], "wrapper": "../x.json"}, "below")):
            said = server.call(name, **arguments)
            self.assertIsInstance(said, str, arguments)
            self.assertIn(words, said)
        self.assertEqual(server.call("records", inputs=["books.html", "no-such.html"]), "no-such.html: no such file or folder below "
                         + os.path.realpath(self.folder))

    def test_answers_are_bounded(self):
        inputs = self.many(1000)
        server = self.server("--answer-records", "150")
        first, seen = 0, []
        while first is not None:
            answer = server.call("records", inputs=inputs, limit=100000, first=first)
            seen += [value for page in answer["pages"] for record in page["records"] for value in record.values() if str(value).startswith("/n/")]
            self.assertLessEqual(answer["records"], 150)
            first = answer.get("next")
        self.assertEqual(seen, [f"/n/{number}" for number in range(1000)])
        self.assertEqual(server.call("records", inputs=inputs, first=5000)["pages"], [])
        small = self.server("--answer-bytes", "2K")
        answer = small.call("records", inputs=inputs)
        self.assertLess(len(json.dumps(answer)), 3000)
        self.assertGreater(answer["next"], 5)
        # a record that is larger than an answer
        answer = small.call("records", inputs=self.many(20, text="long " * 1000))
        self.assertLess(len(json.dumps(answer)), 3000)
        self.assertEqual(answer["next"], answer["records"])
        self.assertIn("shortened", answer["notes"][0])
        # very many pages, and one that cannot be read
        few = self.server("--answer-pages", "2")
        self.assertIn("only the first 2 pages were read", few.call("records", inputs=["."])["notes"])

    def test_files_of_other_folders(self):
        with open(os.path.join(self.top, "secret.html"), "w", encoding="utf-8") as file:
            file.write("<ul>" + "<li>the secret <b>words</b> here" * 9 + "</ul>")
        os.symlink("../secret.html", os.path.join(self.folder, "zz-link.html"))
        os.symlink(self.top, os.path.join(self.folder, "zz-folder"))
        shutil.copytree(self.folder, os.path.join(self.top, "pages-too"), symlinks=True)
        os.mkfifo(os.path.join(self.folder, "pipe"))
        with open(os.path.join(self.folder, "list"), "w", encoding="utf-8") as file:
            file.write("../secret.html\n")
        server = self.server()
        for name in ("../secret.html", os.path.join(self.top, "secret.html"), "zz-link.html", "zz-folder/secret.html", "/etc/passwd",
                     "../pages-too/books.html", "no-such.html"):
            self.assertIn("no such file or folder below", server.call("records", inputs=[name]), name)
        for name in ("@list", "-"):
            self.assertIn("cannot be used here", server.call("records", inputs=[name]))
        self.assertIsInstance(server.call("records", inputs=["pipe"]), str)
        self.assertNotIn("secret", json.dumps(server.call("records", inputs=["."])["pages"]))
        self.assertIn("pages", server.call("records", inputs=[os.path.join(self.folder, "books.html")]))
        for target in ("../w.json", "zz-folder/w.json", "/tmp/w.json", "no-folder/w.json", "books.html", ".json", "w.txt", "zz-link.html.json/"):
            self.assertIn("save_as", server.call("learn", inputs=["books.html"], save_as=target), target)
        os.symlink("../new.json", os.path.join(self.folder, "link.json"))
        self.assertIn("save_as", server.call("learn", inputs=["books.html"], save_as="link.json"))
        with open(os.path.join(self.folder, "data.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        self.assertIn("is not a wrapper", server.call("learn", inputs=["books.html"], save_as="data.json"))
        for _ in range(2):  # a wrapper is replaced
            self.assertEqual(server.call("learn", inputs=["books.html"], save_as="w.json")["wrapper"], "w.json")
        self.assertIn("--read-only", self.server("--read-only").call("learn", inputs=["books.html"], save_as="v.json"))
        self.assertIn("--offline", self.server("--offline").call("records", inputs=["http://example.org/"]))
        self.assertFalse(os.path.exists(os.path.join(self.top, "new.json")))

    def test_wrappers_are_kept(self):
        server = self.server()
        names = [server.call("learn", inputs=["books.html"])["wrapper"] for _ in range(18)]
        self.assertEqual(names[:2] + names[-1:], ["learnt-1", "learnt-2", "learnt-18"])
        self.assertIn("no such wrapper any more", server.call("extract", wrapper="learnt-2", inputs=["books.html"]))
        for name in ("learnt-3", "learnt-18"):
            self.assertEqual(server.call("extract", wrapper=name, inputs=["books.html"])["records"], 4)

    def test_drift(self):
        server = self.server()
        self.assertEqual(server.call("learn", inputs=["bikes.html"], save_as="bikes.json")["wrapper"], "bikes.json")
        with open(os.path.join(self.folder, "bikes.html"), encoding="utf-8") as file:
            text = file.read()
        changed = server.call("verify", wrapper="bikes.json", html=text.replace("€", "sold out").replace("<h2", "<h5"))
        self.assertIsInstance(changed, dict, changed)
        self.assertIn(changed["verdict"], ("changed", "drift"))
        self.assertEqual(server.call("verify", wrapper="bikes.json", inputs=["bikes.html"])["verdict"], "fine")

    def slow_site(self):
        """The port of a server that never answers."""
        class Slow(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.set()
                ended.wait(PATIENCE)

            def log_message(self, *words):
                pass

        asked, ended = threading.Event(), threading.Event()
        site = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Slow)
        site.daemon_threads = True
        threading.Thread(target=site.serve_forever, daemon=True).start()
        self.addCleanup(site.server_close)
        self.addCleanup(site.shutdown)
        self.addCleanup(ended.set)
        return site.server_address[1], asked

    def test_cancelling(self):
        port, asked = self.slow_site()
        server = self.server("--allow-private", "--ignore-robots")
        slow = {"name": "records", "arguments": {"inputs": [f"http://127.0.0.1:{port}/"]}}
        running, waiting = server.request("tools/call", slow), server.request("tools/call", slow)
        self.assertTrue(asked.wait(PATIENCE))
        self.assertEqual(server.ask("ping")["result"], {})  # while a call runs
        for number in (waiting, running, 999, "x"):
            server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        began = time.monotonic()
        self.assertEqual(server.call("records", inputs=["books.html"])["records"], 4)  # the next answer is of this one
        self.assertLess(time.monotonic() - began, PATIENCE / 2)
        self.assertEqual(server.end()[:2], (0, b""))

    def test_a_client_that_goes_away(self):
        port, asked = self.slow_site()
        server = self.server("--allow-private", "--ignore-robots")
        server.request("tools/call", {"name": "records", "arguments": {"inputs": [f"http://127.0.0.1:{port}/"]}})
        self.assertTrue(asked.wait(PATIENCE))
        server.process.stdout.close()
        server.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        self.assertEqual(server.process.wait(PATIENCE), 0)
        self.assertEqual(server.process.stderr.read(), b"")
        server.process.stdout = None
        ended = self.server("--allow-private", "--ignore-robots")
        ended.process.send_signal(signal.SIGTERM)
        self.assertEqual(ended.process.wait(PATIENCE), -signal.SIGTERM)

    def test_files_of_options_are_beside_the_start(self):
        """The root is where tools read pages; a cache that is named from elsewhere is not below it."""
        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = b"<ul><li><a href=/1>One</a> 1.50<li><a href=/2>Two</a> 2.50<li><a href=/3>Three</a> 3.50</ul>"
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words):
                pass

        site = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Page)
        site.daemon_threads = True
        threading.Thread(target=site.serve_forever, daemon=True).start()
        self.addCleanup(site.server_close)
        self.addCleanup(site.shutdown)
        server = Server(self.top, "--root", "pages", "--cache", "cache", "--allow-private", "--ignore-robots")
        self.servers.append(server)
        server.begin()
        self.assertEqual(server.call("records", inputs=[f"http://127.0.0.1:{site.server_address[1]}/"])["records"], 3)
        self.assertEqual(server.end()[0], 0)
        self.assertTrue(os.path.isdir(os.path.join(self.top, "cache")))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "cache")))

    def test_garbage(self):
        """Lines that are almost messages: it answers what it can, and goes on."""
        chance = random.Random(7)
        with open(os.path.join(ROOT, "fuzz", "seeds", "mcp", "session.jsonl"), "rb") as file:
            lines = file.read().splitlines()
        server = self.server("--offline", "--read-only")
        garbage = []
        for _ in range(300):
            line = bytearray(chance.choice(lines))
            for _ in range(chance.randrange(6)):
                at = chance.randrange(len(line))
                line[at:at + chance.randrange(4)] = bytes(chance.randrange(256) for _ in range(chance.randrange(4))).replace(b"\n", b"")
            garbage.append(bytes(line))
        reader = threading.Thread(target=lambda: [json.loads(line) for line in server.process.stdout])
        reader.start()
        for line in garbage:
            server.send(line + b"\n")
        server.process.stdin.close()
        self.assertEqual(server.process.wait(PATIENCE * 3), 0)
        reader.join(PATIENCE)
        self.assertEqual(server.process.stderr.read(), b"")
        server.process.stdin = None


class Usage(unittest.TestCase):
    def test_options(self):
        for words, code, said in ((["x.html"], 2, "mcp takes no inputs"), (["--root", "/no/such"], 1, "(--root): No such file"),
                                  (["--answer-bytes", "7"], 2, "answer-bytes")):
            done = subprocess.run([*THRESH, "mcp", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (code, ""), words)
            self.assertIn(said, done.stderr)

    def test_terminal(self):
        """Somebody who types the command is told what it waits for."""
        ours, theirs = pty.openpty()
        done = subprocess.Popen([*THRESH, "mcp"], stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.write(ours, b"\4")
        out, err = done.communicate(timeout=PATIENCE)
        self.assertEqual((done.returncode, out), (0, b""))
        self.assertIn(b"Ctrl-D ends it", err)
        os.close(ours)
        os.close(theirs)


if __name__ == "__main__":
    unittest.main()

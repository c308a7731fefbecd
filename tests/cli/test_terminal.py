#!/usr/bin/env python3
"""The command line where it meets the machine: terminals, large pages, full disks, permissions.

    tests/cli/test_terminal.py PROGRAM

What a golden file cannot say, since it needs a terminal, a clock, much disk or root. What this machine
does not allow is skipped with a word. The program is run behind $THRESH_WRAP where that is set.
"""
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PAGES = os.path.join(ROOT, "examples", "pages")
BOOKS = os.path.join(PAGES, "books.html")
PROGRAM = []
SLOW = bool(os.environ.get("THRESH_WRAP"))


def environment(**more):
    env = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    env.update({"TERM": "xterm", "LC_ALL": "C.UTF-8", **more})
    return env


def thresh(*words, **how):
    """Runs the program without a terminal."""
    how.setdefault("env", environment())
    return subprocess.run([*PROGRAM, *words], stdout=how.pop("stdout", subprocess.PIPE),
                          stderr=subprocess.PIPE, **how)


def on_terminal(*words, feed=None, err_only=False, **variables):
    """(what the terminal got, standard output when only errors go to the terminal, exit code)."""
    master, slave = pty.openpty()
    child = subprocess.Popen([*PROGRAM, *words], stdin=subprocess.PIPE, stderr=slave,
                             stdout=subprocess.PIPE if err_only else slave, env=environment(**variables))
    os.close(slave)
    if feed:
        for part in feed:
            if isinstance(part, bytes):
                child.stdin.write(part)
                child.stdin.flush()
            else:
                time.sleep(part)
    child.stdin.close()
    seen = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    out = child.stdout.read() if err_only else b""
    if err_only:
        child.stdout.close()
    os.close(master)
    return seen.decode(), out.decode(), child.wait()


class Terminal(unittest.TestCase):
    def setUp(self):
        try:
            for end in pty.openpty():
                os.close(end)
        except OSError as error:  # a bare chroot has no /dev/pts
            self.skipTest(f"no pseudo terminal to be had here: {error}")

    def test_colours(self):
        seen = on_terminal("show", BOOKS)[0]
        self.assertIn("\033[36mul\033[0m", seen)
        self.assertNotIn("\033", on_terminal("show", BOOKS, NO_COLOR="1")[0])
        self.assertNotIn("\033", on_terminal("show", BOOKS, TERM="dumb")[0])
        self.assertNotIn("\033", on_terminal("show", "--color", "never", BOOKS)[0])
        self.assertIn("\033", on_terminal("show", "--color=always", BOOKS, NO_COLOR="1")[0])
        self.assertNotIn(b"\033", thresh("show", BOOKS).stdout)
        self.assertIn(b"\033", thresh("show", "--color", "always", BOOKS).stdout)

    def test_errors_are_coloured_by_where_they_go(self):
        self.assertIn("\033[1;31mthresh:\033[0m missing.html", on_terminal("show", "missing.html")[0])
        self.assertTrue(thresh("show", "missing.html").stderr.startswith(b"thresh: missing.html"))

    def test_format_follows_the_terminal(self):
        labels = os.path.join(ROOT, "examples", "labels", "bikes.jsonl")
        words = ("labels", "-q", labels, "examples/pages/bikes.html")
        here = os.getcwd()
        os.chdir(ROOT)
        try:
            self.assertIn("────", on_terminal(*words)[0])
            self.assertTrue(thresh(*words).stdout.startswith(b'{"bike":'))
            narrow = on_terminal(*words, COLUMNS="40", NO_COLOR="1")[0]
            self.assertLessEqual(max(map(len, narrow.split("\r\n"))), 40)
            self.assertIn("…", narrow)
        finally:
            os.chdir(here)

    def test_progress(self):
        slowly = [b"<p>one", 1.5 if not SLOW else 8.0, b"<p>two"]
        seen, out, code = on_terminal("show", "--text", "-", feed=slowly, err_only=True)
        self.assertEqual(code, 0)
        self.assertIn("two", out)
        self.assertRegex(seen, r"\d+ pages?, \d+\.\d MB, \d+\.\d MB/s")
        self.assertTrue(seen.endswith("\r\033[K"), repr(seen))
        for words, more in ((("-q",), {}), ((), {"TERM": "dumb"})):
            seen, out, code = on_terminal("show", "--text", *words, "-", feed=slowly, err_only=True, **more)
            self.assertEqual((seen, code), ("", 0))

    def test_quick_work_has_no_progress(self):
        if SLOW:
            self.skipTest("nothing is quick under valgrind")
        self.assertEqual(on_terminal("show", BOOKS, err_only=True)[0], "")


class Machine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="thresh-machine-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def test_large_page(self):
        megabytes = 20 if SLOW else 200
        if shutil.disk_usage(self.folder).free < 3 * megabytes << 20:
            self.skipTest("the disk has no room for a large page")
        row = b"<div class=row><h2>A thing</h2><p>" + b"with many words that tell of it " * 12 + b"</p></div>\n"
        page = self.path("large.html")
        with open(page, "wb") as file:
            block = row * (1 + (1 << 20) // len(row))
            for _ in range(megabytes):
                file.write(block)
        done = thresh("show", "--info", "-f", "ndjson", page, BOOKS)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        first, second = done.stdout.splitlines()
        self.assertIn(b'"bytes":%d,' % os.path.getsize(page), first)
        self.assertIn(b"books.html", second)
        with open(self.path("text"), "wb") as file:
            done = thresh("show", "--text", page, stdout=file)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertGreater(os.path.getsize(self.path("text")), megabytes << 19)
        done = thresh("show", "--info", "--max-bytes", "10M", page, BOOKS)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"larger than max_bytes allows", done.stderr)
        self.assertIn(b"books.html", done.stdout)

    def test_unreadable(self):
        shutil.copy(BOOKS, self.path("closed.html"))
        os.mkdir(self.path("closed"))
        for name in ("closed.html", "closed"):
            os.chmod(self.path(name), 0)
        self.addCleanup(os.chmod, self.path("closed"), 0o700)
        become = {}
        if os.geteuid() == 0:
            # root reads everything: run as somebody else, who must reach the program
            os.chmod(self.folder, 0o755)
            become = {"user": 65534, "group": 65534, "extra_groups": []}
        try:
            able = thresh("show", "--info", "-", input=b"<p>x", cwd="/", **become)
        except PermissionError:
            able = None
        if not able or able.returncode:
            self.skipTest("the program cannot be run as somebody who is not root here")
        done = thresh("show", "--text", self.path("closed.html"), self.path("closed"), "-", input=b"<p>mine",
                      cwd="/", **become)
        self.assertEqual(done.returncode, 1)
        lines = done.stderr.decode().splitlines()
        self.assertEqual(len(lines), 2, lines)
        self.assertRegex(lines[0], r"^thresh: .*closed\.html: .*Permission denied$")
        self.assertRegex(lines[1], r"^thresh: .*closed: .*Permission denied$")
        self.assertIn(b"mine", done.stdout)

    def test_full_disk(self):
        disk = self.path("disk")
        os.mkdir(disk)
        mounted = shutil.which("mount") and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], stderr=subprocess.DEVNULL).returncode == 0
        if not mounted:
            self.skipTest("no small disk can be mounted here; tests/cli/output.t limits the size of files instead")
        try:
            kept = os.path.join(disk, "kept")
            with open(kept, "w", encoding="utf-8") as file:
                file.write("old\n")
            done = thresh("show", "--tokens", "-o", kept, *[os.path.join(PAGES, "bikes.html")] * 20)
            self.assertEqual((done.returncode, done.stdout), (1, b""))
            self.assertEqual(done.stderr.decode(),
                             f"thresh: cannot write {kept}: no space left on device; nothing was changed\n")
            with open(kept, encoding="utf-8") as file:
                self.assertEqual(file.read(), "old\n")
            self.assertEqual(os.listdir(disk), ["kept"])
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_interrupted(self):
        """With -o an interrupt takes the half-written file away."""
        out = self.path("out")
        child = subprocess.Popen([*PROGRAM, "show", "-q", "-j1", "-o", out, "-", BOOKS], stdin=subprocess.PIPE,
                                 stderr=subprocess.PIPE, env=environment())
        begin = time.monotonic()
        while not os.listdir(self.folder) and time.monotonic() - begin < 30:
            time.sleep(0.02)
        self.assertEqual(len(os.listdir(self.folder)), 1, "it has begun to write")
        time.sleep(0.3 if not SLOW else 3)  # until signals are caught
        child.send_signal(signal.SIGINT)
        self.assertTrue(select.select([child.stderr], [], [], 30)[0])
        child.stdin.write(b"<p>the rest of the page")
        child.stdin.close()
        self.assertEqual(child.wait(), -signal.SIGINT)
        self.assertIn(b"stopping", child.stderr.read())
        child.stderr.close()
        self.assertEqual(os.listdir(self.folder), [])

    def test_order_does_not_depend_on_jobs(self):
        pages = [os.path.join(PAGES, name) for name in sorted(os.listdir(PAGES))] * 20
        one = thresh("show", "-j", "1", *pages)
        self.assertEqual(one.returncode, 0)
        self.assertGreater(len(re.findall(rb"^  encoding", one.stdout, re.MULTILINE)), 50)
        self.assertEqual(thresh("show", "-j7", *pages).stdout, one.stdout)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = shlex.split(os.environ.get("THRESH_WRAP", "")) + [os.path.abspath(sys.argv.pop(1))]
    unittest.main(verbosity=2)

#!/usr/bin/env python3
"""Long runs: --split gives each page to one part, and --resume goes on after kill -9 without losing or doubling a record.

    tests/cli/test_long_runs.py THRESH
"""
import gzip
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROWS = 120


def page(number):
    rows = "".join(f'<li class=book><a href="/b/{number}-{i}">Book {number}.{i} of the series</a> by <i>Author {i * 7 % 31}</i> '
                   f'<b>${i % 90 + 1}.50</b></li>' for i in range(ROWS))
    return f"<html><head><title>Books {number}</title></head><body><h1>Books</h1><ul>{rows}</ul><p>Page {number}</p></body></html>"


def record(number):
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page(number).encode()
    return (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://shop.example/{number}\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n").encode() + http + b"\r\n\r\n"


def make_inputs(folder):
    """A folder of pages and two archives, of which one is plain and one has two records in a member."""
    os.makedirs(f"{folder}/pages/deep")
    for i in range(300):
        with open(f"{folder}/pages/{'deep/' if i % 3 else ''}{i:04}.html", "w", encoding="utf-8") as file:
            file.write(page(i))
    with open(f"{folder}/a.warc.gz", "wb") as file:
        for i in range(300, 1100, 2):
            file.write(gzip.compress(record(i) + record(i + 1), 1))
    with open(f"{folder}/b.warc", "wb") as file:
        for i in range(1500, 1800):
            file.write(record(i))


class Test:
    def __init__(self, thresh, folder):
        self.thresh, self.folder, self.failures = thresh, folder, 0

    def run(self, *words, code=0):
        done = subprocess.run([self.thresh, *words], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != code:
            self.fail(f"{' '.join(words)}: exit code {done.returncode}, not {code}: {done.stderr}")
        return done

    def fail(self, text):
        self.failures += 1
        print("FAILED:", text)

    def refused(self, words, message, code=2):
        said = self.run(*words, code=code).stderr
        if message not in said:
            self.fail(f"{' '.join(words)}: does not say '{message}' but: {said}")

    def read(self, name):
        with open(f"{self.folder}/{name}", "rb") as file:
            return file.read()

    def remove(self, *names):
        for name in names:
            if os.path.exists(f"{self.folder}/{name}"):
                os.unlink(f"{self.folder}/{name}")

    def kill_until_done(self, words, kill):
        """Runs the same command again and again, and kills it each time a little later."""
        kills, wait = 0, 0.15
        while True:
            process = subprocess.Popen([self.thresh, *words], cwd=self.folder, stderr=subprocess.PIPE, text=True)
            try:
                said = process.communicate(timeout=wait)[1]
                if process.returncode:
                    self.fail(f"{' '.join(words)}: exit code {process.returncode}: {said}")
                return kills
            except subprocess.TimeoutExpired:
                process.send_signal(kill)
                process.communicate()
                kills += 1
                wait = random.uniform(0.3, 0.6) * (1 + kills / 10)


INPUTS = ["pages", "a.warc.gz", "b.warc"]


def test_split(test):
    for command in (["extract", "-w", "w.json"], ["records", "--engine", "lists", "--pick", "1"], ["regions"]):
        whole = test.run(*command, "-q", "-f", "ndjson", *INPUTS).stdout.splitlines()
        for count in (1, 4):
            parts = []
            for i in range(count):
                parts += test.run(*command, "-q", "-f", "ndjson", "--split", f"{i + 1}/{count}", *INPUTS).stdout.splitlines()
            if sorted(parts) != sorted(whole):
                test.fail(f"{command[0]}: {count} parts have {len(parts)} records, the whole {len(whole)}")
    test.run("extract", "-w", "w.json", "-f", "csv", "-o", "part.csv", "--split", "2/2", "pages/0000.html")
    for wrong in ("0/4", "5/4", "1", "1/", "a/b", "-1/4", "1/4x"):
        test.refused(["extract", "-w", "w.json", "--split=" + wrong, "pages"], "is not N/M")
    test.refused(["extract", "-w", "w.json", "--split", "1/2", "-"], "standard input")
    test.refused(["extract", "-w", "w.json", "--verify", "--split", "1/2", "pages"], "--verify cannot be used with --split")


def test_resume(test):
    random.seed(4)
    kills = 0
    cases = [(["extract", "-w", "w.json", "-f", "ndjson", "--with-page"], signal.SIGKILL),
             (["extract", "-w", "w.json", "-f", "csv", "--excel"], signal.SIGKILL),
             (["extract", "-w", "w.json", "-f", "pages", "--split", "2/3"], signal.SIGTERM),
             (["records", "--engine", "lists", "-f", "ndjson"], signal.SIGKILL)]
    for command, kill in cases:
        test.remove("out", "journal", "whole")
        pick = ["--pick", "1"] if command[0] == "records" else []  # as --resume does: each page by itself
        test.run(*command, *pick, "-q", "-o", "whole", *INPUTS)
        words = [*command, *pick, "-q", "-j1", "-o", "out", "--resume", "journal", *INPUTS]
        kills += test.kill_until_done(words, kill)
        if test.read("out") != test.read("whole"):
            test.fail(f"{' '.join(command)}: the output of a run that was killed differs")
        test.run(*words)  # nothing is left to do
        if test.read("out") != test.read("whole"):
            test.fail(f"{' '.join(command)}: a run that was finished adds something")
    if kills < 6:
        test.fail(f"only {kills} runs were killed: the inputs are too small to show anything")
    print(f"{kills} runs were killed")


def test_later_files(test):
    """Files that come later are done by the next run, and those that could not be read are tried again."""
    test.remove("out", "journal")
    os.makedirs(f"{test.folder}/more")
    shutil.copy(f"{test.folder}/pages/0000.html", f"{test.folder}/more/b%\nx.html")
    os.symlink("missing.html", f"{test.folder}/more/c.html")
    words = ["extract", "-w", "w.json", "-q", "-f", "ndjson", "-o", "out", "--resume", "journal", "more"]
    test.run(*words, code=1)
    one = test.read("out")
    test.run(*words, code=1)
    if test.read("out") != one or one.count(b"\n") != ROWS:
        test.fail("a file is done again")
    shutil.copy(f"{test.folder}/pages/0003.html", f"{test.folder}/more/missing.html")
    shutil.copy(f"{test.folder}/pages/0006.html", f"{test.folder}/more/a.html")
    test.run(*words)
    if test.read("out").count(b"\n") != 4 * ROWS or not test.read("out").startswith(one):
        test.fail("files that came later are not added")
    # a file that is named twice is read twice
    test.run("extract", "-w", "w.json", "-q", "-f", "ndjson", "-o", "twice", "--resume", "twice.journal", "more/a.html", "more/a.html")
    if test.read("twice").count(b"\n") != 2 * ROWS:
        test.fail("a file that is named twice is not read twice")


def test_refusals(test):
    test.remove("out", "journal")
    base = ["extract", "-w", "w.json", "--resume", "journal"]
    test.refused([*base, "pages"], "--resume needs a file to add to: -o FILE")
    for name in ("json", "sqlite", "table"):
        test.refused([*base, "-f", name, "-o", "out", "pages"], f"--resume cannot add to {name} output")
    test.refused(["records", "--resume", "journal", "-f", "csv", "-o", "out", "pages"], "--resume cannot add to csv output of records")
    test.refused([*base, "-o", "out", "-f", "ndjson", "-"], "standard input")
    test.refused([*base, "-o", "out", "-f", "ndjson", "--verify", "pages"], "--verify cannot be used with --resume")
    with open(f"{test.folder}/out", "w", encoding="utf-8") as file:
        file.write("mine\n")
    test.refused([*base, "-o", "out", "-f", "ndjson", "more"], "exists already", code=1)
    test.remove("out", "journal")
    test.run(*base, "-q", "-o", "out", "-f", "ndjson", "more")
    whole = test.read("out")
    test.refused(["extract", "-w", "w2.json", "--resume", "journal", "-o", "out", "-f", "ndjson", "more"], "journal of another run", code=1)
    test.refused([*base, "-o", "out", "-f", "pages", "more"], "journal of another run", code=1)
    with open(f"{test.folder}/out", "wb") as file:
        file.write(whole[:100])
    test.refused([*base, "-o", "out", "-f", "ndjson", "more"], "the journal says that it had", code=1)
    test.refused(["extract", "-w", "w.json", "--resume", "w.json", "-o", "new", "-f", "ndjson", "more"], "is not a journal", code=1)
    # what is behind the last mark does not count, also a torn line
    with open(f"{test.folder}/out", "wb") as file:
        file.write(whole + b'{"half a rec')
    journal = test.read("journal")
    with open(f"{test.folder}/journal", "wb") as file:
        file.write(journal + b"+ more/nev")
    test.run(*base, "-q", "-o", "out", "-f", "ndjson", "more")
    if test.read("out") != whole:
        test.fail("what a killed run left behind is not cut off")
    with open(f"{test.folder}/journal", "wb") as file:
        file.write(journal.replace(b"\n+ ", b"\n? "))
    test.refused([*base, "-o", "out", "-f", "ndjson", "more"], "the journal is damaged", code=1)


def main(thresh):
    with tempfile.TemporaryDirectory(prefix="thresh-long-") as folder:
        test = Test(os.path.abspath(thresh), folder)
        make_inputs(folder)
        learn = ["learn", "-q", "pages/0000.html", "pages/0003.html"]
        test.run(*learn, "pages/0006.html", "-o", "w.json")
        test.run(*learn, "-o", "w2.json")  # with another profile
        test_split(test)
        test_resume(test)
        test_later_files(test)
        test_refusals(test)
        return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

#!/usr/bin/env python3
"""The project file under kill -9, two writers at once, and a disk that is full.

    test_project_kill.py PROJECT_WRITER THRESH

A run that the writer has called finished must be there whole after any kill, and the file sound.
"""
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

WRITER, THRESH = sys.argv[1:3]
KILLS = 100
RECORDS = 300


def thresh(*words):
    return subprocess.run([THRESH, *words], capture_output=True, text=True, check=False)


def finished_runs(project, site):
    done = thresh("project", "list", project, "runs", "--site", site, "-f", "ndjson")
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["run"]: row for row in rows if row["finished"] != "not finished"}


class Project(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="thresh-project-")
        self.project = os.path.join(self.folder, "p.thresh")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def start(self, site):
        return subprocess.Popen([WRITER, self.project, site, str(RECORDS)], stdout=subprocess.PIPE)

    def test_kill(self):
        """No finished run is lost in a hundred kills."""
        chance = random.Random(7)
        acknowledged = set()
        for _ in range(KILLS):
            writer = self.start("shop")
            first = writer.stdout.readline()  # it is at work
            time.sleep(chance.uniform(0, 0.03))
            writer.send_signal(signal.SIGKILL)
            out, _ = writer.communicate()
            # only complete lines count
            acknowledged.update(int(line) for line in (first + out).split(b"\n")[:-1])
        runs = finished_runs(self.project, "shop")
        self.assertGreaterEqual(len(acknowledged), KILLS)
        self.assertEqual(acknowledged - set(runs), set())
        with sqlite3.connect(self.project) as db:
            wrong = db.execute("SELECT count(*) FROM run WHERE finished IS NOT NULL AND records <> "
                               "(SELECT count(*) FROM record WHERE record.run = run.id)").fetchone()
            half = db.execute("SELECT count(*) FROM run WHERE finished IS NOT NULL AND records <> ?",
                              (RECORDS,)).fetchone()
        self.assertEqual((wrong[0], half[0]), (0, 0))
        self.assertEqual(thresh("project", "check", self.project).returncode, 0)

    def test_two_writers(self):
        """Two processes write at once, and neither loses or waits for ever."""
        self.assertEqual(thresh("project", "new", self.project).returncode, 0)
        writers = [self.start(site) for site in ("a", "b")]
        begun = [[writer.stdout.readline() for _ in range(3)] for writer in writers]
        for writer in writers:
            self.assertIsNone(writer.poll(), "a writer has given up")
            writer.send_signal(signal.SIGTERM)
        for site, writer, lines in zip("ab", writers, begun):
            said = (b"".join(lines) + writer.communicate()[0]).split(b"\n")[:-1]
            self.assertLessEqual({int(line) for line in said},
                                 set(finished_runs(self.project, site)))

    def test_full_disk(self):
        """A disk that fills in the middle of a run: a message, exit 1, the project as it was."""
        disk = os.path.join(self.folder, "disk")
        os.mkdir(disk)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", disk],
                          capture_output=True, check=False).returncode:
            self.skipTest("no small disk can be mounted here")
        try:
            project = os.path.join(disk, "p.thresh")
            page = os.path.join(self.folder, "page.html")
            chance = random.Random(7)
            with open(page, "w", encoding="utf-8") as file:
                file.write("<ul>")
                for number in range(150000):
                    file.write(f"<li><b>{chance.random()}</b> costs <i>{number}</i></li>")
            self.assertEqual(thresh("project", "new", project).returncode, 0)
            for words in (("project", "add", project, page), ("--project", project, page)):
                done = thresh(*words)
                self.assertEqual(done.returncode, 1)
                self.assertIn("no space left on device", done.stderr)
                self.assertEqual(thresh("project", "check", project).returncode, 0)
                for what in ("pages", "runs"):
                    listed = thresh("project", "list", project, what)
                    self.assertEqual((listed.returncode, listed.stdout), (0, ""))
        finally:
            subprocess.run(["umount", disk], check=False)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

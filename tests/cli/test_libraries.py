#!/usr/bin/env python3
"""Libraries that are loaded when they are needed: what needs one that is not there says so, and all else works.

usage: test_libraries.py THRESH
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

THRESH = os.path.abspath(sys.argv.pop(1))
PAGE = "<ul>" + "".join(f"<li><b>Tea {n}</b> <i>€ {n}.50</i></li>" for n in range(2, 9)) + "</ul>"


def loaded():
    """The libraries that the program loads, by the names in it."""
    with open(THRESH, "rb") as file:
        return set(re.findall(r"(lib\w+\.so\.\d+), which cannot be loaded", file.read().decode("latin-1")))


@unittest.skipUnless(loaded(), "the program is linked with all libraries")
class Libraries(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.mkdir(os.path.join(self.folder, "broken"))
        for name in loaded():  # found before the real one, and not a library
            with open(os.path.join(self.folder, "broken", name), "w", encoding="ascii"):
                pass
        with open(os.path.join(self.folder, "page.html"), "w", encoding="utf-8") as file:
            file.write(PAGE)

    def run_thresh(self, *args):
        env = {**os.environ, "LD_LIBRARY_PATH": os.path.join(self.folder, "broken")}
        return subprocess.run([THRESH, *args], cwd=self.folder, env=env, capture_output=True, text=True, timeout=60, check=False)

    def refused(self, library, *args):
        done = self.run_thresh(*args)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stderr, library + r"\.so\.\d+, which cannot be loaded .*; install the package that has it")
        self.assertEqual(done.stdout, "")

    def test_without(self):
        """Records of a page need none of them, nor does learning."""
        done = self.run_thresh("-f", "csv", "page.html")
        self.assertEqual((done.returncode, done.stderr, done.stdout.count("Tea")), (0, "", 7))
        self.assertEqual(self.run_thresh("learn", "-q", "-o", "wrapper.json", "page.html").returncode, 0)

    def test_missing(self):
        self.refused("libcurl", "http://localhost:9/")
        self.refused("libxlsxwriter", "-o", "out.xlsx", "page.html")
        self.assertEqual(sorted(os.listdir(self.folder)), ["broken", "page.html"])
        self.refused("libmicrohttpd", "serve", "--no-browser", "--project", "project.thresh")
        self.run_thresh("learn", "-q", "-o", "wrapper.json", "page.html")
        self.refused("libxml2", "show", "--as", "css", "wrapper.json")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""How a machine is made ready: scripts/setup, scripts/web and what follows from them, with stub commands.

    tests/test_setup.py
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOLS = "sh sed tr grep cat mktemp rm sort expand env find dirname tail touch python3".split()


class Machine(unittest.TestCase):
    """A PATH with nothing but a few tools and stubs, and a copy of the scripts."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="thresh-setup-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.bin = os.path.join(self.folder, "bin")
        os.mkdir(self.bin)
        for tool in TOOLS:
            os.symlink(shutil.which(tool), os.path.join(self.bin, tool))
        shutil.copytree(os.path.join(ROOT, "scripts"), os.path.join(self.folder, "scripts"))
        os.makedirs(os.path.join(self.folder, "web", "src"))
        for name in ("package.json", "package-lock.json", "build.mjs"):
            self.write("web/" + name, "{}")
        self.stub("id", "echo 0")
        self.stub("sleep", "echo slept >>$LOG")
        self.machine("", "true")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def stub(self, name, body):
        self.write("bin/" + name, f"#!/bin/sh\n{body}\n")
        os.chmod(os.path.join(self.bin, name), 0o755)

    def machine(self, installed, apt):
        """Packages that are installed, and what apt-get does with its words."""
        self.stub("dpkg-query", f'for name; do case " {installed} " in *" $name "*) echo "ii $name";; esac; done')
        self.stub("apt-get", f'case "$*" in *update) words=update;; *) words=${{*##*recommends }};; esac; echo "$words" >>$LOG; {apt}')

    def run_script(self, *words, **env):
        """The exit code of a script, what apt-get was asked, and what was said."""
        log = os.path.join(self.folder, "log")
        self.write("log", "")
        done = subprocess.run([os.path.join(self.folder, words[0]), *words[1:]], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={"PATH": self.bin, "LOG": log, **env}, check=False)
        with open(log, encoding="utf-8") as file:
            return done.returncode, [line.strip() for line in file], done.stdout

    def node(self, version="v20.1.0", npm="true"):
        self.stub("node", f'[ "$1" != --version ] || echo {version}')
        self.stub("npm", npm)

    def test_commands_from_elsewhere(self):
        self.node()
        self.stub("chromium", "")
        self.assertEqual(self.run_script("scripts/setup", "browser")[:2], (0, ["update", "ca-certificates"]))
        self.machine("ca-certificates", "true")
        self.assertEqual(self.run_script("scripts/setup", "browser"), (0, [], ""))

    def test_one_failure_leaves_the_others(self):
        self.node()
        os.remove(os.path.join(self.bin, "npm"))
        self.machine("ca-certificates", 'case $words in *npm*) echo held broken packages >&2; exit 100;; esac')
        code, asked, said = self.run_script("scripts/setup", "browser")
        self.assertEqual((code, asked), (1, ["update", "npm", "update", "chromium"]))
        self.assertIn("held broken packages", said)

    def test_old_node(self):
        self.node("v16.20.0")
        self.machine("ca-certificates", "true")
        self.assertEqual(self.run_script("scripts/setup", "web")[1], ["update", "nodejs"])

    def test_lists_are_locked(self):
        self.machine("", 'if [ "$words" = update ] && [ "$(grep -c update $LOG)" -lt 3 ]; then '
                         'echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1" >&2; exit 100; fi')
        code, asked, _ = self.run_script("scripts/setup", "format")
        self.assertEqual((code, asked), (0, ["update", "slept", "update", "slept", "update", "clang-format"]))
        self.machine("", 'echo "E: no network" >&2; exit 100')
        code, asked, said = self.run_script("scripts/setup", "format")
        self.assertEqual((code, asked), (1, ["update"]))
        self.assertIn("no network", said)

    def page(self):
        """What the program shows first."""
        assets = os.path.join(self.folder, "assets.c")
        self.run_script("scripts/embed", os.path.join(self.folder, "web", "dist"), assets)
        with open(assets, encoding="utf-8") as file:
            data = file.read().split("{", 1)[1].split("}", 1)[0]
        return bytes(int(byte) for byte in data.split(",")[:-1]).decode()

    def test_why_there_is_no_workbench(self):
        self.assertIn("When this program was built, the front end was not.", self.page())
        self.machine("ca-certificates", "exit 100")
        none = "When this program was built, there was no node 18 or later with npm."
        for words, env, code, asked, why in ((["--present"], {}, 0, [], none), ([], {}, 0, ["update"], none), (["--must"], {}, 1, ["update"], none),
                                             ([], {"THRESH_NO_WEB": "1"}, 0, [], "When this program was built, THRESH_NO_WEB was set.")):
            self.assertEqual(self.run_script("scripts/web", *words, **env)[:2], (code, asked), (words, env))
            self.assertIn(why, self.page())
        self.node(npm="exit 1")
        self.assertEqual(self.run_script("scripts/web")[0], 0)
        self.assertIn("When this program was built, npm could not fetch its packages.", self.page())

    def test_workbench_is_built(self):
        self.node(npm='if [ "$1" = ci ]; then mkdir -p node_modules; else mkdir -p dist; echo built >dist/index.html; fi')
        os.symlink(shutil.which("mkdir"), os.path.join(self.bin, "mkdir"))
        self.assertEqual(self.run_script("scripts/web", "--present")[:2], (0, []))
        self.assertEqual(self.page(), "built\n")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "web", "absent.txt")))

    def test_browser_tests_that_cannot_run(self):
        for env, code in (({}, 77), ({"CI": "true"}, 1), ({"CI": "true", "THRESH_NO_WEB": "1"}, 77), ({"CI": "false"}, 77)):
            done = subprocess.run([sys.executable, os.path.join(ROOT, "tests", "web", "run_web.py"), "thresh", "gen"],
                                  stdout=subprocess.DEVNULL, env={"PATH": self.bin, **env}, check=False)
            self.assertEqual(done.returncode, code, env)


if __name__ == "__main__":
    unittest.main()

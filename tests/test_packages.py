#!/usr/bin/env python3
"""What packages say agrees with the rest: the version, functions of the library, libraries that are needed.

    tests/test_packages.py THRESH

meson.build has the version, and only debian/changelog says it too. `make deb-test` tests the packages themselves.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
THRESH = sys.argv.pop(1)


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def run(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def paragraphs():
    """The paragraphs of debian/control: fields by name, the first word of each relation as a set."""
    for text in read("debian", "control").strip().split("\n\n"):
        fields = dict(re.findall(r"^([A-Za-z-]+):(.*(?:\n .*)*)", text, re.M))
        yield {name: {re.split(r"[ |]", word.strip())[0] for word in value.split(",") if word.strip()} if "Depends" in name else value.strip()
               for name, value in fields.items()}


class Packages(unittest.TestCase):
    def setUp(self):
        self.version = re.search(r"^  version: '(\d+\.\d+\.\d+)',$", read("meson.build"), re.M).group(1)

    def test_version(self):
        self.assertEqual(run(THRESH, "--version").stdout, f"thresh {self.version}\n")
        self.assertEqual(re.match(r"thresh \((.*?)\)", read("debian", "changelog")).group(1), self.version)
        self.assertNotIn("version", json.loads(read("web", "package.json")))

    def test_symbols(self):
        done = run(os.path.join(ROOT, "scripts", "gen-symbols"), "--check")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        versions = set(re.findall(r"@Base (\S+)$", read("debian", "libthresh0.symbols"), re.M))
        for version in versions:
            self.assertLessEqual([int(part) for part in version.split(".")], [int(part) for part in self.version.split(".")])
        soversion = re.search(r"soversion: '(\d+)'", read("meson.build")).group(1)
        self.assertTrue(read("debian", "libthresh0.symbols").startswith(f"libthresh.so.{soversion} libthresh{soversion} #MINVER#\n"))

    def test_control(self):
        source, *binary = paragraphs()
        binary = {package["Package"]: package for package in binary}
        self.assertEqual(sorted(binary), ["libthresh-dev", "libthresh0", "python3-thresh", "thresh"])
        libraries = {re.split(r"[ |]", line)[0] for line in read("scripts", "setup").splitlines()
                     if re.match(r"\S+-dev[ |].* build  ", line)} - {"libc6-dev"}
        self.assertIn("libjansson-dev", libraries)
        self.assertLessEqual(libraries, source["Build-Depends"])
        self.assertEqual(libraries - {"libmicrohttpd-dev"} - binary["libthresh-dev"]["Depends"], set())

    def test_files(self):
        for name in ("debian/rules", "debian/tests/smoke", "scripts/deb", "scripts/deb-test", "scripts/dist"):
            self.assertTrue(os.access(os.path.join(ROOT, name), os.X_OK), name)
        lines = read("debian", "source", "lintian-overrides").splitlines()
        self.assertTrue(lines[0].startswith("# "), "an override has its reason above it")
        help_text = run("make", "-C", ROOT, "--no-print-directory", "help").stdout
        for target in ("dist", "deb", "deb-test"):
            self.assertRegex(help_text, rf"(?m)^{target}\s")

    @unittest.skipUnless(shutil.which("dpkg-query") and shutil.which("readelf"), "no dpkg-query or readelf")
    def test_libraries_of_the_image(self):
        """The image has what the program is linked with, and what it loads, by the names of Debian 12."""
        with open("/etc/os-release", encoding="utf-8") as file:
            if "VERSION_CODENAME=bookworm" not in file.read():
                self.skipTest("this is not Debian 12")
        needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-d", THRESH).stdout)
        with open(THRESH, "rb") as file:
            needed += re.findall(r"\0(lib\w+\.so\.\d+)(?=\0)", file.read().decode("latin-1"))
        self.assertTrue(needed)
        listed = set(re.findall(r"^        ([a-z0-9-]+) \\$", read("Dockerfile"), re.M))
        found = {line.split(":")[0] for line in run("dpkg-query", "-S", *[f"*/{name}" for name in needed]).stdout.splitlines()
                 if re.search(rf"/lib/[a-z0-9_-]+/({'|'.join(map(re.escape, needed))})$", line)}
        self.assertIn("libjansson4", found)
        self.assertEqual(sorted(name for name in found - {"libc6", "libgcc-s1"} if re.match(r"lib(?!.*(asan|ubsan|tsan))|zlib", name)),
                         sorted(listed - {"ca-certificates"}))


if __name__ == "__main__":
    unittest.main()

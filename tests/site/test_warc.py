#!/usr/bin/env python3
"""The archives of --warc: what is in them, what other readers say of them, and going on with them.

    tests/site/test_warc.py THRESH SOURCE BUILD

warcio and FastWARC come from the registry into BUILD/venv-warc; where they cannot be had, their test is skipped.
"""
import base64
import fcntl
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import unittest
import zlib

import local_site

BUILD, SOURCE, THRESH = (os.path.abspath(sys.argv.pop()) for _ in range(3))
READERS = """
import collections, sys
from warcio.archiveiterator import ArchiveIterator
import fastwarc.warc

counts = collections.Counter()
with open(sys.argv[1], "rb") as file:
    for record in ArchiveIterator(file, check_digests="raise"):
        body = record.content_stream().read()
        counts[record.rec_type] += 1
        if record.rec_type == "response":
            assert record.http_headers.get_header("Content-Length") == str(len(body)), record.rec_headers
print("warcio", *sorted(counts.items()))
counts = collections.Counter()
with open(sys.argv[1], "rb") as file:  # records whose digest is wrong are left out
    for record in fastwarc.warc.ArchiveIterator(file, verify_digests=True, parse_http=False):
        counts[record.headers["WARC-Type"]] += 1
print("fastwarc", *sorted(counts.items()))
with open(sys.argv[1], "rb") as file:
    for record in fastwarc.warc.ArchiveIterator(file, record_types=fastwarc.warc.WarcRecordType.response):
        assert record.http_headers.status_code in (200, 301, 302), record.headers
"""


def members(data):
    """The bytes of each gzip member."""
    while data:
        unpacker = zlib.decompressobj(31)
        yield unpacker.decompress(data)
        data = unpacker.unused_data


def sha1(data):
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def parse(record):
    """(type, {header: value}, block)"""
    head, _, rest = record.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines[1:])
    assert lines[0] == "WARC/1.1" and rest.endswith(b"\r\n\r\n") and len(rest) - 4 == int(headers["Content-Length"]), record[:300]
    return headers["WARC-Type"], headers, rest[:-4]


class Case(unittest.TestCase):
    def setUp(self):
        self.keeper = tempfile.TemporaryDirectory(prefix="thresh-warc-")
        self.addCleanup(self.keeper.cleanup)
        self.archive = os.path.join(self.keeper.name, "site.warc.gz")

    def run_thresh(self, *words, code=0):
        ran = subprocess.run([THRESH, *words], capture_output=True, text=True, cwd=self.keeper.name,
                             env=dict(os.environ, no_proxy="*", TOKEN="s3cr3t"))
        self.assertEqual(ran.returncode, code, ran.stderr)
        return ran

    def fetch(self, *urls, code=0):
        return self.run_thresh("records", "-q", "--allow-private", "--delay", "0", "--warc", self.archive, *urls, code=code)

    def read(self):
        with open(self.archive, "rb") as file:
            return file.read()

    def write(self, data):
        with open(self.archive, "wb") as file:
            file.write(data)

    def records(self):
        return [parse(record) for record in members(self.read())]

    def pages(self):
        return [headers["WARC-Target-URI"] for kind, headers, _ in self.records() if kind == "response"]


class Archive(Case):
    def test_records(self):
        with local_site.Site(lists=2) as site:
            item = site.items[3]
            self.fetch("--header", "X-Token: ${TOKEN}", site.url("/shop/"), site.url("/old/3"), site.url("/members/"))
            records = self.records()
            self.assertEqual(records[0][0], "warcinfo")
            self.assertIn(b"software: thresh/", records[0][2])
            self.assertEqual([path.partition(site.address)[2] for path in self.pages()],
                             ["/robots.txt", "/shop/", "/old/3", "/item/3", "/members/", "/login"])
            seen = set()
            for kind, headers, block in records:
                self.assertEqual(headers["WARC-Block-Digest"], sha1(block))
                self.assertRegex(headers["WARC-Record-ID"], r"^<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>$")
                self.assertRegex(headers["WARC-Date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
                self.assertNotIn(headers["WARC-Record-ID"], seen)
                seen.add(headers["WARC-Record-ID"])
                if kind == "response":
                    self.assertEqual(headers["WARC-Payload-Digest"], sha1(block.partition(b"\r\n\r\n")[2]))
                    self.assertEqual(headers["WARC-IP-Address"], "127.0.0.1")
                if kind == "request":
                    self.assertIn(headers["WARC-Concurrent-To"], seen)
                    self.assertTrue(block.startswith(b"GET /"))
            self.assertEqual(next(block for kind, headers, block in records if kind == "response" and
                                  headers["WARC-Target-URI"] == site.url("/item/3")).partition(b"\r\n\r\n")[2].decode(),
                             site.detail(item))
            self.assertNotRegex(b"".join(members(self.read())), b"s3cr3t|(?i:\r\nset-cookie)")

    def test_other_readers(self):
        done = subprocess.run([sys.executable, os.path.join(SOURCE, "scripts", "venv"), os.path.join(BUILD, "venv-warc"), "warc"],
                              capture_output=True, text=True)
        if done.returncode == 77:
            self.skipTest("warcio and fastwarc cannot be installed")
        self.assertEqual(done.returncode, 0, done.stderr)
        with local_site.Site(lists=3, private=0, busy=0, shaky=0) as site:
            self.run_thresh("crawl", "-q", "--allow-private", "--delay", "0", "--warc", self.archive, "-o", "out.csv", site.url("/shop/"))
            read = subprocess.run([done.stdout.strip(), "-c", READERS, self.archive], capture_output=True, text=True)
            self.assertEqual(read.returncode, 0, read.stderr)
            count = sum(site.counts.values())
            counts = f"('request', {count}) ('response', {count}) ('warcinfo', 1)"
            self.assertEqual(read.stdout.splitlines(), ["warcio " + counts, "fastwarc " + counts])

    def test_own_reader(self):
        with local_site.Site(lists=2) as site:
            first = self.fetch("-f", "ndjson", "--with-page", site.url("/shop/"), site.url("/shop/?page=2"))
        again = self.run_thresh("records", "-q", "-f", "ndjson", "--with-page", self.archive)
        self.assertEqual(again.stdout, first.stdout)


class GoingOn(Case):
    def test_torn(self):
        random_ = random.Random(3)
        with local_site.Site(lists=2) as site:
            self.fetch(site.url("/shop/"))
            whole = self.read()
            sizes = [0]
            rest = whole
            while rest:
                unpacker = zlib.decompressobj(31)
                unpacker.decompress(rest)
                rest = unpacker.unused_data
                sizes.append(len(whole) - len(rest))
            info = sizes[1]
            cuts = [random_.randrange(info + 1, len(whole)) for _ in range(8)] + [info + 1, info + 9, info + 18, len(whole) - 1]
            for cut in cuts:
                self.write(whole[:cut])
                self.fetch(site.url("/item/1"))
                kept = max(size for size in sizes if size <= cut)
                self.assertTrue(self.read().startswith(whole[:kept]), cut)
                self.assertEqual(self.pages()[-1], site.url("/item/1"))
            self.write(whole)
            self.fetch(site.url("/item/1"))
            self.assertEqual(len(self.records()), 10)  # two sessions

    def test_refused(self):
        with local_site.Site(lists=2) as site:
            self.fetch(site.url("/shop/"))
            whole = self.read()
            damaged = whole[:300] + b"damage" + whole[306:]
            for data, said in ((b"not an archive", "is not a gzip WARC archive"), (zlib.compress(b"x" * 100, wbits=31), "is not a gzip WARC archive"),
                               (b"".join(members(whole)), "is not a gzip WARC archive"), (damaged, "is damaged at byte")):
                self.write(data)
                ran = self.fetch(site.url("/item/1"), code=1)
                self.assertIn(said, ran.stderr)
                self.assertEqual(self.read(), data)
            self.write(whole)
            with open(self.archive, "rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                self.assertIn("another process is writing to it", self.fetch(site.url("/item/1"), code=1).stderr)
            self.assertEqual(self.read(), whole)
        self.archive = "/nowhere/x.warc.gz"
        self.assertIn("/nowhere/x.warc.gz: cannot be written", self.fetch("http://127.0.0.1:9/", code=1).stderr)

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        os.symlink("/dev/full", self.archive)
        self.assertIn("is not a plain file", self.fetch("http://127.0.0.1:9/", code=1).stderr)


if __name__ == "__main__":
    unittest.main()

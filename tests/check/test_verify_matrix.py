#!/usr/bin/env python3
"""What verification says of pages of one record, for every engine that reads them.

    tests/check/test_verify_matrix.py THRESH

A field that is missing on every page while its value is still there, on a line with other text, is drift; a field that the
site has dropped is not, and pages in the old layout are fine. Values of a few kinds that all became others are drift.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

ENGINES = ("stalker", "softmealy", "paths", "seams", "template", None)
WORDS = "Amber Birch Cedar Delta Ember Fjord Grove Haven Islet Jetty Mango North Olive Pearl".split()
FIRST = "<font>The {t}</font> by <i>{a}</i><br>Price: <b>${p}</b><br>ISBN: <u>{n}</u>"
LINE = "<b class=t>The {t}</b> by <i>{a}</i><br>Price: <b>${p}</b><br>ISBN: <u>{n}</u>"
BLOCKS = ("<div class=top><b class=t>The {t}</b></div><div>by <i>{a}</i></div><div>Price: <b>${p}</b></div>"
          "<div>ISBN: <u>{n}</u></div>")
# By layout: what becomes of it, and the verdicts that are right.
CASES = {LINE: ((LINE, ("fine",)),
                (FIRST, ("drift",)),
                (LINE.replace("by <i>{a}</i>", "written by <font>{a}</font>"), ("drift",)),
                (LINE.replace("ISBN: <u>{n}</u>", "Number <font>{n}</font>"), ("drift",)),
                (LINE.replace("<u>{n}</u>", "<font>{n}</font>"), ("drift", "fine")),  # fine where labels lead to it
                (LINE.replace(" by <i>{a}</i>", ""), ("changed",)),
                (LINE.replace("<br>ISBN: <u>{n}</u>", ""), ("changed",))),
         BLOCKS: ((BLOCKS, ("fine",)),
                  (BLOCKS.replace("ISBN: <u>{n}</u>", "Number <font>{n}</font>"), ("drift",)),
                  (BLOCKS.replace("<div>ISBN: <u>{n}</u></div>", ""), ("changed",)))}
SIZES = "<h1>Item {n}</h1><p>Size: <b>{s}</b></p><p>Address: <i>{n} {a} {w}</i></p>"


class Matrix(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.random = random.Random(7)

    def run_thresh(self, *args):
        return subprocess.run((THRESH,) + args, cwd=self.folder.name, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False)

    def write(self, name, layout, record):
        with open(os.path.join(self.folder.name, name), "w", encoding="utf-8") as file:
            file.write("<html><body>%s</body></html>" % layout.format(**record))
        return name

    def learn(self, engine, pages, labels):
        with open(os.path.join(self.folder.name, "l.jsonl"), "w", encoding="utf-8") as file:
            for page, record in zip(pages, labels):
                file.write(json.dumps({"page": page, "record": record}) + "\n")
        args = ["--engine", engine] if engine else []
        args += [] if engine == "template" else ["--labels", "l.jsonl"]
        done = self.run_thresh("learn", "-q", "-o", "w.json", *args, *pages)
        self.assertEqual(done.returncode, 0, done.stderr)

    def verdict(self, pages):
        done = self.run_thresh("verify", "-w", "w.json", *pages)
        word = done.stdout.split(":")[0]
        self.assertEqual(done.returncode, 3 if word == "drift" else 0)
        return word, done.stdout

    def book(self):
        pick = self.random.choice
        return {"t": "%s of %s" % (pick(WORDS), pick(WORDS)), "a": "%s %s" % (pick(WORDS), pick(WORDS)),
                "p": "%d.95" % self.random.randint(10, 99), "n": str(self.random.randint(10 ** 9, 10 ** 10 - 1))}

    def test_lost_in_line(self):
        for engine in ENGINES:
            for layout, cases in CASES.items():
                books = [self.book() for _ in range(10)]
                pages = [self.write("o%d.html" % i, layout, book) for i, book in enumerate(books)]
                self.learn(engine, pages, [{"title": "The " + b["t"], "author": b["a"], "price": "$" + b["p"],
                                            "isbn": b["n"]} for b in books[:6]])
                for now, right in cases:
                    pages = [self.write("n%d.html" % i, now, self.book()) for i in range(10)]
                    for count in (3, 10):
                        word, told = self.verdict(pages[:count])
                        self.assertIn(word, right, "%s, %d pages of %s\n%s" % (engine, count, now, told))

    def item(self, sizes, ways):
        pick = self.random.choice
        return {"s": pick(sizes), "w": pick(ways), "a": pick(WORDS[:5]), "n": str(self.random.randint(10, 999))}

    def test_words(self):
        old, new = (("Small", "Medium", "Large"), ("St.", "Blvd.")), (("Cart", "Login", "Menu"), ("Fig.", "Vol."))
        for engine in ENGINES:
            items = [self.item(*old) for _ in range(40)]
            pages = [self.write("o%02d.html" % i, SIZES, item) for i, item in enumerate(items)]
            self.learn(engine, pages, [{"name": "Item " + i["n"], "size": i["s"],
                                        "addr": "%s %s %s" % (i["n"], i["a"], i["w"])} for i in items])
            for words, right in ((old, "fine"), (new, "drift"), ((old[0], new[1]), "drift")):
                pages = [self.write("n%02d.html" % i, SIZES, self.item(*words)) for i in range(40)]
                word, told = self.verdict(pages)
                self.assertEqual(word, right, "%s %s\n%s" % (engine, words, told))


if __name__ == "__main__":
    THRESH = os.path.abspath(sys.argv.pop(1))
    unittest.main()

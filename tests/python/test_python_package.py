"""The package thresh: what its functions take, give and refuse. Needs nothing but the standard library.

    test_python_package.py [THRESH [THRESH-GEN]] [unittest's words]
"""
import array
import io
import json
import mmap
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import thresh

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOOKS = ROOT / "examples" / "pages" / "books.html"
SHOP = "<ul><li><b>Tea</b> <i>2.50</i><li><b>Rice</b> <i>1.20</i><li><b>Salt</b> <i>0.80</i></ul>"
SOLD = [{"title": "Tea", "number": "2.50"}, {"title": "Rice", "number": "1.20"}, {"title": "Salt", "number": "0.80"}]
PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 and os.access(sys.argv[1], os.X_OK) else None
GENERATOR = sys.argv.pop(1) if len(sys.argv) > 1 and os.access(sys.argv[1], os.X_OK) else None


def product(name, price, word="Price"):
    return f"<html><body><h1>{name}</h1><p>{word}: <b>{price}</b><p class=note>In stock</body></html>"


PRODUCTS = [product(f"Item {i} of many", f"{i}.{i % 10}0") for i in range(1, 9)]


class Sources(unittest.TestCase):
    def test_kinds(self):
        raw = SHOP.encode()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "shop.html")
            path.write_bytes(raw)
            with open(path, "rb") as file, open(path, encoding="utf-8") as text, open(path, "rb") as mapped:
                view = mmap.mmap(mapped.fileno(), 0, access=mmap.ACCESS_READ)
                for source in (raw, SHOP, bytearray(raw), memoryview(raw), array.array("B", raw), path, file, text, view,
                               io.BytesIO(raw), io.StringIO(SHOP), thresh.Page(raw)):
                    with self.subTest(type(source).__name__):
                        self.assertEqual(thresh.records(source), SOLD)
                view.close()

    def test_encodings(self):
        page = "<p>Größe</p>"
        self.assertEqual(thresh.Page(page.encode("windows-1252"), encoding="windows-1252").text, "Größe")
        # a str is text, whatever the page says of itself
        self.assertEqual(thresh.Page('<meta charset="windows-1252">' + page).text, "Größe")
        self.assertEqual(thresh.Page(page.encode()).encoding, "utf-8")

    def test_list(self):
        found = thresh.records(SHOP)
        self.assertIsInstance(found, list)
        self.assertEqual(json.loads(json.dumps(found)), SOLD)
        self.assertEqual(pickle.loads(pickle.dumps(found)), SOLD)
        start = SHOP.encode().index(b"Tea")
        self.assertEqual(found.with_spans()[0]["title"], {"value": "Tea", "start": start, "end": start + 3})

    def test_regions(self):
        regions = thresh.regions(BOOKS, most=3)
        self.assertEqual(regions[0].records, thresh.records(BOOKS))
        self.assertTrue(0 <= regions[0].confidence <= 1)
        self.assertEqual(thresh.regions(SHOP, engine="mdr")[0].engine, "mdr")
        self.assertEqual(thresh.regions("<p>Nothing"), [])

    def test_feed(self):
        names = [page.name for page in thresh.pages(BOOKS.parent)]
        self.assertEqual(names, sorted(str(path) for path in BOOKS.parent.iterdir()))
        missing = thresh.pages("not-there", BOOKS, errors="skip")
        self.assertEqual([page.name for page in missing], [str(BOOKS)])
        self.assertIn("not-there", str(missing.errors[0]))


class Pages(unittest.TestCase):
    def test_tree(self):
        page = thresh.Page("<div id=a CLASS='x &amp; y'><p>One<p>Two</div><x-y hidden>Three</x-y>")
        self.assertEqual([node.tag for node in page.tree.iter()], ["div", "p", "p", "x-y"])
        div, other = page.tree.children
        self.assertEqual(div.attributes, {"id": "a", "class": "x & y"})
        self.assertEqual(other.attributes, {"hidden": ""})
        self.assertEqual([node.text for node in page.tree.iter("p")], ["One", "Two"])
        self.assertEqual(div.children[0].parent, div)
        self.assertNotEqual(div.children[0], div)
        self.assertEqual(len({div, div.children[0].parent}), 1)
        self.assertEqual((page.tree.tag, page.tree.parent, page.tree.attributes), ("", None, {}))
        self.assertEqual(page.source[div.start:div.end], b"<div id=a CLASS='x &amp; y'><p>One<p>Two</div>")
        self.assertIs(div.page, page)

    def test_links(self):
        page = thresh.Page('<a href="b?x=1&amp;y=2">B</a><a name=n>N</a><a href=mailto:x@y.example>M</a>',
                           url="http://a.example/dir/")
        self.assertEqual([(link.url, link.text) for link in page.links],
                         [("http://a.example/dir/b?x=1&y=2", "B"), ("mailto:x@y.example", "M")])
        self.assertEqual(page.url, "http://a.example/dir/")

    def test_outlives_its_buffer(self):
        source = b"<p>" + b"A text that is long enough to be alone. " * 1000
        page = thresh.Page(source)
        before, tree = page.text, page.tree
        del source
        others = [bytes(45000) for _ in range(100)]
        self.assertEqual(page.text, before)
        del page
        self.assertEqual(tree.text, before)
        self.assertEqual(len(others), 100)

    def test_copies_what_may_change(self):
        source = bytearray(SHOP.encode())
        page = thresh.Page(source)
        source[:] = b"\0" * len(source)
        self.assertEqual(thresh.records(page), SOLD)
        source.clear()  # not held either
        self.assertEqual(thresh.records(page), SOLD)

    def test_pickle(self):
        page = pickle.loads(pickle.dumps(thresh.Page("<p>Größe <a href=x>X</a>", name="a", url="http://a.example/")))
        self.assertEqual((page.text, page.name, page.links[0].url), ("Größe X", "a", "http://a.example/x"))


class Learning(unittest.TestCase):
    def test_labels(self):
        wanted = {"name": "Item 7 of many", "price": "7.70"}
        label = {"name": "Item 1 of many", "price": "1.10"}
        with tempfile.TemporaryDirectory() as folder:
            lines = pathlib.Path(folder, "labels.jsonl")
            lines.write_text(json.dumps({"page": "page 1", "record": label}), encoding="utf-8")
            kinds = {"position": {0: label}, "name": {"page 1": label}, "list": [label] + [None] * 7, "file": lines,
                     "file name": str(lines)}
            for what, labels in kinds.items():
                with self.subTest(what):
                    found = thresh.learn(PRODUCTS, labels=labels).extract(PRODUCTS[6])
                    self.assertEqual(found, [wanted])
        for examples in (label, "name=Item 1 of many", ["name=Item 1 of many", "price=1.10"]):
            with self.subTest(examples=examples):
                found = thresh.learn(PRODUCTS, examples=examples).extract(PRODUCTS[6])
                self.assertEqual(found[0]["name"], wanted["name"])

    def test_without_labels(self):
        wrapper = thresh.learn(PRODUCTS)
        self.assertEqual(wrapper.engine, "template")
        self.assertIn("Item 3 of many", wrapper.extract(PRODUCTS[2])[0].values())

    def test_remarks(self):
        wrapper = thresh.learn(PRODUCTS, labels={0: {"name": "Item 1 of many"}, 1: {"name": "nowhere"}})
        self.assertTrue(any("nowhere" in remark.text or remark.page == "page 2" for remark in wrapper.remarks), wrapper.remarks)

    def test_file(self):
        wrapper = thresh.learn([SHOP])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "shop.json")
            wrapper.save(path)
            self.assertEqual(os.listdir(folder), ["shop.json"])
            again = thresh.Wrapper.load(path)
            self.assertEqual(again, wrapper)
            self.assertEqual(again.extract(SHOP), wrapper.extract(SHOP))
            with self.assertRaises(OSError):
                wrapper.save(os.path.join(folder, "no", "shop.json"))
        self.assertEqual(pickle.loads(pickle.dumps(wrapper)), wrapper)
        self.assertEqual(len({wrapper, again}), 1)
        self.assertIn("lists", wrapper.explain())
        self.assertEqual(wrapper.fields, ["title", "number", "other"])
        self.assertEqual(wrapper.version, 1)

    def test_results(self):
        results = thresh.learn([SHOP]).extract(SHOP)
        self.assertEqual(len(results), 3)
        self.assertEqual(results[1]["title"], "Rice")
        self.assertEqual(results[-1]["number"], "0.80")
        self.assertEqual([record["title"] for record in results[:2]], ["Tea", "Rice"])
        self.assertEqual(pickle.loads(pickle.dumps(results)), list(results))
        self.assertEqual(repr(results), repr(list(results)))
        self.assertEqual(results.with_spans()[0]["title"]["value"], "Tea")
        self.assertNotEqual(results, [])

    def test_many(self):
        wrapper = thresh.learn(PRODUCTS, labels={0: {"name": "Item 1 of many", "price": "1.10"}})
        pages = [product(f"Item {i}", f"{i}.50") for i in range(700)]
        wanted = [{"name": f"Item {i}", "price": f"{i}.50"} for i in range(700)]
        for threads in (None, 1, 2, 7):
            self.assertEqual(wrapper.extract_many(pages, threads=threads), wanted)
        self.assertEqual(wrapper.extract_many(iter(pages)), wanted)
        self.assertEqual(wrapper.extract_many(thresh.Page(page) for page in pages), wanted)
        named = wrapper.extract_many([thresh.Page(pages[3], name="three"), pages[4].encode()])
        self.assertEqual(list(named.by_page()), [("three", [wanted[3]]), ("page 2", [wanted[4]])])
        self.assertEqual(wrapper.extract_many([]), [])

    def test_many_errors(self):
        wrapper = thresh.learn([SHOP])
        pages = [SHOP, b"", pathlib.Path("not-there.html"), 3, SHOP]
        results = wrapper.extract_many(pages, errors="keep")
        self.assertEqual(len(results), 6)
        self.assertEqual(results.page_count, 5)
        self.assertEqual({at: type(error).__name__ for at, error in results.errors.items()},
                         {1: "ArgumentError", 2: "FileNotFoundError", 3: "TypeError"})
        self.assertIn("page 4", str(results.errors[3]))
        with self.assertRaisesRegex(thresh.ArgumentError, "page 2"):
            wrapper.extract_many(pages)

    def test_verify_and_repair(self):
        labels = {0: {"name": "Item 1 of many", "price": "1.10"}, 1: {"name": "Item 2 of many", "price": "2.20"}}
        wrapper = thresh.learn(PRODUCTS, labels=labels)
        fine = wrapper.verify(PRODUCTS)
        self.assertEqual((fine.word, fine.drift, fine.pages), ("fine", False, 8))
        self.assertIsNone(fine.evidence[0].field)
        self.assertEqual([item.field for item in fine.evidence[1:]], ["name", "price"])
        self.assertEqual(wrapper.repair(PRODUCTS).outcome, "fine")
        changed = [page.replace("<h1>", "<div><h2 class=t>").replace("</h1>", "</h2></div>")
                   .replace("<b>", "<span>").replace("</b>", "</span>") for page in PRODUCTS]
        drift = wrapper.verify(changed)
        self.assertTrue(drift.drift)
        self.assertIn("drift", drift.explain())
        repair = wrapper.repair(changed)
        self.assertEqual(repair.outcome, "repaired", repair.explain())
        self.assertEqual({field.field: field.outcome for field in repair.fields}, {"name": "repaired", "price": "repaired"})
        self.assertEqual(repair.wrapper.version, 2)
        self.assertEqual(repair.wrapper.extract(changed[4]), [{"name": "Item 5 of many", "price": "5.50"}])

    def test_suggest(self):
        wrapper = thresh.learn(PRODUCTS, labels={0: {"name": "Item 1 of many", "price": "1.10"}}, engine="stalker")
        odd = "<html><body><p>Price: <b>3.00</b><h1>Item</h1><p>Price: <b>4.00</b></body></html>"
        found = wrapper.suggest(PRODUCTS + [odd])
        self.assertEqual(found[0].page, "page 9")
        self.assertTrue(found[0].doubts[0].answers)
        with self.assertRaises(thresh.ArgumentError):
            thresh.learn([SHOP]).suggest([SHOP])


class BadInput(unittest.TestCase):
    """What, and where."""

    def refused(self, kind, pattern, call):
        with self.assertRaisesRegex(kind, pattern) as caught:
            call()
        return caught.exception

    def test_sources(self):
        for source in (3, None, object(), ["x"], 1.5):
            self.refused(TypeError, "source must be bytes.*" + type(source).__name__, lambda: thresh.records(source))
        for source in (b"", "", bytearray(), memoryview(b""), io.BytesIO(b"")):
            error = self.refused(thresh.ArgumentError, "is empty", lambda: thresh.records(source))
            self.assertEqual(error.status, "argument")
        self.refused(thresh.ArgumentError, "books.html.*pathlib.Path", lambda: thresh.records("pages/books.html"))
        self.refused(FileNotFoundError, "not-there.html", lambda: thresh.records(pathlib.Path("not-there.html")))
        self.refused(IsADirectoryError, "examples", lambda: thresh.records(ROOT / "examples"))
        with tempfile.NamedTemporaryFile(suffix=".html") as empty:
            self.refused(thresh.ArgumentError, r"\.html: .*file is empty", lambda: thresh.records(pathlib.Path(empty.name)))
        self.refused(UnicodeEncodeError, "surrogates", lambda: thresh.records("<p>\ud800"))
        self.refused(ValueError, "null", lambda: thresh.records(pathlib.Path("a\0b")))

    def test_closed(self):
        file = open(BOOKS, "rb")
        file.close()
        error = self.refused(thresh.ArgumentError, "books.html.*closed file", lambda: thresh.records(file))
        self.assertEqual(error.page, str(BOOKS))
        view = memoryview(b"<p>x")
        view.release()
        self.refused(ValueError, "released", lambda: thresh.records(view))
        stream = io.BytesIO(b"x")
        stream.close()
        self.refused(ValueError, "closed", lambda: thresh.records(stream))
        with open(BOOKS, "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        mapped.close()
        self.refused(ValueError, "closed", lambda: thresh.records(mapped))

    def test_pages(self):
        self.refused(TypeError, "name must be a str", lambda: thresh.Page(SHOP, name=3))
        self.refused(TypeError, "url must be a str", lambda: thresh.Page(SHOP, url=b"x"))
        self.refused(thresh.ArgumentError, "unknown encoding 'klingon'", lambda: thresh.Page(SHOP, encoding="klingon"))
        self.refused(TypeError, "Node", type(thresh.Page(SHOP).tree))
        self.refused(TypeError, "tag must be a str", lambda: thresh.Page(SHOP).tree.iter(3))
        self.refused(thresh.ArgumentError, "most", lambda: thresh.regions(SHOP, most=0))
        self.refused(TypeError, "most", lambda: thresh.regions(SHOP, most="3"))
        self.refused(thresh.ArgumentError, "pick", lambda: thresh.learn([SHOP], pick=-1))
        self.refused(thresh.ArgumentError, "cluster", lambda: thresh.learn([SHOP], cluster=-1))
        self.refused(thresh.ArgumentError, "from 0 to 0", lambda: thresh.learn([SHOP], labels={5: {"name": "Tea"}}))
        self.refused(thresh.ArgumentError, 'unknown engine "x"', lambda: thresh.regions(SHOP, engine="x"))
        self.refused(thresh.ArgumentError, "inputs", thresh.pages)
        # A module of the wheel cannot fetch at all, one with libcurl refuses addresses of this machine.
        self.refused(thresh.Error, "libcurl|private", lambda: list(thresh.pages("http://127.0.0.1:9/")))

    def test_wrappers(self):
        good = thresh.learn([SHOP])
        error = self.refused(thresh.FormatError, "not valid JSON", lambda: thresh.Wrapper("{"))
        self.assertEqual((error.status, isinstance(error, ValueError)), ("format", True))
        self.refused(thresh.FormatError, "is not a wrapper", lambda: thresh.Wrapper("{}"))
        self.refused(TypeError, "str.*bytes", lambda: thresh.Wrapper(b"{}"))
        broken = json.loads(good.text)
        broken["rules"] = {"surprise": 1}
        error = self.refused(thresh.FormatError, "rules", lambda: thresh.Wrapper(json.dumps(broken)))
        self.assertTrue(error.path.startswith("rules"), error.path)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "w.json")
            path.write_bytes(b"\xff\xfe{")
            self.refused(thresh.FormatError, "w.json", lambda: thresh.Wrapper.load(path))
        self.refused(FileNotFoundError, "none.json", lambda: thresh.Wrapper.load("none.json"))
        copy = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(copy), str(copy), copy.path), (type(error), str(error), error.path))

    def test_learning(self):
        self.refused(thresh.ArgumentError, "no page to learn from", lambda: thresh.learn([]))
        self.refused(TypeError, "iterable of pages", lambda: thresh.learn(SHOP))
        self.refused(TypeError, "iterable of pages", lambda: thresh.learn(3))
        self.refused(TypeError, "page 2: source", lambda: thresh.learn([SHOP, 3]))
        self.refused(thresh.ArgumentError, "page 2: .*empty", lambda: thresh.learn([SHOP, b""]))
        self.refused(thresh.ArgumentError, "unknown engine", lambda: thresh.learn([SHOP], engine="x"))
        error = self.refused(thresh.FormatError, "nowhere", lambda: thresh.learn([SHOP], labels={0: {"a": "nowhere"}}))
        self.assertEqual((error.path, error.status), ("record.a", "format"))
        self.assertTrue(error.__notes__)
        error = self.refused(thresh.FormatError, "labels", lambda: thresh.learn([SHOP], labels={0: {"a": ""}}))
        self.assertIn("record.a", error.path)
        self.refused(TypeError, "labels of page 1", lambda: thresh.learn([SHOP], labels={0: "x"}))
        self.refused(thresh.ArgumentError, "an item for each page: 1, not 2", lambda: thresh.learn([SHOP], labels=[{}, {}]))
        self.refused(thresh.ArgumentError, "no page 7", lambda: thresh.learn([SHOP], labels={7: {"a": "Tea"}}))
        self.refused(TypeError, "labels must be", lambda: thresh.learn([SHOP], labels=3))
        self.refused(FileNotFoundError, "none.jsonl", lambda: thresh.learn([SHOP], labels="none.jsonl"))
        self.refused(thresh.Error, "=", lambda: thresh.learn([SHOP], examples="no equals sign"))

    def test_running(self):
        wrapper = thresh.learn([SHOP])
        self.refused(TypeError, "iterable of pages", lambda: wrapper.extract_many(SHOP))
        self.refused(TypeError, "threads", lambda: wrapper.extract_many([SHOP], threads="2"))
        self.refused(thresh.ArgumentError, "threads", lambda: wrapper.extract_many([SHOP], threads=0))
        self.refused(thresh.ArgumentError, "errors", lambda: wrapper.extract_many([SHOP], errors="x"))
        self.refused(thresh.Error, "page", lambda: wrapper.verify([]))
        self.refused(ZeroDivisionError, "", lambda: wrapper.extract_many(1 // 0 for _ in range(3)))

    def test_changed_list(self):
        found = thresh.records(SHOP)
        found[0]["title"] = "Coffee"
        self.refused(thresh.ArgumentError, "changed", found.arrow)


LONG = """
import sys, thresh
rows = "".join(f"<tr><td>Row {i}<td><b>{i * 7}</b> kg<td>{'x' * (i % 9)} word {i}" for i in range(3000))
pages = [f"<table><tr><th>A<th>B<th>C{rows}<tr><td>page {p}</table>" for p in range(60)]
wrapper = thresh.learn(pages[:1])
print("ready", flush=True)
while True:
    if sys.argv[1] == "learn":
        thresh.learn(pages)
    elif sys.argv[1] == "many":
        wrapper.extract_many(pages * 50)
    else:
        wrapper.repair([page.replace("<b>", "<u><i>") for page in pages])
"""


class Interrupts(unittest.TestCase):
    def time_to_stop(self, what):
        child = subprocess.Popen([sys.executable, "-c", LONG, what], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            self.assertEqual(child.stdout.readline(), "ready\n")
            time.sleep(0.7)
            begin = time.monotonic()
            child.send_signal(signal.SIGINT)
            said = child.communicate(timeout=60)[1]
            took = time.monotonic() - begin
        finally:
            child.kill()
        self.assertIn("KeyboardInterrupt", said)
        return took

    def test_ctrl_c(self):
        for what in ("learn", "many", "repair"):
            with self.subTest(what):
                # the best of three: the machine may be busy
                self.assertLess(min(self.time_to_stop(what) for _ in range(3)), 1)

    def test_threads_go_on(self):
        """Other threads run while a page is being learnt."""
        rows = "".join(f"<tr><td>Row {i}<td><b>{i * 7}</b> kg<td>word {i}" for i in range(4000))
        page = f"<table>{rows}</table>"
        steps, stop = [0], threading.Event()

        def count():
            while not stop.is_set():
                steps[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        before, begin = steps[0], time.monotonic()
        thresh.records(page)
        took, during = time.monotonic() - begin, steps[0] - before
        stop.set()
        thread.join()
        self.assertGreater(during, took * 20)

    def test_shared_wrapper(self):
        """One wrapper in many Python threads."""
        wrapper, wrong = thresh.learn(PRODUCTS, labels={0: {"name": "Item 1 of many"}}), []

        def work():
            for i, page in enumerate(PRODUCTS * 20):
                if wrapper.extract(page) != [{"name": f"Item {i % 8 + 1} of many"}]:
                    wrong.append(i)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


@unittest.skipUnless(PROGRAM, "no program given")
class Program(unittest.TestCase):
    """The command line gives the same."""

    def run_program(self, *words):
        done = subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, check=True, text=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_records(self):
        for path in sorted(BOOKS.parent.glob("*.html")):
            self.assertEqual(thresh.records(path), self.run_program("-q", "-f", "ndjson", str(path)))

    def test_wrapper_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "w.json")
            thresh.learn([BOOKS]).save(path)
            found = self.run_program("extract", "-q", "-w", path, "-f", "ndjson", str(BOOKS))
            self.assertEqual(thresh.Wrapper.load(path).extract(BOOKS), found)


if __name__ == "__main__":
    unittest.main()

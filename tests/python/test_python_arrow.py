"""Arrow: pyarrow, Polars, pandas and DuckDB see the records that the command line writes as NDJSON.

    test_python_arrow.py THRESH THRESH-GEN [unittest's words]

Also runs the examples in the package and in docs/PYTHON.md.
"""
import doctest
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pyarrow.parquet

import thresh
import thresh._results
import thresh._thresh
import thresh._wrapper
import thresh.scrapy

PROGRAM, GENERATOR = map(os.path.abspath, sys.argv[1:3])
del sys.argv[1:3]
ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
os.chdir(ROOT)


def plain(value):
    """Values as JSON has them: pandas and numpy have types of their own."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, numpy.ndarray, polars.Series)):
        return [plain(item) for item in value]
    if value is None or value is pandas.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    return value


def readers(results):
    """What each of them makes of results: {name: list of dicts}"""
    frame = pandas.DataFrame.from_arrow(results) if hasattr(pandas.DataFrame, "from_arrow") else pyarrow.table(results).to_pandas()
    relation = duckdb.sql("SELECT * FROM results")
    return {
        "pyarrow": pyarrow.table(results).to_pylist(),
        "polars": polars.DataFrame(results).to_dicts(),
        "polars.from_arrow": polars.from_arrow(results).to_list(),
        "pandas": frame.to_dict("records"),
        "duckdb": [dict(zip(relation.columns, row)) for row in relation.fetchall()],
    }


class Equal(unittest.TestCase):
    """For wrappers of the examples, and of made-up sites with nested lists and choices."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="thresh-arrow-")
        self.addCleanup(self.folder.cleanup)

    def program(self, *words):
        return subprocess.run([PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True,
                              text=True).stdout

    def compare(self, wrapper, pages):
        path = os.path.join(self.folder.name, "wrapper.json")
        wrapper.save(path)
        lines = self.program("extract", "-q", "-w", path, "-f", "ndjson", *pages).splitlines()
        wanted = [record if isinstance(record, dict) else {"value": record} for record in map(json.loads, lines)]
        self.assertTrue(wanted)
        many = wrapper.extract_many(pages)
        self.assertEqual(many, wanted)
        results = many.arrow(page=False)  # without the page's column, as NDJSON
        for name, found in readers(results).items():
            with self.subTest(name):
                self.assertEqual(plain(found), wanted)
        tables = [pyarrow.table(wrapper.extract(page)) for page in pages]
        self.assertEqual(pyarrow.concat_tables(tables).to_pylist(), wanted)
        return wanted

    def test_examples(self):
        pages, labels = EXAMPLES / "pages", EXAMPLES / "labels"
        wrappers = {
            "books": ([pages / "books.html"], {}),
            "concerts": ([pages / "concerts.html"], {}),
            "bikes": ([pages / "bikes.html"], {"labels": labels / "bikes.jsonl"}),
            "bike": ([pages / "bike-4107.html"], {"labels": labels / "bike.jsonl"}),
            "staff": ([EXAMPLES / "staff.html"], {"labels": labels / "staff.jsonl"}),
            "staff by softmealy": ([EXAMPLES / "staff.html"], {"labels": labels / "staff.jsonl", "engine": "softmealy"}),
            "staff by stalker": ([EXAMPLES / "staff.html"], {"labels": labels / "staff.jsonl", "engine": "stalker"}),
        }
        for name, (paths, how) in wrappers.items():
            with self.subTest(name):
                named = [path.relative_to(ROOT) for path in paths]
                self.compare(thresh.learn(named, **how), named)

    def test_nested(self):
        nested = 0
        for seed in range(1, 9):
            for kind in ("list", "detail"):
                site = pathlib.Path(self.folder.name, f"{kind}{seed}")
                subprocess.run([GENERATOR, "--out", site, "--seed", str(seed), "--kind", kind, "--pages", "5", "--depth", "2",
                                "--choices", "0.5", "--records", "6..10", "--quiet"], check=True)
                pages = sorted(site.glob("*/*.html"))
                for engine in (None, "exalg") if kind == "detail" else (None,):
                    with self.subTest(kind=kind, seed=seed, engine=engine):
                        try:
                            wrapper = thresh.learn(pages, engine=engine)
                        except thresh.Error:
                            continue  # exalg does not learn from every site
                        wanted = self.compare(wrapper, pages)
                        nested += any(isinstance(value, (list, dict)) for record in wanted for value in record.values())
        self.assertGreater(nested, 4)

    def test_labelled_nested(self):
        """Lists of tuples, from labels."""
        page = ("<h1>{0}</h1><div class=r><b>Ann</b> said <i>{1}</i></div><div class=r><b>Bo</b> said <i>{2}</i></div>"
                "<p>Tags: <em>x{0}</em>, <em>y{0}</em></p>")
        paths = []
        for i, name in enumerate(("Tea", "Rice", "Salt")):
            paths.append(pathlib.Path(self.folder.name, f"{name}.html"))
            paths[-1].write_text(page.format(name, f"good {i}", f"bad {i}"), encoding="utf-8")
        label = {"title": "Tea", "reviews": [{"who": "Ann", "what": "good 0"}, {"who": "Bo", "what": "bad 0"}]}
        wanted = self.compare(thresh.learn(paths, labels={0: label}), paths)
        self.assertEqual(wanted[2]["reviews"][1], {"who": "Bo", "what": "bad 2"})

    def test_spans(self):
        path = EXAMPLES / "pages" / "books.html"
        results = thresh.learn([path]).extract(path)
        table = pyarrow.table(results.arrow(spans=True))
        self.assertEqual(table.schema.field("price").type.field("start").type, pyarrow.int64())
        self.assertEqual(table.to_pylist(), results.with_spans())
        source = path.read_bytes()
        for record in table.to_pylist():
            span = record["title"]
            self.assertEqual(source[span["start"]:span["end"]].decode(), span["value"])

    def test_columns(self):
        path = EXAMPLES / "pages" / "books.html"
        results = thresh.learn([path]).extract_many([path, path])
        table = pyarrow.table(results)
        self.assertEqual(table.column_names[0], "page")
        self.assertEqual(table.schema.field("price").metadata, {b"thresh.note": b"price"})
        self.assertEqual(pyarrow.table(results.arrow(page="from")).column_names[0], "from")
        self.assertEqual(len(table), 8)
        table.validate(full=True)

    def test_list_of_dicts(self):
        found = thresh.records(EXAMPLES / "pages" / "books.html")
        self.assertEqual(pyarrow.table(found.arrow()).to_pylist(), list(found))
        self.assertEqual(pyarrow.RecordBatchReader.from_stream(found).read_all().to_pylist(), list(found))
        self.assertEqual(polars.DataFrame(found).to_dicts(), list(found))
        self.assertEqual(plain(pandas.DataFrame(found).to_dict("records")), list(found))
        empty = thresh.records("<p>Nothing here.")
        self.assertEqual(pyarrow.table(empty.arrow()).num_rows, 0)

    def test_parquet(self):
        path = EXAMPLES / "pages" / "books.html"
        results = thresh.learn([path]).extract(path)
        file = os.path.join(self.folder.name, "books.parquet")
        pyarrow.parquet.write_table(pyarrow.table(results), file)
        self.assertEqual(pyarrow.parquet.read_table(file).to_pylist(), list(results))

    def test_read_many_times(self):
        """A stream that nobody reads, and one that outlives its results, leave nothing behind."""
        path = EXAMPLES / "pages" / "books.html"
        results = thresh.learn([path]).extract(path)
        for _ in range(100):
            results.__arrow_c_stream__()
        reader = pyarrow.RecordBatchReader.from_stream(results)
        del results
        self.assertEqual(reader.read_all().num_rows, 4)


class Examples(unittest.TestCase):
    def test_docstrings(self):
        ran = 0
        for module in (thresh, thresh._results, thresh._thresh, thresh._wrapper, thresh.scrapy):
            done = doctest.testmod(module, extraglobs={"thresh": thresh, "pyarrow": pyarrow, "Page": thresh.Page})
            self.assertEqual(done.failed, 0, module.__name__)
            ran += done.attempted
        self.assertGreater(ran, 20)

    def test_docs(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("examples",):
                os.symlink(ROOT / name, os.path.join(folder, name))
            os.chdir(folder)
            self.addCleanup(os.chdir, ROOT)
            text = (ROOT / "docs" / "PYTHON.md").read_text(encoding="utf-8").replace("```", "")
            test = doctest.DocTestParser().get_doctest(text, {}, "PYTHON.md", "docs/PYTHON.md", 0)
            done = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)
            os.chdir(ROOT)
        self.assertEqual(done.failed, 0)
        self.assertGreater(done.attempted, 20)


if __name__ == "__main__":
    unittest.main()

"""thresh.scrapy, with Scrapy's own responses and a crawl of a small site on this machine."""
import functools
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

from scrapy.http import HtmlResponse, Response

import thresh
from thresh.scrapy import Extractor, ThreshPipeline, page

BOOKS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "pages" / "books.html"
SPIDER = """
import scrapy
from thresh.scrapy import Extractor

class Books(scrapy.Spider):
    name = "books"
    start_urls = ["{url}"]
    custom_settings = {{"ITEM_PIPELINES": {{"thresh.scrapy.ThreshPipeline": 300}}, "THRESH_WRAPPER": "{wrapper}",
                       "ROBOTSTXT_OBEY": False, "LOG_LEVEL": "WARNING", "TELNETCONSOLE_ENABLED": False}}
    extract = Extractor("{wrapper}")

    def parse(self, response):
        for record in self.extract(response):
            yield {{"by_extractor": record}}
        yield {{"response": response, "url": response.url}}
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


class Scrapy(unittest.TestCase):
    def test_response(self):
        body = "<p>Größe <a href=x>X</a>".encode("windows-1252")
        made = page(HtmlResponse("http://a.example/b/", body=body, headers={"Content-Type": "text/html; charset=windows-1252"}))
        self.assertEqual((made.text, made.links[0].url, made.name), ("Größe X", "http://a.example/b/x", "http://a.example/b/"))
        self.assertEqual(page(Response("http://a.example/", body=b"<p>x", headers={"Content-Type": "text/html; charset=klingon"})).text, "x")
        with self.assertRaisesRegex(thresh.ArgumentError, "http://a.example/: .*no body"):
            page(Response("http://a.example/"))

    def test_extractor(self):
        response = HtmlResponse("http://a.example/", body=BOOKS.read_bytes())
        found = Extractor()(response)
        self.assertEqual(found[0]["title_url"], "http://a.example/b/101")
        self.assertEqual(Extractor(thresh.learn([BOOKS]))(response)[1]["title"], "A Field Guide to Gates")

    def test_pipeline(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "w.json")
            thresh.learn([BOOKS]).save(path)
            pipeline = ThreshPipeline(path)
            item = pipeline.process_item({"url": "http://a.example/", "body": BOOKS.read_bytes()})
            self.assertEqual(len(item["records"]), 4)
            self.assertEqual(pipeline.process_item({"other": 1}), {"other": 1})
            pipeline.close_spider()
            self.assertEqual(pipeline.verdict.word, "fine")
            changed = ThreshPipeline(path)
            for _ in range(3):
                changed.process_item({"url": "http://a.example/", "body": b"<p>We have moved."})
            with self.assertLogs("thresh.scrapy", "WARNING") as logs:
                changed.close_spider()
            self.assertIn("site has changed", logs.output[0])
        self.assertEqual(len(ThreshPipeline().process_item({"body": BOOKS.read_bytes()})["records"]), 4)

    def test_crawl(self):
        with tempfile.TemporaryDirectory() as folder:
            wrapper, spider, out = (os.path.join(folder, name) for name in ("w.json", "spider.py", "out.jsonl"))
            thresh.learn([BOOKS]).save(wrapper)
            handler = functools.partial(Quiet, directory=str(BOOKS.parent))
            with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
                threading.Thread(target=server.serve_forever, daemon=True).start()
                pathlib.Path(spider).write_text(SPIDER.format(url=f"http://127.0.0.1:{server.server_port}/books.html",
                                                              wrapper=wrapper), encoding="utf-8")
                done = subprocess.run([sys.executable, "-m", "scrapy", "runspider", spider, "-o", out], cwd=folder, text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
                server.shutdown()
            self.assertEqual(done.returncode, 0, done.stdout)
            items = [json.loads(line) for line in pathlib.Path(out).read_text(encoding="utf-8").splitlines()]
        by_extractor = [item["by_extractor"] for item in items if "by_extractor" in item]
        by_pipeline = [item["records"] for item in items if "records" in item]
        self.assertEqual(len(by_extractor), 4)
        self.assertEqual(by_pipeline, [by_extractor])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

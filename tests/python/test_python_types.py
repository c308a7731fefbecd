"""The package is typed: mypy --strict accepts it and its stubs, stubtest finds them true, and abi3audit the wheel."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import thresh

PACKAGE = pathlib.Path(thresh.__file__).parent
USER = '''
import pathlib
import thresh
from thresh.scrapy import Extractor

page = thresh.Page(b"<p>x", name="x", url=None)
names: list[str] = [node.tag for node in page.tree.iter("p")]
urls: list[str] = [link.url for link in page.links]
found: list[thresh.Record] = thresh.records(pathlib.Path("a.html"))
best: float = thresh.regions("<p>x")[0].confidence
wrapper: thresh.Wrapper = thresh.learn([page, b"x", "<p>"], labels={0: {"a": "x"}}, examples="a=x")
for record in wrapper.extract_many([b"x"], threads=2):
    value: object = record["a"]
word: str = wrapper.verify([page]).word
mended: thresh.Wrapper | None = wrapper.repair([page]).wrapper
doubts: list[thresh.Doubt] = wrapper.suggest([page])[0].doubts
wrapper.save("w.json")
again: thresh.Wrapper = thresh.Wrapper.load("w.json")
extract = Extractor(again)
'''


class Types(unittest.TestCase):
    def run_tool(self, *words):
        env = {**os.environ, "MYPY_CACHE_DIR": os.path.join(os.environ["THRESH_BUILD"], "mypy-cache")}
        done = subprocess.run([sys.executable, "-m", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              cwd=tempfile.gettempdir(), env=env)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_mypy(self):
        self.assertTrue((PACKAGE / "py.typed").exists())
        self.run_tool("mypy", "--strict", "--exclude", "spark", "-p", "thresh")

    def test_user(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "user.py")
            path.write_text(USER, encoding="utf-8")
            self.run_tool("mypy", "--strict", str(path))

    def test_stubs(self):
        self.run_tool("mypy.stubtest", "thresh._thresh")

    def test_abi(self):
        said = self.run_tool("abi3audit", "--verbose", "--strict", os.environ["THRESH_WHEEL"])
        self.assertIn("0 ABI version mismatches and 0 ABI violations", said.replace("\n", " "))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""The notebook runs, and gives the tables that it shows."""
import os
import pathlib
import re
import sys
import unittest

import nbclient
import nbformat

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "notebook"


def outputs(notebook, kind):
    return [output.data[kind] for cell in notebook.cells for output in cell.get("outputs", ()) if kind in output.get("data", {})]


class Notebook(unittest.TestCase):
    def test_notebook(self):
        for path in sorted(FOLDER.glob("*.ipynb")):
            with self.subTest(path.name):
                shown = nbformat.read(path, 4)
                run = nbformat.read(path, 4)
                for cell in run.cells:
                    if cell.cell_type == "code":
                        cell.outputs = []
                nbclient.NotebookClient(run, timeout=120, kernel_name="python3",
                                        resources={"metadata": {"path": str(FOLDER)}}).execute()
                plain = [[re.sub(r"\s+", " ", text) for text in outputs(notebook, "text/plain")] for notebook in (run, shown)]
                self.assertEqual(*plain)
                self.assertTrue(outputs(run, "image/png"))


if __name__ == "__main__":
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    unittest.main(argv=sys.argv[:1])

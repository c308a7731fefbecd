#!/usr/bin/env python3
"""Exports give the records that the wrapper gives: programs and selectors run with parsel, Scrapy and lxml.

    tests/export/test_exports_run.py SOURCE BUILD THRESH THRESH_GEN

On the example pages, with and without labels, and on generated sites. Skipped, with status 77, where the packages cannot
be had. What is refused must be named; what is not refused must be the same.
"""
import json
import os
import subprocess
import sys
import tempfile

SOURCE, BUILD, THRESH, GEN = map(os.path.abspath, sys.argv[1:5])
URL = "https://example.org/shop/list.html"
TARGETS = ("css", "xpath", "parsel", "scrapy", "python")
SKIPPED = 77
# Families of the generator whose records are one element each; of the others an export says that they are not.
FAMILIES = ("table", "cards", "search", "utility", "blog", "microdata")


def enter_environment():
    """Starts again with the python that has the packages."""
    if os.environ.get("THRESH_EXPORTS"):
        return
    made = subprocess.run([os.path.join(SOURCE, "scripts", "venv"), os.path.join(BUILD, "venv-export"), "export"],
                          stdout=subprocess.PIPE, text=True, check=False)
    if made.returncode:
        sys.exit(made.returncode)
    os.environ["THRESH_EXPORTS"] = "1"
    python = made.stdout.strip()
    os.execv(python, [python] + sys.argv)


def thresh(*words, code=0):
    done = subprocess.run([THRESH, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if code is not None and done.returncode != code:
        sys.exit(f"thresh {' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
    return done


def load(path):
    names = {"__name__": "export"}
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), names)  # our own program
    return names


def run_export(target, path, page):
    with open(page, encoding="utf-8", newline="") as file:
        html = file.read()
    if target in ("css", "xpath"):
        with open(path, encoding="utf-8") as file:
            export = json.load(file)
        return list(load(os.path.join(SOURCE, "examples", "exports", "selectors.py"))["records"](export, html, URL))
    if target == "scrapy":
        from scrapy.http import HtmlResponse
        answer = HtmlResponse(URL, body=html.encode(), encoding="utf-8")
        return [dict(one) for one in load(path)["RecordsSpider"]().parse(answer) if isinstance(one, dict)]
    return list(load(path)["records"](html, URL))


def check(folder, wrapper, pages, counts, must):
    """Exports a wrapper to all targets; `must`: the fewest targets that are not refused."""
    wanted = {page: [json.loads(line) for line in
                     thresh("extract", "-q", "-f", "ndjson", "--url", URL, "-w", wrapper, page, code=None).stdout.splitlines()]
              for page in pages}
    written = 0
    for target in TARGETS:
        path = os.path.join(folder, f"{os.path.basename(wrapper)}.{target}")
        done = thresh("show", "--as", target, "--url", URL, "-o", path, wrapper, *pages, code=None)
        if done.returncode:
            if "cannot be exported" not in done.stderr and "finds no records" not in done.stderr:
                sys.exit(f"{wrapper}, {target}: refused without a reason: {done.stderr}")
            counts["refused"] += 1
            continue
        written += 1
        counts["identical"] += 1
        for page in pages:
            found = run_export(target, path, page)
            if found != wanted[page]:
                for left, right in zip(wanted[page], found):
                    if left != right:
                        print({key: (left[key], right.get(key)) for key in left if left[key] != right.get(key)})
                        break
                sys.exit(f"{path}: {page}: {len(found)} records differ from the wrapper's {len(wanted[page])}")
    if written < must:
        sys.exit(f"{wrapper}: only {written} exports of {len(TARGETS)}: {done.stderr}")


def main():
    enter_environment()
    counts = {"identical": 0, "refused": 0}
    examples = os.path.join(SOURCE, "examples")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("bikes", "books", "concerts"):
            page, wrapper = os.path.join(examples, "pages", name + ".html"), os.path.join(folder, name + ".json")
            thresh("learn", "-q", "-o", wrapper, page)
            check(folder, wrapper, [page], counts, 5 if name == "bikes" else 0)
        for family in FAMILIES:
            site = os.path.join(folder, family)
            subprocess.run([GEN, "--quiet", "--out", site, "--family", family, "--seed", "7", "--pages", "3", "--depth", "0"],
                           check=True)
            pages = sorted(os.path.join(where, name) for where, _, names in os.walk(site) for name in names
                           if name.endswith(".html"))
            wrapper = os.path.join(folder, family + ".json")
            if thresh("learn", "-q", "-o", wrapper, *pages, code=None).returncode == 0:
                check(folder, wrapper, pages, counts, 0)
    print(f"{counts['identical']} exports are identical, {counts['refused']} are refused")
    return counts["identical"] < 2 * counts["refused"]


if __name__ == "__main__":
    sys.exit(main())

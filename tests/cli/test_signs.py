#!/usr/bin/env python3
"""Every sign between values gives the same columns, in every engine.

usage: test_signs.py THRESH

A line such as "Ann Reed | 1900 | Leeds" is written with each sign. What an engine makes of it must be what it makes of
the line with "|", the sign aside.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROWS = [("Ann Reed", "1900", "Leeds"), ("Bob Cole", "1911", "York"), ("Cleo Vane", "1923", "Bath"),
        ("Dora Moss", "1934", "Hull"), ("Egon Hart", "1945", "Derby"), ("Fay Lund", "1956", "Ripon"),
        ("Gil Marsh", "1967", "Truro"), ("Hana Voss", "1978", "Wells")]
SIGNS = {" | ": "|", " · ": "·", " &middot; ": "·", " • ": "•", " / ": "/", " - ": "-", " – ": "–", " &ndash; ": "–",
         " — ": "—", ", ": ",", "; ": ";"}
HEAD = "<!doctype html><meta charset=utf-8><title>People</title><body><h1>People</h1>"


def thresh(program, *args):
    run = subprocess.run([program, *map(str, args)], capture_output=True, text=True, encoding="utf-8")
    assert run.returncode == 0, (args, run.stderr)
    return run.stdout


def plain(value, sign):
    """A value with "|" for the sign, blanks around it."""
    if isinstance(value, str):
        return " ".join(value.replace(sign, " | ").split())
    return value


def records(out, sign):
    return [{k: v if "link" in k or k.endswith("_url") else plain(v, sign) for k, v in json.loads(line).items()}
            for line in out.splitlines()]


def lists(program, folder, gap, engine):
    page = folder / "list.html"
    page.write_text(HEAD + "<ul class=people>" + "".join(
        f"<li class=person><a href=/{i}>{name}</a>{gap}{year}{gap}<i>{town}</i></li>"
        for i, (name, year, town) in enumerate(ROWS)) + "</ul>", encoding="utf-8")
    return thresh(program, "--engine", engine, "-f", "ndjson", page)


def details(program, folder, gap, engine):
    pages = []
    for i, row in enumerate(ROWS):
        pages.append(folder / f"{i}.html")
        pages[-1].write_text(HEAD + f"<p class=line>{gap.join(row)}</p><p class=note>Number {7 * i + 3}</p>",
                             encoding="utf-8")
    labels, wrapper = folder / "labels.jsonl", folder / "wrapper.json"
    labels.write_text("".join(json.dumps({"page": str(pages[i]), "records": [
        dict(zip(("name", "year", "town"), ROWS[i]))]}) + "\n" for i in range(3)), encoding="utf-8")
    given = pages if engine == "template" else ["--labels", labels, *pages[:3]]
    thresh(program, "learn", "-q", "--engine", engine, "-o", wrapper, *given)
    return thresh(program, "extract", "-q", "-f", "ndjson", "-w", wrapper, *pages)


def main(program):
    ways = [(lists, engine) for engine in ("lists", "mdr", "iepad")]
    ways += [(details, engine) for engine in ("template", "stalker", "softmealy", "paths", "seams")]
    failed = 0
    for way, engine in ways:
        wanted = None
        for gap, sign in SIGNS.items():
            with tempfile.TemporaryDirectory() as folder:
                got = records(way(program, pathlib.Path(folder), gap, engine), sign)
            wanted = wanted or got
            if got != wanted:
                failed += 1
                print(f"{engine}: {gap!r} gives {got[0]}, and ' | ' {wanted[0]}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

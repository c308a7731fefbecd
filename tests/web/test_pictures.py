#!/usr/bin/env python3
"""The pictures of docs/: each that a document shows is there, is one that screenshots.mjs makes, and is small.

    test_pictures.py [ROOT]
"""
import glob
import os
import re
import sys

MOST_BYTES = 100_000


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    shown, faults = set(), []
    for path in glob.glob(os.path.join(root, "docs", "*.md")) + [os.path.join(root, "README.md")]:
        with open(path, encoding="utf-8") as file:
            shown |= set(re.findall(r"workbench/([\w-]+)\.png", file.read()))
    with open(os.path.join(root, "tests", "web", "screenshots.mjs"), encoding="utf-8") as file:
        table = re.search(r"^const PICTURES = \{\n(.*?)^\};", file.read(), re.M | re.S).group(1)
    made = set(re.findall(r"^  (\w+):", table, re.M))
    there = {os.path.splitext(name)[0]: os.path.getsize(os.path.join(root, "docs", "workbench", name))
             for name in os.listdir(os.path.join(root, "docs", "workbench"))}
    for what, names in (("shown and not there", shown - set(there)), ("there and not shown", set(there) - shown),
                        ("shown and not made by screenshots.mjs", shown - made), ("made by screenshots.mjs and not shown", made - shown),
                        (f"larger than {MOST_BYTES} bytes", {name for name, size in there.items() if size > MOST_BYTES})):
        faults += [f"{name}: {what}" for name in sorted(names)]
    print("\n".join(faults) or f"{len(shown)} pictures")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())

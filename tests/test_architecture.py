#!/usr/bin/env python3
"""docs/ARCHITECTURE.md is kept true to the code.

    tests/test_architecture.py [ROOT]

Every file and, in the four walks, every function that it names must be there, every folder of src/ must be named, and every library
that the build asks for must have its reason.
"""
import os
import re
import sys


def main(root):
    with open(os.path.join(root, "docs", "ARCHITECTURE.md"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(root, "meson.build"), encoding="utf-8") as file:
        build = file.read()
    names, wrong = set(), []
    for where, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "build"))]
        names.update(files)
    told = set(re.findall(r"`(?:[\w/.-]*/)?([\w-]+\.(?:c|h|py|inc|t))`", text))
    wrong += [f"{name} is named but not there" for name in sorted(told - names - {"cmd_NAME.c", "test_NAME.c"})]
    if len(told) < 15:
        wrong.append("hardly any file is named")
    walks = re.findall(r"^```\n(.*?)^```", text[text.find("## Four walks"):text.find("## To add")], flags=re.M | re.S)
    if len(walks) != 4 or not all(9 <= walk.count("\n") <= 15 for walk in walks):
        wrong.append("there are not four walks of ten to fifteen lines")
    code = ""
    for where, _, files in os.walk(root):
        if os.path.relpath(where, root).split(os.sep)[0] in ("src", "cli", "serve"):
            for name in files:
                if name.endswith(".c"):
                    with open(os.path.join(where, name), encoding="utf-8") as file:
                        code += file.read()
    for walk in walks:
        named = set(re.findall(r"^ *(\w+)(?:  |\n)", walk, flags=re.M)) | set(re.findall(r"\b(?:th|cli)_\w+", walk))
        wrong += [f"{name}() of a walk is not there" for name in sorted(named)
                  if not re.search(rf"^[\w \t*]+\b{name}\([^;{{]*\)\s*\{{", code, flags=re.M)]
    for folder in sorted(os.listdir(os.path.join(root, "src"))):
        if f"`src/{folder}/`" not in text:
            wrong.append(f"src/{folder} is not told")
    for library in re.findall(r"(?:dependency|find_library)\('(\w+)'", build):
        known = {"threads": None, "m": None, "sqlite3": "SQLite 3", "libutf8proc": "utf8proc"}.get(library, library)
        if known and known not in text:
            wrong.append(f"the library {library} has no reason in the text")
    print("\n".join(wrong + [f"{len(told)} files named, {len(wrong)} faults"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else here))

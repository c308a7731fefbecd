#!/usr/bin/env python3
"""The dependency law between the folders, checked on every #include of the C code.

    tests/test_layers.py [ROOT]     checks the tree; first it checks itself on made-up trees

    base <- page <- index <- table, data <- wrapper <- engine <- learn <- check <- repair
    strings sits on base and serves engines; feed sits on page; store and export on data and wrapper; site on learn, feed and store

Engines never include each other; an engine's run never includes its learning (x_run.c, x_learn.h). cli, serve,
bindings and examples see the library through thresh.h alone; cli starts the server through serve/serve.h. File names are unique, so that a name
is enough to say where.
"""
import os
import re
import sys
import tempfile
import unittest

# What each folder of src/ may include, besides itself.
LAYERS = {
    "base": set(),
    "strings": {"base"},
    "page": {"base"},
    "index": {"base", "page"},
    "table": {"base", "page", "index"},
    "data": {"base", "page"},
    "feed": {"base", "page"},
    "wrapper": {"base", "page", "index", "table", "data"},
    "engine": {"base", "strings", "page", "index", "table", "data", "wrapper"},
    "learn": {"base", "page", "index", "table", "data", "wrapper", "engine"},
    "site": {"base", "page", "index", "table", "data", "feed", "wrapper", "engine", "learn", "store"},
    "check": {"base", "page", "index", "table", "data", "wrapper", "engine", "learn", "site"},
    "repair": {"base", "page", "index", "table", "data", "wrapper", "engine", "learn", "site", "check"},
    "export": {"base", "page", "data", "wrapper"},
    "store": {"base", "page", "data", "wrapper"},
}
# Folders that use the library from outside.
OUTSIDE = ("cli", "serve", "bindings", "examples")
# Where C code lies at all.
CODE = ("src", "include", "tests", "bench", "fuzz") + OUTSIDE
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">\n]+)[">]', re.MULTILINE)
# How code would choose an engine: by the table of engines, or from a list of names.
NAMES = r'"(?:auto|lists|mdr|iepad|template|exalg|paths|places|stalker|softmealy|seams)"'
CHOOSING = re.compile(r"\bth__(?:engine_list|engine_find|[a-z]+_engine)\b|\{\s*" + NAMES + r"\s*,\s*" + NAMES)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def c_files(root, folders):
    """Paths, relative to root, of the C files below the folders."""
    for folder in folders:
        for where, names, files in os.walk(os.path.join(root, folder)):
            names[:] = sorted(name for name in names if name != "node_modules")
            for file in sorted(files):
                if file.endswith((".c", ".h", ".inc")):
                    yield os.path.relpath(os.path.join(where, file), root)


def includes(root, path):
    """(line, bracket, name) of each #include that is not in a comment."""
    with open(os.path.join(root, path), encoding="utf-8") as file:
        text = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), file.read())
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2)


def resolve(root, path, name):
    """The file of the tree that an include means, relative to root; None for the system's."""
    for base in (os.path.dirname(path), "src", "include"):
        target = os.path.normpath(os.path.join(base, name))
        if not target.startswith("..") and os.path.isfile(os.path.join(root, target)):
            return target
    return None


def judge_inside(path, target):
    """What is wrong with a file of src/ including target; None if nothing."""
    if target == os.path.join("include", "thresh.h"):
        return None
    here, there = path.split(os.sep), target.split(os.sep)
    if there[0] != "src" or len(there) < 3:
        return f"{target} is outside the library"
    layer, used = here[1], there[1]
    if layer not in LAYERS:
        return f"src/{layer} has no place in the dependency law: give it one in tests/test_layers.py"
    if used != layer and used not in LAYERS[layer]:
        return f"{layer} must not depend on {used}"
    if layer == used == "engine" and len(here) > 3 and len(there) > 3 and here[-2] != there[-2]:
        return f"engine {here[-2]} must not depend on engine {there[-2]}: shared work moves down"
    if here[-1].endswith(("_run.c", "_run.h")) and there[-1].endswith("_learn.h"):
        return "running must not depend on learning"
    return None


def judge_outside(path, target):
    """The same for a file of cli/, serve/, bindings/ or examples/."""
    if target == os.path.join("include", "thresh.h"):
        return None
    if target.split(os.sep)[0] == path.split(os.sep)[0]:
        return None
    if path.split(os.sep)[0] == "cli" and target == os.path.join("serve", "serve.h"):
        return None
    return f"{path.split(os.sep)[0]} must include thresh.h alone, not {target}"


def choices(root):
    """Places outside of src/learn/ that choose an engine; engines know themselves, and regions.c finds one by its name."""
    for path in c_files(root, ("src",)):
        if path.split(os.sep)[1] in ("learn", "engine"):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = COMMENT.sub("", file.read())
        if CHOOSING.search(text):
            yield f"{path}: chooses an engine ({CHOOSING.search(text).group()}): src/learn/ does that"


def violations(root):
    """Every breach of the law in the tree, as printable lines."""
    found = []
    for path in c_files(root, ("src",) + OUTSIDE):
        inside = path.split(os.sep)[0] == "src"
        if inside and path.count(os.sep) < 2:
            found.append(f"{path}: belongs into a folder of src/")
            continue
        for line, bracket, name in includes(root, path):
            if name.endswith("_library.h"):
                continue  # written by scripts/library
            target = resolve(root, path, name)
            if target is None:
                wrong = f'"{name}" is not in the tree' if bracket == '"' else None
            else:
                wrong = judge_inside(path, target) if inside else judge_outside(path, target)
            if wrong:
                found.append(f"{path}:{line}: {wrong}")
    found += choices(root)
    seen = {}
    for path in c_files(root, CODE):
        name = os.path.basename(path)
        if name in seen:
            found.append(f"{path}: has the name of {seen[name]}; file names are unique")
        seen.setdefault(name, path)
    return found


class Law(unittest.TestCase):
    """The check catches what it is there to catch."""

    def check(self, files, *wanted):
        with tempfile.TemporaryDirectory() as root:
            files = {"include/thresh.h": "", "src/base/a.h": "", "src/page/p.h": "", **files}
            for path, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            found = violations(root)
        self.assertEqual(len(found), len(wanted), found)
        for line, words in zip(found, wanted):
            self.assertIn(words, line)

    def test_lawful_tree(self):
        self.check({
            "src/page/p.c": '#include "page/p.h"\n#include "p.h"\n#include <thresh.h>\n'
                            '#include "base/a.h"\n#include <stdio.h>\n',
            "src/engine/mdr/mdr_run.c": '#include "page/p.h"\n#include "engine/mdr/mdr.h"\n',
            "src/engine/mdr/mdr.h": '#include "base/a.h"\n',
            "src/engine/mdr/mdr_learn.c": '#include "engine/mdr/mdr_learn.h"\n',
            "src/engine/mdr/mdr_learn.h": "",
            "src/check/verify.c": '#include "engine/mdr/mdr.h"\n',
            "cli/main.c": '#include <thresh.h>\n#include "cli.h"\n#include <stdio.h>\n',
            "cli/cli.h": "", "serve/s.c": '#include "thresh.h"\n', "serve/serve.h": "",
            "cli/cmd_serve.c": '#include "../serve/serve.h"\n'})

    def test_upward(self):
        self.check({"src/base/b.c": '#include "base/a.h"\n\n#include "page/p.h"\n'},
                   "src/base/b.c:3: base must not depend on page")
        self.check({"src/feed/f.h": "", "src/data/d.c": '#include "feed/f.h"\n'},
                   "data must not depend on feed")
        self.check({"src/page/q.c": '  #  include <index/s.h>\n', "src/index/s.h": ""},
                   "page must not depend on index")
        self.check({"src/store/s.c": '#include "../engine/e.h"\n', "src/engine/e.h": ""},
                   "store must not depend on engine")

    def test_engines_apart(self):
        self.check({"src/engine/mdr/mdr.c": '#include "engine/iepad/iepad.h"\n',
                    "src/engine/iepad/iepad.h": ""}, "engine mdr must not depend on engine iepad")

    def test_run_without_learning(self):
        self.check({"src/engine/mdr/mdr_run.c": '#include "mdr_learn.h"\n',
                    "src/engine/mdr/mdr_learn.h": ""}, "running must not depend on learning")

    def test_outside_sees_one_header(self):
        for folder in OUTSIDE:
            self.check({f"{folder}/x/o.c": '#include "base/a.h"\n'}, "must include thresh.h alone")
            self.check({f"{folder}/x/o.c": '#include "../../src/page/p.h"\n'}, "thresh.h alone")
        self.check({"cli/c.c": '#include "../serve/s.h"\n', "serve/s.h": ""}, "thresh.h alone")

    def test_library_sees_no_outside(self):
        self.check({"src/base/b.c": '#include "../../cli/c.h"\n', "cli/c.h": ""}, "outside the library")

    def test_unknown(self):
        self.check({"src/new/n.c": '#include "base/a.h"\n'}, "has no place in the dependency law")
        self.check({"src/base/b.c": '#include "absent.h"\n'}, "not in the tree")
        self.check({"src/stray.c": ""}, "belongs into a folder")

    def test_comments_do_not_count(self):
        self.check({"src/base/b.c": '/*\n#include "page/p.h"\n*/\n// #include "page/p.h"\n'})

    def test_choosing(self):
        self.check({"src/repair/r.c": 'static const char *const names[] = {"mdr", "iepad"};\n'}, "chooses an engine")
        self.check({"src/check/c.c": "const void *e = th__engine_list();\n"}, "chooses an engine")
        self.check({"src/learn/l.c": "const void *e = th__engine_list();\n"})

    def test_unique_names(self):
        self.check({"src/page/a.h": ""}, "has the name of src/base/a.h")
        self.check({"tests/page/p.h": ""}, "has the name of src/page/p.h")


def main(root):
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Law)
    if not unittest.TextTestRunner(stream=sys.stdout).run(suite).wasSuccessful():
        return 1
    found = violations(root)
    for line in found:
        print(line)
    files = sum(1 for _ in c_files(root, ("src",) + OUTSIDE))
    if files == 0:
        print(f"{root}: no C files found")
    print(f"{files} files, {len(found)} breaches of the dependency law")
    return 1 if found or not files else 0


if __name__ == "__main__":
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else here))

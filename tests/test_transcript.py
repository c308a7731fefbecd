#!/usr/bin/env python3
"""The runners of golden files, of documentation and of case files catch what they are there to catch."""
import os
import stat
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "cli"), os.path.join(HERE, "cases")]
import run_cases  # noqa: E402
import run_docs  # noqa: E402
import run_golden  # noqa: E402
import transcript  # noqa: E402


class Case(unittest.TestCase):
    runner = run_golden

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.thresh = os.path.join(self.folder.name, "thresh")
        with open(self.thresh, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\necho "out $*"\necho "err" >&2\nexit 3\n')
        os.chmod(self.thresh, stat.S_IRWXU)

    def check(self, text, update=False):
        """(commands, complaints, the text afterwards)"""
        path = os.path.join(self.folder.name, "file")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        count, complaints = transcript.check_file(path, self.runner.parse, self.runner.render, update,
                                                  thresh=self.thresh)
        with open(path, encoding="utf-8") as file:
            return count, complaints, file.read()

    def holds(self, text):
        count, complaints, _ = self.check(text)
        self.assertEqual(complaints, [])
        self.assertEqual(count, text.count("$ "))

    def differs(self, text, *words):
        _, complaints, after = self.check(text)
        self.assertEqual(len(complaints), 1, complaints)
        for word in words:
            self.assertIn(word, complaints[0])
        self.assertEqual(after, text)


class Golden(Case):
    def test_all_are_run(self):
        with open(os.path.join(HERE, "cli", "meson.build"), encoding="utf-8") as file:
            named = file.read()
        for name in os.listdir(os.path.join(HERE, "cli")):
            if name.endswith(".t"):
                self.assertIn(f"'{name[:-2]}'", named)

    def test_right(self):
        self.holds("Title.\n\n    $ echo a; echo b\n    a\n    b\n\nMore.\n\n    $ true\n    $ echo c\n    c\n")
        self.holds("    $ thresh x\n    out x\n    ! err\n    [3]\n")

    def test_wrong_output(self):
        self.differs("    $ echo a\n    b\n", "file:1: $ echo a", "-b", "+a")
        self.differs("    $ echo a\n", "+a")
        self.differs("    $ true\n    a\n", "-a")
        self.differs("    $ echo 'a '\n    a\n", "+a ")
        self.differs("    $ echo 'a'; echo; echo b\n    a\n    b\n", "+\n b")

    def test_wrong_stream_and_code(self):
        self.differs("    $ echo a >&2\n    a\n", "+! a")
        self.differs("    $ false\n", "+[1]")
        self.differs("    $ true\n    [1]\n", "-[1]")
        self.differs("    $ thresh\n    out \n    ! err\n    [2]\n", "-[2]", "+[3]")

    def test_only_the_wrong_step_is_named(self):
        self.differs("    $ echo a\n    a\n    $ echo b\n    x\n    $ echo c\n    c\n", "file:3: $ echo b")

    def test_state_carries_on(self):
        self.holds("    $ mkdir d; cd d; x=5; false\n    [1]\n    $ echo $? $x; basename $PWD\n    1 5\n    d\n")

    def test_continued_lines(self):
        self.holds("    $ cat <<END\n    > one\n    > two\n    > END\n    one\n    two\n")

    def test_blank_lines(self):
        self.holds("    $ printf 'a\\n\\nb\\n\\n'\n    a\n\n    b\n\nProse.\n")

    def test_no_newline_at_the_end(self):
        self.holds("    $ printf a\n    a (no-eol)\n")
        self.differs("    $ printf a\n    a\n", "+a (no-eol)")

    def test_wildcards(self):
        self.holds("    $ seq 5\n    1\n    ...\n    5\n")
        self.holds("    $ seq 2\n    ...\n    1\n    ...\n    2\n    ...\n")
        self.holds("    $ echo took 12 [ms]\n    took * [ms] (glob)\n")
        self.differs("    $ seq 5\n    1\n    ...\n    4\n", "+5")
        self.differs("    $ echo took 12 s\n    took * ms (glob)\n", "+took 12 s")

    def test_syntax_error_stays_in_its_step(self):
        _, complaints, _ = self.check("    $ echo 'a\n    $ echo b\n    b\n")
        self.assertEqual(len(complaints), 1)
        self.assertIn("file:1:", complaints[0])

    def test_shell_that_ends(self):
        _, complaints, _ = self.check("    $ exit 0\n    $ echo b\n    b\n")
        self.assertEqual(len(complaints), 2)
        self.assertIn("the shell ended before", complaints[1])

    def test_bytes_that_are_no_text(self):
        self.holds("    $ printf '\\377\\n'\n    \\xff\n")

    def test_update(self):
        text = ("T\n\n    $ echo a\n    x\n    y\n    $ seq 3\n    1\n    ...\n\nP\n\n"
                "    $ printf 'b\\n\\nc\\n'; false\n\nEnd\n")
        _, complaints, after = self.check(text, update=True)
        self.assertEqual(complaints, [])
        self.assertEqual(after, "T\n\n    $ echo a\n    a\n    $ seq 3\n    1\n    ...\n\nP\n\n"
                                "    $ printf 'b\\n\\nc\\n'; false\n    b\n\n    c\n    [1]\n\nEnd\n")
        self.holds(after)


class Docs(Case):
    runner = run_docs

    def test_right(self):
        self.holds("# T\n```console\n$ echo a\na\n\n$ seq 9\n1\n...\n```\nText\n")
        self.holds("```console\n$ thresh x || echo \"exit $?\"\nout x\nexit 3\nerr\n```\n")
        self.holds("```console\n$ x=1\n```\n\n1. list\n\n   ```console\n   $ echo $x \\\n   > 2\n   1 2\n   ```\n")

    def test_other_blocks_are_not_run(self):
        for kind in ("", "sh", "html"):
            count, complaints, _ = self.check(f"```{kind}\n$ false\n```\n$ false\n    $ false\n")
            self.assertEqual((count, complaints), (0, []))
        count, _, _ = self.check("````\n```console\n$ false\n```\n````\n")
        self.assertEqual(count, 0)

    def test_wrong(self):
        self.differs("a\n```console\n$ echo a\nb\n```\n", "file:3: $ echo a", "-b", "+a")
        self.differs("```console\n$ false\n```\n", "failed with exit code 1")

    def test_update(self):
        _, _, after = self.check("x\n```console\n$ echo a\nb\n```\ny\n", update=True)
        self.assertEqual(after, "x\n```console\n$ echo a\na\n```\ny\n")
        _, _, after = self.check("- l\n  ```console\n  $ printf 'a\\n\\nb\\n'\n  ```\n", update=True)
        self.assertEqual(after, "- l\n  ```console\n  $ printf 'a\\n\\nb\\n'\n  a\n\n  b\n  ```\n")
        self.holds(after)


class CaseFiles(Case):
    def wrong(self, text):
        path = os.path.join(self.folder.name, "file")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return "".join(run_cases.run_case(self.thresh, case)[1] for case in run_cases.read_cases(path))

    def test_all_are_registered(self):
        with open(os.path.join(HERE, "cases", "meson.build"), encoding="utf-8") as file:
            text = file.read()
        for name in os.listdir(os.path.join(HERE, "cases")):
            if name.endswith(".case"):
                self.assertIn(f"'{name[:-5]}'", text)

    def test_right(self):
        self.assertEqual(self.wrong("T\n\n== n\nengine: x\n-- page a\np\n-- records a\nout records -f ndjson --engine x a\n-- says\nerr\n"), "")
        self.assertEqual(self.wrong("== n\n-- values\nv: 7 | 8\n-- page p*\n-- records p*0-1\nout records -f ndjson p\n").count("want"), 2)

    def test_wrong(self):
        self.assertIn("want b", self.wrong("== n\n-- page a\np\n-- records a\nb\n"))
        self.assertIn("got  out", self.wrong("== n\n-- page a\np\n-- records a\n"))
        self.assertIn("again, with y z", self.wrong("== n\nagain: y z\n-- page a\n-- records a\nout records -f ndjson a\n"))
        for kind in ("says", "fails", "shows", "verify a", "repair a"):
            self.assertIn("not ", self.wrong(f"== n\nlearn\n-- page a\n-- {kind}\nb\n"))

    def test_values(self):
        parts = [["values", "", "v: 7 | 8\n"], ["page", "p*", "$v $v1 $w"], ["labels", "", '{"page": "p*0-0", "r": "$v"}\n'], ["verify", "p* q", ""]]
        self.assertEqual(run_cases.expand(parts, {})[1:], [["page", "p0", "7 8 $w"], ["page", "p1", "8 7 $w"], ["labels", "", '{"page": "p0", "r": "7"}\n'],
                                                           ["verify", "p0 p1 q", ""]])


if __name__ == "__main__":
    unittest.main()

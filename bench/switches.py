#!/usr/bin/env python3
"""What each switch of an engine is worth on a set of list pages.

    bench/switches.py PROGRAM TRUTH INPUT...

PROGRAM is one of the bench programs that print regions (lists_mdr, lists_iepad): it knows --paper, --with and --without SWITCH,
and tells its switches with --switches.
Each row is a setting; the columns are record F1 and the share of perfect pages, taking the first region and the best.
"""
import json
import os
import subprocess
import sys
import tempfile

SCORER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "score_lists.py")


def score(program, truth, inputs, flags):
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as out:
        subprocess.run([program, *flags, *inputs], stdout=out, check=True)
        figures = []
        for pick in "first", "best":
            run = subprocess.run([sys.executable, SCORER, truth, out.name, "--pick", pick, "--json"],
                                 capture_output=True, text=True, check=True)
            row = json.loads(run.stdout)
            figures += [row["record_f1"], row["perfect_pages"], row["cell_f1"]]
        return figures


def main(argv):
    if len(argv) < 3:
        sys.exit(__doc__)
    program, truth, *inputs = argv
    names = subprocess.run([program, "--switches"], capture_output=True, text=True, check=True).stdout.split()
    settings = [("paper", ["--paper"])]
    settings += [("paper + every_tag", ["--paper", "--with", "every_tag"])] if "every_tag" in names else []
    settings += [("all", [])] + [("all - " + name, ["--without", name]) for name in names]
    print("%-22s %28s   %28s" % ("", "first: records perfect cells", "best: records perfect cells"))
    for title, flags in settings:
        a, b, c, d, e, f = score(program, truth, inputs, flags)
        print("%-22s %14.3f %6.1f%% %5.3f   %14.3f %6.1f%% %5.3f" % (title, a, 100 * b, c, d, 100 * e, f), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

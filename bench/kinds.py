#!/usr/bin/env python3
"""How often lists and details are told apart.

usage: bench/kinds.py THRESH [--pages N]... KIND=PAGES...

KIND is lists or records, PAGES a folder with one folder of pages a site, at any depth. N pages (3) of each site are
drawn and handed to `thresh learn -v`, which says what it takes them for. Prints for each folder and N how many sites
are taken for what, and those that are taken for the other kind.
"""
import random
import subprocess
import sys

from clusters import sites_below

SAYS = {"lists of records": "lists", "one record per page": "records"}


def kind_of(thresh, pages):
    done = subprocess.run([thresh, "learn", "-v", "-o", "/dev/null", *pages],
                          stderr=subprocess.PIPE, text=True, check=False)
    for words, kind in SAYS.items():
        if f": {words}: " in done.stderr:
            return kind
    return "not told"


def main(argv):
    counts = [int(argv[i + 1]) for i, word in enumerate(argv) if word == "--pages"] or [3]
    words = [word for i, word in enumerate(argv) if word != "--pages" and (i == 0 or argv[i - 1] != "--pages")]
    if len(words) < 2 or any("=" not in word for word in words[1:]):
        sys.exit(__doc__)
    for word in words[1:]:
        kind, folder = word.split("=", 1)
        sites = list(sites_below(folder))
        for count in counts:
            chance, taken, wrong = random.Random(1), {}, []
            for pages in sites:
                found = kind_of(words[0], chance.sample(pages, min(count, len(pages))))
                taken[found] = taken.get(found, 0) + 1
                if found != kind:
                    wrong.append("/".join(pages[0].split("/")[-3:-1]))
            print(f"{folder}, {count} pages a site: {kind} taken for {taken}: {' '.join(wrong)}")


if __name__ == "__main__":
    main(sys.argv[1:])

#!/usr/bin/env python3
"""What every engine learns from generated sites survives being written and read: see round_trip.c.

usage: test_round_trip.py THRESH_GEN ROUND_TRIP [--sites N] [--seed S]

Sites (24) of all families are made with mild and with hostile dials, and tried whole and with damaged bytes. Where all
pages are one flat record, labels say so, as engine paths wants it.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

DIALS = [  # kind and dials; the sites are shared out among them
    ("list", "--pages 3 --records 2..12"),
    ("detail", "--pages 5 --attrs 3..12"),
    ("detail", "--pages 5 --attrs 3..12 --depth 0 --choices 0 --noise 0.5"),
    ("list", "--pages 3 --records 0..6 --noise 1 --empties 0.4 --template-words 0.6 --optionals 1 --depth 2"),
    ("detail", "--pages 5 --noise 1 --empties 0.3 --choices 0.6 --permute 0.4 --depth 0..3 --attrs 1..30"),
    ("faculty", "--pages 3 --perms 1..12"),
]


def flatten(path):
    """Labels of lists of one record become labels of records, where all are flat."""
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    if all(len(row["records"]) == 1 and all("start" in (value or {"start": 0})
           for value in row["records"][0].values()) for row in rows):
        with open(path, "w", encoding="utf-8") as file:
            for row in rows:
                file.write(json.dumps({"page": row["page"], "record": row["records"][0]}) + "\n")


def main(generator, round_trip, sites, seed):
    tried, failed = collections.Counter(), 0
    for number, (kind, dials) in enumerate(DIALS):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([generator, "--quiet", "--out", folder, "--kind", kind, *dials.split(), "--seed",
                            str(seed + number), "--sites", str(-(-sites // len(DIALS)))], check=True)
            flatten(os.path.join(folder, "labels.jsonl"))
            for damage in ([], [str(seed + number + 1)]):
                # A program to run it under, as valgrind, comes from THRESH_WRAP.
                done = subprocess.run([*os.environ.get("THRESH_WRAP", "").split(), round_trip, folder, *damage],
                                      stdout=subprocess.PIPE, text=True, check=False)
                if done.returncode:
                    print(f"{kind} {dials} --seed {seed + number}, damage {damage or 'none'}: exit {done.returncode}")
                    failed += 1
                for line in done.stdout.splitlines():
                    way, count = line.split()
                    tried[way] += int(count)
    print(", ".join(f"{way} {count}" for way, count in tried.items()))
    never = [way for way, count in tried.items() if not count]
    if never:
        print(f"nothing was ever learnt by {' '.join(never)}")
    return 1 if failed or never or not tried else 0


if __name__ == "__main__":
    words = dict(zip(sys.argv[3::2], sys.argv[4::2]))
    if len(sys.argv) < 3 or set(words) - {"--sites", "--seed"}:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:3], int(words.get("--sites", 24)), int(words.get("--seed", 1))))

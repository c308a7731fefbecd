#!/usr/bin/env python3
"""The Python package against the program on the same pages, and two threads against one.

    bench/bench_python.py BUILD

A generated site of list pages and the pages of the data's `detail` set, each page a file. Processor time, the best of several
rounds, of
  program     thresh extract -j 1 -f ndjson, which reads, parses, extracts and writes JSON
  many        Wrapper.extract_many of the same files with one thread
  and dicts   ... and a dict of each record
  and Arrow   ... or a table of pyarrow
Threads are measured by the clock: only a machine that does nothing else shows what they give.
"""
import glob
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)
ROUNDS = 5
INSIDE = r"""
import json, pathlib, sys, time
import pyarrow
import thresh
wrapper, listed = thresh.Wrapper.load(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text().split("\n")
paths = [pathlib.Path(name) for name in listed]
def best(work, clock):
    least = None
    for _ in range(int(sys.argv[3])):
        begin = clock(); work(); took = clock() - begin
        least = took if least is None else min(least, took)
    return least
cpu = time.process_time
results = wrapper.extract_many(paths, threads=1)
content = [path.read_bytes() for path in paths]
print(json.dumps({
    "records": len(results),
    "many": best(lambda: wrapper.extract_many(paths, threads=1), cpu),
    "dicts": best(lambda: list(wrapper.extract_many(paths, threads=1)), cpu),
    "arrow": best(lambda: pyarrow.table(wrapper.extract_many(paths, threads=1)), cpu),
    "one": best(lambda: wrapper.extract_many(content, threads=1), time.perf_counter),
    "two": best(lambda: wrapper.extract_many(content, threads=2), time.perf_counter),
}))
"""


def program_time(program, wrapper, listed, out):
    """The least processor time of several runs."""
    least = None
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, "extract", "-q", "-j", "1", "-w", wrapper, "-f", "ndjson", "-o", out, "@" + listed], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        least = took if least is None else min(least, took)
    return least


def measure(name, python, program, pages, learnt, folder):
    wrapper, listed, out = (os.path.join(folder, part) for part in ("wrapper.json", "pages.txt", "out.jsonl"))
    subprocess.run([program, "learn", "-q", "-o", wrapper, *learnt], check=True)
    with open(listed, "w", encoding="utf-8") as file:
        file.write("\n".join(pages))
    base = program_time(program, wrapper, listed, out)
    done = subprocess.run([python, "-c", INSIDE, wrapper, listed, str(ROUNDS)], stdout=subprocess.PIPE, text=True, check=True)
    said = json.loads(done.stdout)
    size = sum(map(os.path.getsize, pages)) / 1e6
    print(f"{name}: {len(pages)} pages, {size:.1f} MB, {said['records']} records, {os.path.getsize(out) / 1e6:.1f} MB of JSON\n"
          f"  program   {base:6.3f} s   {len(pages) / base:7.0f} pages/s")
    for key, what in (("many", "many"), ("dicts", "and dicts"), ("arrow", "and Arrow")):
        print(f"  {what:9} {said[key]:6.3f} s   {len(pages) / said[key]:7.0f} pages/s   {said[key] / base:.2f} of the program")
    print(f"  two threads {said['one'] / said['two']:.2f} times one (by the clock: {said['one']:.3f} s, {said['two']:.3f} s)", flush=True)


def main(build):
    sys.path.insert(0, os.path.join(SOURCE, "tests", "python"))
    import python_env
    build = os.path.abspath(build)
    python, _ = python_env.prepare(SOURCE, build, ["arrow"])
    program, generator = os.path.join(build, "thresh"), os.path.join(build, "tests", "gen", "thresh-gen")
    with tempfile.TemporaryDirectory(prefix="thresh-python-") as folder:
        site = os.path.join(folder, "site")
        subprocess.run([generator, "--out", site, "--pages", "1500", "--seed", "3", "--records", "20..40", "--quiet"], check=True)
        pages = sorted(glob.glob(os.path.join(site, "*", "*.htm*")))
        measure("generated lists", python, program, pages, pages[:8], folder)
        for what, kind in (("detail", "*/*"), ("lists", "*/*")):
            found = sorted(glob.glob(os.path.join(os.environ.get("THRESH_DATA", "/nowhere"), what, kind)))
            sites = [sorted(glob.glob(os.path.join(path, "*.htm*"))) for path in found]
            sites = [site for site in sites if len(site) >= 3]
            if sites:
                largest = max(sites, key=lambda site: sum(map(os.path.getsize, site)))
                measure(f"{what}: {os.path.relpath(os.path.dirname(largest[0]), os.environ['THRESH_DATA'])}", python, program,
                        largest * (600 // len(largest)), largest[:3], folder)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))

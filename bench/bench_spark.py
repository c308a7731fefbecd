#!/usr/bin/env python3
"""Measures thresh.spark against the command line, on one core, and the memory of a worker.

    PYTHON bench/bench_spark.py THRESH [--gigabytes 1,10] [--spark]

PYTHON has the wheel and pyarrow, with --spark also pyspark. The archive is generated: pages of about 90 KB with 40 records each,
as crawls have them, in members of gzip. Rates are for one core: seconds of processor time, so that a busy machine does not
count. For memory, one process reads that many gigabytes of archive, split after split, as a worker of Spark does.
"""
import argparse
import gzip
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

ROWS, FILLER, PAGES, COPIES = 40, 60000, 400, 40


def page(number):
    words = random.Random(number)
    rows = "".join(f'<li class=book><a href="/b/{number}-{i}">Book {number}.{i} {words.random()}</a> by <i>Author {i * 7 % 31}</i> '
                   f'<b>${i % 90 + 1}.50</b><p class=text>{"".join(words.choices("abcdefghij  ", k=300))}</p></li>' for i in range(ROWS))
    script = "".join(words.choices("abcdefghijklmnop ;(){}=\n", k=FILLER))
    return f"<html><head><title>Books {number}</title><script>{script}</script></head><body><h1>Books</h1><ul>{rows}</ul></body></html>"


def record(number):
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page(number).encode()
    return (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://shop.example/{number}\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n").encode() + http + b"\r\n\r\n"


def make(folder, thresh):
    total = 0
    with open(f"{folder}/a.warc.gz", "wb") as packed, open(f"{folder}/a.warc", "wb") as plain:
        for i in range(PAGES):
            text = record(i)
            total += len(text)
            packed.write(gzip.compress(text, 5))
            plain.write(text)
    for i in range(3):
        with open(f"{folder}/{i}.html", "w", encoding="utf-8") as file:
            file.write(page(i))
    subprocess.run([thresh, "learn", "-q", "-o", f"{folder}/w.json", *(f"{folder}/{i}.html" for i in range(3))], check=True)
    return total


def seconds_of(command):
    """Processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def show(name, seconds, total, base=None):
    share = f" {100 * base / seconds:6.0f}%" if base else ""
    print(f"{name:34} {PAGES / seconds:9.0f} {total / seconds / 1e6:9.1f}{share}", flush=True)


WORK = """
import resource, sys, time, thresh.spark as ts
folder, rounds, warm = sys.argv[1], int(sys.argv[2]), 1
splits = ts.splits(f"{folder}/{sys.argv[3]}", 4 << 20)
sum(len(batch) for batch in ts.extract(splits[:1], f"{folder}/w.json"))
start, rows = time.process_time(), 0
for _ in range(rounds):
    rows += sum(len(batch) for batch in ts.extract(splits, f"{folder}/w.json"))
print(time.process_time() - start, rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def work(folder, rounds, name):
    done = subprocess.run([sys.executable, "-c", WORK, folder, str(rounds), name], check=True, capture_output=True, text=True)
    seconds, rows, memory = done.stdout.split()
    return float(seconds), int(rows), int(memory) / 1024


def tree_seconds():
    """Processor time of all processes below this one, those that have ended included."""
    stats = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        stats[int(name)] = (int(fields[1]), sum(map(int, fields[11:15])))
    below, more = set(), {os.getpid()}
    while more:
        more = {pid for pid, (parent, _) in stats.items() if parent in more} - below
        below |= more
    return sum(stats[pid][1] for pid in below) / os.sysconf("SC_CLK_TCK")


def spark_seconds(folder):
    """Processor time of a job on one worker, that of the JVM included, without the start of Spark; for one archive."""
    from pyspark.sql import SparkSession
    import thresh.spark as ts
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
             .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate())
    spark.sparkContext.setLogLevel("FATAL")

    def run(copies):
        ts.read(spark, [f"{folder}/a.warc.gz"] * copies, f"{folder}/w.json").write.format("noop").mode("overwrite").save()
    run(4)
    before = tree_seconds()
    run(COPIES)
    seconds = (tree_seconds() - before) / COPIES
    spark.stop()
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("thresh")
    parser.add_argument("--gigabytes", default="")
    parser.add_argument("--spark", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="thresh-bench-") as folder:
        total = make(folder, args.thresh)
        print(f"{PAGES} pages, {total / 1e6:.0f} MB, {os.path.getsize(folder + '/a.warc.gz') / 1e6:.0f} MB compressed")
        print(f"{'':34} {'pages/s':>9} {'MB/s':>9}")
        base = {}
        for name in ("a.warc.gz", "a.warc"):
            command = [args.thresh, "extract", "-q", "-j1", "-f", "ndjson", "-w", f"{folder}/w.json", f"{folder}/{name}"]
            base[name] = min(seconds_of(command) for _ in range(3))
            show(f"thresh extract -j1, {name}", base[name], total)
            seconds = min(work(folder, 2, name)[0] / 2 for _ in range(3))
            show(f"thresh.spark.extract, {name}", seconds, total, base[name])
        if args.spark:
            show("Spark, local[1], with the JVM", spark_seconds(folder), total, base["a.warc.gz"])
        for size in filter(None, args.gigabytes.split(",")):
            rounds = max(1, round(float(size) * 1e9 / os.path.getsize(f"{folder}/a.warc")))
            _, rows, memory = work(folder, rounds, "a.warc")
            print(f"memory after {float(size):g} GB of archive: {memory:.0f} MB ({rows} records)", flush=True)


if __name__ == "__main__":
    main()

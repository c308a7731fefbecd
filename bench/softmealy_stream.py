#!/usr/bin/env python3
"""A page of any size through SoftMealy, piece by piece: memory and rate.

usage: softmealy_stream.py --thresh PROGRAM --gen PROGRAM [MEGABYTES]...

A faculty page of the generator is fed to `thresh extract --stream` again and again, as one page, until it has so many
megabytes (10, 100 and 1000 without any). The largest memory of each run is that of the process, as the system counts it.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile


def peak(pid):
    """The most memory that a running process had, in KB."""
    with open("/proc/%d/status" % pid) as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def stream(args, folder, page, megabytes):
    command = [args.thresh, "extract", "-q", "-w", "w.json", "--stream", "-f", "ndjson", "-"]
    with open(os.devnull, "w") as nowhere:
        run = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=nowhere)
        fed, memory, before = 0, 0, resource.getrusage(resource.RUSAGE_CHILDREN)
        while fed < megabytes * 1e6:
            run.stdin.write(page)
            fed += len(page)
            memory = max(memory, peak(run.pid))
        run.stdin.close()
        if run.wait():
            sys.exit("thresh failed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print("%7.0f MB  largest memory %6.1f MB  %6.1f MB/s of processor time" % (fed / 1e6, memory / 1e3, fed / 1e6 / seconds))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--thresh", required=True)
    parser.add_argument("--gen", required=True)
    parser.add_argument("megabytes", nargs="*", type=int)
    args = parser.parse_args()
    args.thresh, args.gen = os.path.abspath(args.thresh), os.path.abspath(args.gen)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([args.gen, "--out", folder, "--kind", "faculty", "--shape", "5000,6,4"], check=True,
                       capture_output=True)
        with open(os.path.join(folder, "labels.jsonl")) as labels:
            line = json.loads(labels.readline())
        line["records"] = line["records"][:12]
        with open(os.path.join(folder, "few.jsonl"), "w") as few:
            print(json.dumps(line), file=few)
        subprocess.run([args.thresh, "learn", "-q", "--engine", "softmealy", "--labels", "few.jsonl", "-o", "w.json",
                        line["page"]], cwd=folder, check=True)
        with open(os.path.join(folder, line["page"]), "rb") as file:
            page = file.read()
        for megabytes in args.megabytes or [10, 100, 1000]:
            stream(args, folder, page, megabytes)


if __name__ == "__main__":
    main()

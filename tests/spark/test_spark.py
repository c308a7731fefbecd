"""thresh.spark on local[2]: the same records as the command line gives, however archives are split, and whatever dies.

    test_spark.py THRESH [TEST]...

Runs in an environment with the wheel and pyspark (tests/python/python_env.py). Exits with status 77, "skipped", without a
Java that Spark can use.
"""
import collections
import doctest
import glob
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

SKIPPED = 77
ROWS = 12


def find_java():
    """Sets JAVA_HOME to a Java from 17 on; exits where there is none."""
    homes = [os.environ.get("JAVA_HOME", "")] + sorted(glob.glob("/usr/lib/jvm/java-*")) + ["/usr"]
    for home in filter(None, homes):
        java = os.path.join(home, "bin", "java")
        if not os.path.exists(java):
            continue
        said = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
        match = re.search(r'version "(\d+)', said)
        if match and int(match.group(1)) >= 17:
            os.environ["JAVA_HOME"] = home
            return
    print("skipped: Spark needs Java 17: apt-get install openjdk-17-jre-headless")
    sys.exit(SKIPPED)


def page(number):
    rows = "".join(f'<li class=book><a href="/b/{number}-{i}">Book {number}.{i}</a> by <i>Author {i * 7 % 31}</i> '
                   f'<b>${i % 90 + 1}.50</b></li>' for i in range(ROWS))
    return f"<html><head><title>Books {number}</title></head><body><h1>Books</h1><ul>{rows}</ul><p>Page {number}</p></body></html>"


def record(number, html=None):
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + (html or page(number)).encode()
    return (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://shop.example/{number}\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n").encode() + http + b"\r\n\r\n"


class Inputs:
    """Archives, one of them damaged; a wrapper; and what the command line makes of them."""

    def __init__(self, thresh, folder):
        self.folder, self.thresh = folder, thresh
        self.index = []
        for name, numbers in (("a", range(0, 300)), ("b", range(300, 500))):
            with open(f"{folder}/{name}.warc.gz", "wb") as file:
                for i in numbers:
                    member = gzip.compress(record(i), 5)
                    self.index.append((f"{name}.warc.gz", file.tell(), len(member)))
                    file.write(member)
        with open(f"{folder}/c.warc", "wb") as file:
            for i in range(500, 560):
                file.write(record(i))
        os.makedirs(f"{folder}/pages")
        for i in range(3):
            with open(f"{folder}/pages/{i}.html", "w", encoding="utf-8") as file:
                file.write(page(i))
        self.wrapper = f"{folder}/w.json"
        self.run("learn", "-q", "-o", self.wrapper, f"{folder}/pages")
        self.archives = [f"{folder}/a.warc.gz", f"{folder}/b.warc.gz", f"{folder}/c.warc"]
        self.whole = self.extract(*self.archives)
        self.bytes = sum(os.path.getsize(name) for name in self.archives)

    def run(self, *words, code=0):
        done = subprocess.run([self.thresh, *words], capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        return done.stdout

    def extract(self, *archives, code=0):
        lines = self.run("extract", "-q", "-f", "ndjson", "-w", self.wrapper, *archives, code=code).splitlines()
        return collections.Counter(json.dumps(json.loads(line), sort_keys=True) for line in lines)


def counted(rows):
    """Records without the columns of the key, as many times as they are there."""
    return collections.Counter(json.dumps({name: value for name, value in row.items() if not name.startswith("_")}, sort_keys=True)
                               for row in rows if row["_error"] is None)


def rows_of(frame):
    return [row.asDict(recursive=True) for row in frame.collect()]


def expect_keys(rows):
    keys = {(row["_file"], row["_offset"], row["_index"], row["_wrapper"]) for row in rows}
    assert len(keys) == len(rows), f"{len(rows)} rows have {len(keys)} keys"


def test_splits(spark, inputs, ts):
    """1, 7 and 50 splits give the records of the command line, as a data source and through mapInArrow."""
    for count in (1, 7, 50):
        size = inputs.bytes // count
        made = len(ts.splits(inputs.archives, size))
        assert count == 1 or abs(made - count) <= 3, made
        source = hasattr(ts, "ThreshDataSource")
        if source:
            reader = spark.read.format("thresh").option("wrapper", inputs.wrapper).option("splitbytes", size)
            frame = reader.load(",".join(inputs.archives))
            rows = rows_of(frame)
            assert frame.rdd.getNumPartitions() == made
            assert counted(rows) == inputs.whole, f"data source, {count} splits"
            expect_keys(rows)
        if not source or count == 7:
            again = rows_of(ts.read(spark, inputs.archives, inputs.wrapper, size=size))
            assert counted(again) == inputs.whole, f"mapInArrow, {count} splits"
            expect_keys(again)
            assert not source or sorted(map(repr, again)) == sorted(map(repr, rows)), f"{count} splits"


def test_cdx(spark, inputs, ts):
    """Rows of an index give the pages that they name."""
    chosen = inputs.index[::7]
    frame = spark.createDataFrame([(f"{inputs.folder}/{name}", at, length) for name, at, length in chosen],
                                  "file string, offset bigint, length bigint")
    rows = rows_of(ts.read_cdx(frame, inputs.wrapper, tasks=3))
    assert len(rows) == len(chosen) * ROWS
    assert {(os.path.basename(row["_file"]), row["_offset"]) for row in rows} == {(name, at) for name, at, _ in chosen}
    lines = [f"com,shop)/{i} 2026 " + json.dumps({"filename": name, "offset": str(at), "length": str(length), "mime": "text/html"})
             for i, (name, at, length) in enumerate(chosen)]
    with open(f"{inputs.folder}/index.cdxj", "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    groups = ts.splits_of_cdx(ts.cdx_rows(lines, inputs.folder + "/"), 5000)
    assert len(groups) > 2 and sum(map(len, groups)) == len(chosen)
    if hasattr(ts, "ThreshDataSource"):
        found = rows_of(spark.read.format("thresh").option("wrapper", inputs.wrapper).option("splitbytes", 5000)
                        .option("cdx", f"{inputs.folder}/index.cdxj").load(inputs.folder))
        assert sorted(map(repr, found)) == sorted(map(repr, rows))


def test_damage(spark, inputs, ts):
    """A damaged archive, an empty one and one that is missing are rows, not failed jobs."""
    with open(f"{inputs.folder}/a.warc.gz", "rb") as file:
        good = bytearray(file.read())
    for at in (len(good) // 3, len(good) // 2):
        good[at:at + 40] = b"\x55" * 40
    bad = f"{inputs.folder}/bad.warc.gz"
    with open(bad, "wb") as file:
        file.write(bytes(good[:-30]))
    whole = inputs.extract(bad, code=1)
    assert 0 < sum(whole.values()) < 300 * ROWS
    for count in (1, 9):
        rows = rows_of(ts.read(spark, bad, inputs.wrapper, size=len(good) // count))
        errors = [row for row in rows if row["_error"]]
        assert counted(rows) == whole
        assert len(errors) >= 3 and all(row["_origin"].startswith(bad + "@") and "damaged" in row["_error"] for row in errors)
        expect_keys(rows)
    empty = f"{inputs.folder}/empty.warc"
    with open(empty, "wb"):
        pass
    wanted = [ts.Split(empty), ts.Split(f"{inputs.folder}/missing.warc.gz", 5, 10), ts.Split(inputs.archives[2])]
    rows = [row for batch in ts.extract(wanted, inputs.wrapper) for row in batch.to_pylist()]
    assert [bool(row["_error"]) for row in rows] == [True, True] + [False] * 60 * ROWS
    assert "missing.warc.gz" in rows[1]["_origin"] and "cannot be opened" in rows[1]["_error"]


def test_remote(spark, inputs, ts):
    """Archives of an object store are read in parts too, and one that cannot be read is a row."""
    import fsspec
    store = fsspec.filesystem("memory")
    for name in inputs.archives:
        with open(name, "rb") as file:
            store.pipe_file("/crawl/" + os.path.basename(name), file.read())
    wanted = ts.splits("memory://crawl/*.warc*", inputs.bytes // 6)
    assert len(wanted) >= 5
    rows = [row for batch in ts.extract(wanted, inputs.wrapper) for row in batch.to_pylist()]
    assert counted(rows) == inputs.whole and rows[0]["_file"] == "memory:///crawl/a.warc.gz", rows[0]
    expect_keys(rows)
    bad = [row for batch in ts.extract([ts.Split("memory://crawl/none.warc.gz", 3, 9)], inputs.wrapper) for row in batch.to_pylist()]
    assert len(bad) == 1 and bad[0]["_error"]


def test_types(spark, inputs, ts):
    """mypy --strict accepts the module."""
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", f"{inputs.folder}/mypy", "-m", "thresh.spark"],
                          capture_output=True, text=True, cwd=inputs.folder)
    assert done.returncode == 0, done.stdout


def test_examples(spark, inputs, ts):
    """The examples of the module and of docs/SCALE.md."""
    before = os.getcwd()
    os.chdir(os.environ["THRESH_SOURCE"])
    import thresh
    done = doctest.testmod(ts, extraglobs={"thresh": thresh})
    assert done.attempted and not done.failed
    with open("docs/SCALE.md", encoding="utf-8") as file:
        text = file.read().replace("```", "")
    test = doctest.DocTestParser().get_doctest(text, {}, "SCALE.md", "docs/SCALE.md", 0)
    done = doctest.DocTestRunner().run(test)
    assert done.attempted and not done.failed
    os.chdir(before)


def children_of(top):
    """The processes below one, from /proc."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            pass
    found, more = set(), {top}
    while more:
        more = {child for child, parent in parents.items() if parent in more} - found
        found |= more
    return found


def is_worker(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return b"pyspark.daemon" in file.read()
    except OSError:
        return False


def test_killed_worker(spark, inputs, ts):
    """A worker that is killed with kill -9 in mid-job loses and doubles nothing."""
    slow = f"{inputs.folder}/slow.warc.gz"
    with open(slow, "wb") as out:
        for _ in range(10):
            for name in inputs.archives[:2]:
                with open(name, "rb") as file:
                    shutil.copyfileobj(file, out)
    wanted = inputs.extract(slow)
    frame = ts.read(spark, slow, inputs.wrapper, size=os.path.getsize(slow) // 6)
    result, killed = [], []
    job = threading.Thread(target=lambda: result.extend(rows_of(frame)))
    job.start()
    until = time.time() + 60
    while job.is_alive() and len(killed) < 2 and time.time() < until:
        time.sleep(0.1)
        workers = [pid for pid in children_of(os.getpid()) if is_worker(pid)]
        parents = {pid for pid in workers if any(child in workers for child in children_of(pid))}
        for pid in workers:
            if pid not in parents and busy(pid):
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
                break
    job.join()
    assert killed, "no worker was found to be killed"
    assert counted(result) == wanted, f"{sum(wanted.values())} records, and {len(result)} after workers were killed"
    expect_keys(result)


def busy(pid):
    """It has used processor time since a moment ago: it is in the middle of its work."""
    def used():
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
            return int(fields[11]) + int(fields[12])
    try:
        before = used()
        time.sleep(0.1)
        return used() > before
    except OSError:
        return False


def test_finding(spark, inputs, ts):
    """Without a wrapper the main list of each page is found."""
    rows = rows_of(ts.read(spark, inputs.archives[2], size=10000))
    assert len(rows) == 60 * ROWS and all("Book" in row["record"] and row["_wrapper"] is None for row in rows)


def test_learning_and_checking(spark, inputs, ts):
    """A wrapper is learnt from a sample, and verification is summed over the partitions."""
    wrapper = ts.learn(spark, inputs.archives, pages=12, size=inputs.bytes // 5)
    rows = rows_of(ts.read(spark, inputs.archives[2], wrapper))
    assert len(rows) == 60 * ROWS and ts.digest(wrapper) == rows[0]["_wrapper"] != ts.digest(inputs.wrapper)
    verdict = ts.verify(spark, inputs.archives, inputs.wrapper, size=inputs.bytes // 5)
    assert (verdict.word, verdict.pages, verdict.records) == ("fine", 560, 560 * ROWS), verdict
    changed = f"{inputs.folder}/changed.warc"
    with open(changed, "wb") as file:
        for i in range(40):
            file.write(record(i, page(i).replace("<b>$", "<b>").replace(".50</b>", " stars</b>")))
    one = ts.verify(spark, changed, inputs.wrapper, size=1 << 40)
    many = ts.verify(spark, changed, inputs.wrapper, size=os.path.getsize(changed) // 8)
    assert one.drift and many.drift and (many.pages, many.records) == (40, 40 * ROWS)
    assert [item.drift for item in one.evidence] == [item.drift for item in many.evidence]


def test_job(spark, inputs, ts):
    """The job of examples/spark runs as it is."""
    job = os.path.join(os.environ["THRESH_SOURCE"], "examples", "spark", "extract_job.py")
    out = f"{inputs.folder}/out"
    submit = os.path.join(os.path.dirname(sys.executable), "spark-submit")
    done = subprocess.run([submit, "--master", "local[2]", "--conf", "spark.ui.enabled=false", job, "--wrapper", inputs.wrapper, "--out", out,
                           "--split-bytes", str(inputs.bytes // 4), *inputs.archives],
                          capture_output=True, text=True, env={**os.environ, "PYSPARK_PYTHON": sys.executable})
    assert done.returncode == 0, done.stderr[-3000:]
    assert f"{sum(inputs.whole.values())} records" in done.stdout, done.stdout
    assert counted(rows_of(spark.read.parquet(out))) == inputs.whole


def main(thresh, *names):
    find_java()
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession
    import thresh.spark as ts
    spark = (SparkSession.builder.master("local[2,4]").appName("thresh").config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
             .config("spark.driver.memory", "1g").config("spark.sql.shuffle.partitions", "4")
             .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
             .config("spark.log.level", "FATAL").getOrCreate())
    spark.sparkContext.setLogLevel("FATAL")
    if hasattr(ts, "ThreshDataSource"):
        spark.dataSource.register(ts.ThreshDataSource)
    with tempfile.TemporaryDirectory(prefix="thresh-spark-") as folder:
        inputs = Inputs(thresh, folder)
        for test in (test_types, test_examples, test_splits, test_cdx, test_damage, test_remote, test_finding, test_learning_and_checking, test_killed_worker, test_job):
            started = time.time()
            if names and test.__name__ not in names:
                continue
            test(spark, inputs, ts)
            print(f"{test.__name__}: fine, {time.time() - started:.1f} s", flush=True)
    spark.stop()


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), *sys.argv[2:])

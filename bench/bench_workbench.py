#!/usr/bin/env python3
"""How quick the workbench's server answers what its views ask: 200 pages, 100,000 records, a page of 2 MB.

    bench/bench_workbench.py THRESH [--pages N] [--records N] [--rounds N] [PART]...

Makes a project, starts the server on it and sends the requests of opening each view, one after the other. Each figure is the
median of several rounds, in milliseconds and in units of a yardstick that is measured in the same run: hashing 16 MB with
SHA-256. A busy machine changes both alike. PART limits it to the requests whose name has it.
"""
import argparse
import hashlib
import http.client
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

TOKEN = "a-token-for-benches-only"
WORDS = "copper bread salt oak linen glass tin iron wool clay stone paper silk amber cedar".split()
THINGS = "kettle knife mill board towel jug mug pan rug pot lamp chair table bowl box".split()


def clock(work):
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)


def yardstick():
    block = b"x" * (16 << 20)
    return statistics.median(clock(lambda: hashlib.sha256(block).digest()) for _ in range(5))


def thing(number):
    return f"{WORDS[number % 15].capitalize()} {THINGS[number // 15 % 15]} {number}"


def detail(number):
    """A page of one record, of about 20 KB as pages of shops have."""
    menu = "".join(f'<li class="m{i % 7}"><a href="/c/{i}">{WORDS[i % 15]} {THINGS[i % 13]}</a></li>' for i in range(120))
    also = "".join(f'<div class=also><img src="/i/{number + i}.jpg" alt=""><a href="/p/{number + i}">{thing(number + i)}</a> <b>€ {i}.50</b></div>'
                   for i in range(40))
    return (f'<!doctype html><html><head><title>{thing(number)} | Shop</title><style>.card{{color:red}}</style></head><body><ul class=menu>{menu}</ul>'
            f'<main><h1>{thing(number)}</h1><p class=price>€ {number % 90}.50</p><p class=sku>No. K-{number}</p><div class=text>'
            f'{"A fine thing for the house. " * 60}</div>{also}</main><footer>Imprint</footer></body></html>')


def cards(first, count):
    return "".join(f'<li class=card data-sku="K-{i}"><a href="/p/{i}"><img src="/i/{i}.jpg" alt="{thing(i)}"><h3>{thing(i)}</h3></a>'
                   f'<p class=price>€ {i % 90}.50</p><p class=note>In stock, <time datetime="2026-05-{i % 28 + 1:02d}">delivered soon</time></p></li>\n'
                   for i in range(first, first + count))


def styles(count):
    return "".join(f".c{i} > .card:nth-child({i}) a:hover {{ color: #{i % 900 + 100}; margin: {i % 9}px; background: url(i{i}.png) }}\n" for i in range(count))


def listing(first, count, rules=0):
    return f"<!doctype html><html><head><title>Shop</title><style>{styles(rules)}</style></head><body><h1>All things</h1><ul class=cards>{cards(first, count)}</ul></body></html>"


class Server:
    def __init__(self, thresh, folder):
        self.process = subprocess.Popen([thresh, "serve", "--project", os.path.join(folder, "p.thresh"), "--no-browser"], stdout=subprocess.PIPE,
                                        text=True, env={**os.environ, "THRESH_TOKEN": TOKEN})
        self.connection = http.client.HTTPConnection("127.0.0.1", int(re.search(r":(\d+)/", self.process.stdout.readline()).group(1)), timeout=600)

    def ask(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {TOKEN}"}
        if isinstance(body, dict):
            body = json.dumps(body)
            headers["Content-Type"] = "application/json"
        elif isinstance(body, str):
            body = body.encode()
        self.connection.request(method, path if path.startswith("/") else "/api/v1/" + path, body, headers)
        answer = self.connection.getresponse()
        data = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {data[:300]!r}")
        return data

    def json(self, *request):
        return json.loads(self.ask(*request))

    def job(self, path, body):
        job = self.json("POST", path, body)["job"]
        while (found := self.json("GET", f"jobs/{job}"))["state"] in ("waiting", "running"):
            time.sleep(0.05)
        return found

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)
        self.process.stdout.close()


def spot(page, text):
    at = page.encode().index(text.encode())
    return {"value": text, "start": at, "end": at + len(text.encode())}


def label(page, number):
    text = detail(number)
    return {"page": page, "records": [{"title": spot(text, thing(number)), "price": spot(text, f"€ {number % 90}.50"), "sku": spot(text, f"K-{number}")}]}


def fill(server, pages, records):
    """Three sites: shop (pages of one record), lists (of which a run has all records), large (one page of 2 MB)."""
    ids = [server.json("POST", f"sites/shop/pages?name={n}.html", detail(n))["id"] for n in range(pages)]
    for n in range(3):
        server.ask("PUT", "sites/shop/labels", label(f"{n}.html", n))
    per = 500
    for n in range(-(-records // per)):
        server.ask("POST", f"sites/lists/pages?name={n}.html", listing(n * per, per))
    learnt = server.json("POST", "sites/lists/learn", {"engine": "lists", "pages": [server.json("GET", "sites/lists/pages")["pages"][0]["id"]]})
    server.ask("POST", "sites/lists/wrappers", {"name": "all", "wrapper": learnt["wrapper"]})
    server.job("sites/lists/run", {"wrapper": "all"})
    count = 2_000_000 // len(cards(0, 1))
    large = server.json("POST", "sites/large/pages?name=large.html", listing(0, count, 2000))["id"]
    return ids, large


def requests(server, ids, large, pages):
    """Name and work of each request."""
    labels = [label(f"{n}.html", n) for n in range(3)]
    wrapper = server.json("POST", "sites/shop/learn", {"labels": labels})["wrapper"]
    server.ask("POST", "sites/shop/wrappers", {"name": "things", "wrapper": wrapper})
    run = server.json("GET", "sites/lists/runs")["runs"][0]
    half = len(server.ask("GET", f"pages/{large}/text")) // 2
    all_wrapper = server.json("GET", "sites/lists/wrappers/all/latest")["wrapper"]

    def get(path):
        return lambda: server.ask("GET", path)

    def post(path, body):
        return lambda: server.ask("POST", path, body)

    yield "open: status", get("status")
    for what in ("pages", "labels", "wrappers", "runs", "ignored", "sources"):
        yield f"open: {what}", get(f"sites/shop/{what}")
    yield "open: sites", get("sites")
    yield "Pages: clusters", get("sites/shop/clusters")
    yield "Pages: 20 thumbnails", lambda: [server.ask("GET", f"pages/{one}/view?lean=1") for one in ids[:20]]
    yield "Lists: lists of a page", post(f"pages/{ids[0]}/regions", {"engine": "lists"})
    yield "Labels: learn, 3 labelled pages", post("sites/shop/learn", {"labels": labels})
    yield "Labels: extract one page", post("sites/shop/extract", {"wrapper": wrapper, "pages": ids[:1]})
    yield "Labels: suggest", post("sites/shop/suggest", {"wrapper": wrapper, "pages": ids[:20]})
    yield "Compare pages: learn template", post("sites/shop/learn", {"engine": "template", "labels": []})
    yield "Extractors: wrapper", get("sites/shop/wrappers/things/latest")
    yield f"Extractors: extract {pages} pages", post("sites/shop/extract", {"wrapper": wrapper})
    yield "Extractors: hits", post("sites/shop/hits", {"wrapper": wrapper, "page": ids[0]})
    yield "Monitor: repair known", get("sites/shop/wrappers/things/repair")
    yield "Results: runs", get("sites/lists/runs")
    yield "Results: first records", get(f"runs/{run['id']}/records?from=0&count=200")
    yield "Results: last records", get(f"runs/{run['id']}/records?from={run['records'] - 200}&count=200")
    yield "Results: columns", get(f"runs/{run['id']}/columns")
    yield "2 MB: as it looks", get(f"{server.json('GET', 'status')['see']}/{large}")
    yield "2 MB: view", get(f"pages/{large}/view?lean=1")
    yield "2 MB: text", get(f"pages/{large}/text")
    yield "2 MB: around", get(f"pages/{large}/around?start={half}")
    yield "2 MB: lists", post(f"pages/{large}/regions", {"engine": "lists"})
    yield "2 MB: extract", post("sites/large/extract", {"wrapper": all_wrapper})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("thresh")
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("parts", nargs="*")
    args = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="thresh-bench-")
    server = Server(args.thresh, folder)
    try:
        unit = yardstick()
        began = time.perf_counter()
        ids, large = fill(server, args.pages, args.records)
        print(f"{args.pages} pages, {args.records} records: filled in {time.perf_counter() - began:.1f} s; yardstick {unit:.0f} ms")
        for name, work in requests(server, ids, large, args.pages):
            if args.parts and not any(part in name for part in args.parts):
                continue
            first = clock(work)
            times = [clock(work) for _ in range(args.rounds if first < 2000 else 1)]
            print(f"{name:34} {statistics.median(times):8.1f} ms {statistics.median(times) / unit:8.2f} units   first {first:8.1f} ms", flush=True)
    finally:
        server.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""A web site on this machine, for tests that fetch: the same for the same seed, and it remembers every request.

    tests/site/local_site.py [--seed N] [--lists N] [--per-list N] [--log FILE]

prints its address (http://127.0.0.1:PORT) on one line and serves until its standard input ends. In a test:

    with local_site.Site(seed=1, lists=30) as shop:
        run(["thresh", "crawl", "--allow-private", shop.url("/shop/")])
        shop.counts["/item/3"]          how often it was asked for
        shop.truth()                    the records of the shop, one dict each
        shop.requests                   (seconds since the start, method, path, status), in order

What is there:
    /shop/?page=N       lists with a link to the next page, the last without; /shop/ is page 1
    /loop/?page=N       three lists of items of their own; the next page of the last is the first
    /item/N             detail pages. Some are linked as /go/N (302) or /old/N (301), some twice, the second time from
                        the next list with a fragment or with a tracking parameter
    /busy/N             like /item/N: the first answer is 429 with Retry-After, the next is the page
    /shaky/N            the first answer is 500, the next is the page
    /slow/N             answers after `slow` seconds
    /private/N          detail pages that robots.txt disallows
    /gone/N             404
    /members/?page=N    lists for those who have logged in at /login (a form: user, password, a hidden token; a cookie)
    /js/                a list drawn by a script, late, from data in the script
    /scroll/            a list that grows when it is scrolled down: /scroll/items?from=N gives the next rows as JSON
    /etag/N             detail pages with ETag and Last-Modified, answering 304
    /abroad/            a list whose links lead to another host (localhost instead of 127.0.0.1)
    /trap/              a list of items, among which are links to all of /hostile/
    /hostile/...        endless, redirects, loop, short, long, headers, drip, bomb, cut, nothing, garbage, cookies
"""
import argparse
import collections
import email.utils
import http.server
import json
import random
import socket
import sys
import threading
import time
import urllib.parse
import zlib

WORDS = ("amber autumn birch bread bridge candle cedar coast copper dawn ember field fjord garden glass harbour hazel iron "
         "island ivory juniper lake lantern linen maple marble meadow mill moon moss north oak ocean olive orchard pearl "
         "pine quiet rain river salt shadow silver snow stone storm summer thorn tide valley velvet willow winter wool").split()
NAMES = "Ada Bruno Clara Davide Elsa Farid Greta Hugo Ines Jonas Kaia Liam Mira Nils Olga Piotr Rosa Sven Tara Ugo".split()
FAMILIES = "Abel Brandt Costa Dahl Eriksen Fontaine Grieg Holm Ito Jensen Kovac Lindqvist Marin Novak Okafor Petit".split()
SUBJECTS = "Cooking Gardening History Poetry Travel Science Music Sailing".split()
USER, PASSWORD = "reader", "swordfish"
HOSTILE = "endless redirects loop short long headers drip bomb cut nothing garbage cookies".split()
LOOP_LISTS, MEMBER_LISTS, SCROLL_ROWS, SCROLL_STEP, JS_ROWS = 3, 3, 60, 10, 12


class Item:
    """A book of the shop. `link` is how its list links to it, `again` how the next list does, or None."""

    def __init__(self, number, random_):
        self.number = number
        self.title = " ".join(word.capitalize() for word in random_.sample(WORDS, random_.choice((2, 2, 3))))
        self.author = f"{random_.choice(NAMES)} {random_.choice(FAMILIES)}"
        self.price = f"{random_.randrange(4, 90)}.{random_.randrange(100):02}"
        self.isbn = f"978-{random_.randrange(10)}-{random_.randrange(10000, 99999)}-{random_.randrange(100, 999)}-{random_.randrange(10)}"
        self.pages = str(random_.randrange(60, 900))
        self.subject = random_.choice(SUBJECTS)
        self.about = " ".join(random_.choice(WORDS) for _ in range(random_.randrange(12, 30))).capitalize() + "."
        self.path = f"/item/{number}"
        self.link, self.again = self.path, None

    def record(self):
        return {"number": self.number, "title": self.title, "author": self.author, "price": self.price, "isbn": self.isbn,
                "pages": self.pages, "subject": self.subject, "about": self.about}


class Site:
    def __init__(self, seed=1, lists=20, per_list=10, slow=0.3, retry_after=1, busy=2, shaky=2, slowly=2, private=2, gone=0,
                 port=0):
        """`busy`, `shaky`, `slowly`, `private` and `gone` say how many items of the shop are under these paths."""
        self.lists, self.per_list, self.slow, self.retry_after = lists, per_list, slow, retry_after
        random_ = random.Random(seed)
        self.items = [Item(number, random_) for number in range(lists * per_list)]
        self.loop_items = [Item(10000 + number, random_) for number in range(LOOP_LISTS * per_list)]
        self.member_items = [Item(20000 + number, random_) for number in range(MEMBER_LISTS * per_list)]
        self.scroll_items = [Item(30000 + number, random_) for number in range(SCROLL_ROWS)]
        self.js_items = [Item(40000 + number, random_) for number in range(JS_ROWS)]
        self.by_number = {item.number: item for item in
                          self.items + self.loop_items + self.member_items + self.scroll_items + self.js_items}
        kinds = [(kind, count) for kind, count in
                 (("busy", busy), ("shaky", shaky), ("slow", slowly), ("private", private), ("gone", gone))]
        # Not those of the first list: what is learnt from them is learnt from plain pages.
        some = random_.sample(self.items[per_list:], min(len(self.items) - per_list, sum(count for _, count in kinds)))
        for kind, count in kinds:
            for item in some[:count]:
                item.path = item.link = f"/{kind}/{item.number}"
            some = some[count:]
        plain = [item for item in self.items if item.path.startswith("/item/")]
        for item in random_.sample(plain, len(plain) // 4):
            item.link = random_.choice(("/go/", "/old/")) + str(item.number)
        for item in random_.sample(plain, len(plain) // 6):
            item.again = item.path + random_.choice(("#reviews", "?utm_source=list&utm_medium=web", ""))
        self.token = f"{random_.randrange(1 << 60):x}"
        self.session = f"{random_.randrange(1 << 60):x}"
        self.modified = email.utils.formatdate(1700000000, usegmt=True)
        self.lock = threading.Lock()
        self.log_file = None
        self.forget()
        handler = type("BoundHandler", (Handler,), {"site": self})
        self.server = Server(("127.0.0.1", port), handler)
        self.address = "http://127.0.0.1:%d" % self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)

    def forget(self):
        """Begins the log, the counts and the once-only failures anew."""
        with self.lock:
            self.began, self.requests, self.headers = time.monotonic(), [], []
            self.counts, self.once = collections.Counter(), set()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.stopping = True
        self.server.shutdown()
        self.server.server_close()

    def url(self, path):
        return self.address + path

    def note(self, method, path, status, headers):
        """One more request, at the moment when its answer begins."""
        with self.lock:
            self.requests.append((time.monotonic() - self.began, method, path, status))
            self.headers.append(dict(headers))
            self.counts[path] += 1
            if self.log_file:
                self.log_file.write(f"{self.requests[-1][0]:.3f} {method} {path} {status}\n")
                self.log_file.flush()

    def first_time(self, path):
        with self.lock:
            new = path not in self.once
            self.once.add(path)
        return new

    def truth(self, disallowed=False):
        """The records of the shop: those under /private/ only if `disallowed`, those under /gone/ never."""
        return [item.record() for item in self.items
                if not item.path.startswith("/gone/") and (disallowed or not item.path.startswith("/private/"))]

    # ---- pages ----

    def frame(self, title, body, head=""):
        links = "".join(f'<li><a href="/about/{word.lower()}">{word}</a></li>' for word in SUBJECTS[:4])
        return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title} - Quiet Books</title>{head}'
                f'</head>\n<body><header><h2><a href="/shop/">Quiet Books</a></h2><ul class="menu">{links}</ul></header>\n'
                f'<main>{body}</main>\n<footer><p>Open every day from nine to five. <a href="/login">Log in</a></p></footer>'
                "</body></html>\n")

    def rows(self, entries):
        return "".join(
            f'<li class="book"><h3><a href="{link}">{item.title}</a></h3><p class="author">by {item.author}</p>'
            f'<span class="price">${item.price}</span></li>\n' for item, link in entries)

    def pager(self, base, page, count, following):
        numbers = " ".join(f"<b>{n}</b>" if n == page else f'<a href="{base}?page={n}">{n}</a>'
                           for n in range(max(1, page - 3), min(count, page + 3) + 1))
        older = f' <a rel="next" href="{base}?page={following}">Next</a>' if following else ""
        return f'<nav class="pages">{numbers}{older}</nav>'

    def list_page(self, base, entries, page, count, following):
        return self.frame(f"Page {page}", f'<h1>Books, page {page} of {count}</h1>\n<ul class="books">\n{self.rows(entries)}</ul>\n'
                          + self.pager(base, page, count, following))

    def shop_entries(self, page):
        here = self.items[(page - 1) * self.per_list:page * self.per_list]
        before = self.items[max(0, page - 2) * self.per_list:(page - 1) * self.per_list]
        return [(item, item.link) for item in here] + [(item, item.again) for item in before if item.again]

    def detail(self, item):
        return self.frame(item.title, f"""<article class="detail"><h1>{item.title}</h1>
<p class="by">Written by <a href="/authors/{item.author.replace(' ', '-').lower()}">{item.author}</a></p>
<table class="facts"><tr><th>ISBN</th><td>{item.isbn}</td></tr>
<tr><th>Pages</th><td>{item.pages}</td></tr>
<tr><th>Subject</th><td>{item.subject}</td></tr></table>
<div class="about"><p>{item.about}</p></div></article>""")

    def js_page(self):
        data = json.dumps([item.record() for item in self.js_items])
        return self.frame("New books", f"""<h1>New books</h1><ul class="books" id="books"></ul><script>
setTimeout(function () {{
  var books = {data};
  document.getElementById("books").innerHTML = books.map(function (book) {{
    return '<li class="book"><h3><a href="/item/' + book.number + '">' + book.title + '</a></h3><p class="author">by ' +
      book.author + '</p><span class="price">$' + book.price + '</span></li>';
  }}).join("");
}}, 300);
</script>""")

    def scroll_page(self):
        return self.frame("All books", f"""<h1>All books</h1><ul class="books" id="books" style="line-height:4em">
{self.rows([(item, item.path) for item in self.scroll_items[:SCROLL_STEP]])}</ul><p id="end">...</p><script>
var from = {SCROLL_STEP}, busy = false;
function more() {{
  if (busy || from >= {SCROLL_ROWS}) return;
  if (window.innerHeight + window.scrollY < document.body.offsetHeight - 200) return;
  busy = true;
  fetch("/scroll/items?from=" + from).then(function (answer) {{ return answer.json(); }}).then(function (books) {{
    books.forEach(function (book) {{
      document.getElementById("books").insertAdjacentHTML("beforeend",
        '<li class="book"><h3><a href="/item/' + book.number + '">' + book.title + '</a></h3><p class="author">by ' +
        book.author + '</p><span class="price">$' + book.price + '</span></li>');
    }});
    from += {SCROLL_STEP};
    busy = false;
  }});
}}
window.addEventListener("scroll", more);
</script>""")

    def login_page(self, wrong=False):
        complaint = '<p class="error">The name or the password is wrong.</p>' if wrong else ""
        return self.frame("Log in", f"""<h1>Log in</h1>{complaint}<form method="post" action="/login">
<input type="hidden" name="token" value="{self.token}"><label>Name <input name="user"></label>
<label>Password <input type="password" name="password"></label><button>Log in</button></form>""")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    stopping = False

    def handle_error(self, request, client_address):
        """A client that went away is no fault of ours."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "QuietBooks/1", ""
    wbufsize = -1  # a whole answer goes out at once
    timeout = 30
    site = None

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def log_message(self, *_):
        pass

    def answer(self, status, body="", headers=(), kind="text/html; charset=utf-8"):
        data = body if isinstance(body, bytes) else body.encode()
        self.site.note(self.command, self.path, status, self.headers)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers:
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD" and status != 304:
            self.wfile.write(data)

    def not_found(self):
        self.answer(404, self.site.frame("Not found", "<h1>Not found</h1><p>There is no such page.</p>"))

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        words = [word for word in parts.path.split("/") if word]
        query = dict(urllib.parse.parse_qsl(parts.query))
        action = getattr(self, "get_" + (words[0].partition(".")[0] if words else "index"), None)
        if action:
            action(words, query)
        else:
            self.not_found()

    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()))
        if self.path != "/login":
            self.not_found()
        elif (form.get("user"), form.get("password"), form.get("token")) == (USER, PASSWORD, self.site.token):
            self.answer(303, headers=[("Location", "/members/"), ("Set-Cookie", f"session={self.site.session}; Path=/; HttpOnly")])
        else:
            self.answer(403, self.site.login_page(wrong=True))

    # ---- ordinary pages ----

    def get_index(self, words, query):
        self.answer(200, self.site.frame("Welcome", '<h1>Welcome</h1><p><a href="/shop/">All books</a></p>'))

    def get_robots(self, words, query):
        self.answer(200, "User-agent: *\nDisallow: /private/\n", kind="text/plain")

    def page_number(self, query, count):
        page = query.get("page", "1")
        return int(page) if page.isdigit() and 1 <= int(page) <= count else 0

    def get_shop(self, words, query):
        site, page = self.site, self.page_number(query, self.site.lists)
        if not page or len(words) > 1:
            self.not_found()
            return
        following = page + 1 if page < site.lists else 0
        self.answer(200, site.list_page("/shop/", site.shop_entries(page), page, site.lists, following))

    def paged(self, base, items, query, count, loop):
        site, page = self.site, self.page_number(query, count)
        if not page:
            self.not_found()
            return
        entries = [(item, item.link) for item in items[(page - 1) * site.per_list:page * site.per_list]]
        following = page + 1 if page < count else 1 if loop else 0
        self.answer(200, site.list_page(base, entries, page, count, following))

    def get_loop(self, words, query):
        self.paged("/loop/", self.site.loop_items, query, LOOP_LISTS, True)

    def get_members(self, words, query):
        if f"session={self.site.session}" not in self.headers.get("Cookie", ""):
            self.answer(302, headers=[("Location", "/login")])
            return
        self.paged("/members/", self.site.member_items, query, MEMBER_LISTS, False)

    def get_abroad(self, words, query):
        site = self.site
        entries = [(item, site.address.replace("127.0.0.1", "localhost") + item.path) for item in site.loop_items[:6]]
        self.answer(200, site.list_page("/abroad/", entries, 1, 1, 0))

    def get_trap(self, words, query):
        entries = [(item, item.link) for item in self.site.loop_items[:len(HOSTILE)]]
        entries += [(item, "/hostile/" + kind) for item, kind in zip(self.site.loop_items[len(HOSTILE):], HOSTILE)]
        self.answer(200, self.site.list_page("/trap/", entries, 1, 1, 0))

    def get_login(self, words, query):
        self.answer(200, self.site.login_page())

    def item(self, words):
        number = words[1] if len(words) == 2 else ""
        return self.site.by_number.get(int(number)) if number.isdigit() else None

    def get_item(self, words, query):
        item = self.item(words)
        if item:
            self.answer(200, self.site.detail(item))
        else:
            self.not_found()

    get_private = get_item

    def get_gone(self, words, query):
        self.not_found()

    def get_go(self, words, query):
        self.answer(302, headers=[("Location", f"/item/{words[-1]}")])

    def get_old(self, words, query):
        self.answer(301, headers=[("Location", self.site.url(f"/item/{words[-1]}"))])

    def get_busy(self, words, query):
        if self.site.first_time(self.path):
            self.answer(429, "<p>Too many requests", headers=[("Retry-After", str(self.site.retry_after))])
        else:
            self.get_item(words, query)

    def get_shaky(self, words, query):
        if self.site.first_time(self.path):
            self.answer(500, "<p>Something went wrong")
        else:
            self.get_item(words, query)

    def get_slow(self, words, query):
        time.sleep(self.site.slow)
        self.get_item(words, query)

    def get_etag(self, words, query):
        item = self.item(words)
        if not item:
            self.not_found()
            return
        tag = f'"{item.number}-{item.isbn}"'
        known = self.headers.get("If-None-Match") == tag or (
            "If-None-Match" not in self.headers and self.headers.get("If-Modified-Since") == self.site.modified)
        self.answer(304 if known else 200, self.site.detail(item), [("ETag", tag), ("Last-Modified", self.site.modified)])

    def get_js(self, words, query):
        self.answer(200, self.site.js_page())

    def get_scroll(self, words, query):
        if words[1:] == ["items"]:
            at = int(query.get("from", "0")) if query.get("from", "0").isdigit() else 0
            rows = [item.record() for item in self.site.scroll_items[at:at + SCROLL_STEP]]
            self.answer(200, json.dumps(rows), kind="application/json")
        else:
            self.answer(200, self.site.scroll_page())

    # ---- a server that means harm ----

    def begin(self, headers=(), status=200):
        """A header without a length: the body ends with the connection."""
        self.site.note(self.command, self.path, status, self.headers)
        self.close_connection = True
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()

    def pour(self, chunk, times, pause=0.0):
        for _ in range(times):
            if self.server.stopping:
                return
            self.wfile.write(chunk)
            self.wfile.flush()
            time.sleep(pause)

    def get_hostile(self, words, query):
        kind = words[1] if len(words) > 1 else ""
        action = getattr(self, "hostile_" + kind, None)
        if action:
            action(words)
        else:
            self.not_found()

    def hostile_endless(self, words):
        self.begin()
        self.pour(b"<p>more and more and more</p>\n" * 2000, 1 << 20)

    def hostile_redirects(self, words):
        count = int(words[2]) if len(words) > 2 and words[2].isdigit() else 0
        self.answer(302, headers=[("Location", f"/hostile/redirects/{count + 1}")])

    def hostile_loop(self, words):
        self.answer(302, headers=[("Location", "/hostile/loop")])

    def hostile_short(self, words):
        self.begin([("Content-Length", "100000")])
        self.wfile.write(b"<p>not even half of it")

    def hostile_long(self, words):
        self.begin([("Content-Length", "10")])
        self.wfile.write(b"<p>more than was announced</p>" * 100)

    def hostile_headers(self, words):
        self.begin([(f"X-Filler-{n}", "x" * 8000) for n in range(200)])
        self.wfile.write(b"<p>a page")

    def hostile_drip(self, words):
        self.begin()
        self.pour(b"<p>", 1 << 20, 0.2)

    def hostile_bomb(self, words):
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        data = b"".join(packer.compress(bytes(1 << 20)) for _ in range(400)) + packer.flush()
        self.begin([("Content-Encoding", "gzip"), ("Content-Length", str(len(data)))])
        self.wfile.write(data)

    def hostile_cut(self, words):
        self.site.note(self.command, self.path, 0, self.headers)
        self.close_connection = True
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/ht")

    def hostile_nothing(self, words):
        self.site.note(self.command, self.path, 0, self.headers)
        self.close_connection = True

    def hostile_garbage(self, words):
        self.site.note(self.command, self.path, 0, self.headers)
        self.close_connection = True
        self.wfile.write(b"\x00\xff this is not HTTP \r\n\r\n" * 50)

    def hostile_cookies(self, words):
        self.begin([("Set-Cookie", f"c{n}={'x' * 4000}") for n in range(60)])
        self.wfile.write(b"<p>a page")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lists", type=int, default=20)
    parser.add_argument("--per-list", type=int, default=10)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", help="a file that gets a line for each request: seconds, method, path, status")
    options = parser.parse_args()
    with Site(options.seed, options.lists, options.per_list, port=options.port) as site:
        if options.log:
            site.log_file = open(options.log, "w", encoding="utf-8")
        print(site.address, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()

"""A small scripted web server for tests, on 127.0.0.1 and a free port.

    with Server(answer) as server:
        run(thresh, server.url("/page"))
        server.requests      # [Request], in order of arrival

answer(request) gives (status, headers, body), with headers a list of pairs. Robots.txt is missing unless
answer says otherwise: it is asked first, and None is a 404.
"""
import http.server
import os
import subprocess
import threading
import time

LIST = ("<ul><li><a href=/1>One</a> <b>$1</b><li><a href=/2>Two</a> <b>$2</b>"
        "<li><a href=/3>Three</a> <b>$3</b></ul>")
HTML = ("Content-Type", "text/html")


class Request:
    def __init__(self, handler, body):
        self.method, self.path, self.headers, self.body = handler.command, handler.path, handler.headers, body
        self.time = time.monotonic()
        self.handler = handler

    def __repr__(self):
        return f"{self.method} {self.path}"


class Server:
    def __init__(self, answer=None, address="127.0.0.1"):
        self.answer = answer or (lambda request: (200, [HTML], LIST))
        self.requests = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def respond(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                request = Request(self, body)
                outer.requests.append(request)
                got = outer.answer(request)
                if got is None or (self.path == "/robots.txt" and got[0] == 200 and HTML in got[1]):
                    got = (404, [HTML], "<p>gone")
                status, headers, body = got
                body = body.encode() if isinstance(body, str) else body
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                if status != 304:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if status != 304:
                    self.wfile.write(body)

            do_GET = do_POST = respond

            def log_message(self, *unused):
                pass

        class Quiet(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *unused):
                pass

        self.server = Quiet((address, 0), Handler)
        self.port = self.server.server_address[1]
        self.address = address

    def url(self, path="/", host=None):
        return f"http://{host or self.address}:{self.port}{path}"

    def paths(self, but="/robots.txt"):
        return [request.path for request in self.requests if request.path != but]

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *unused):
        self.server.shutdown()
        self.server.server_close()


class Ran:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit {self.code}\n{self.out}{self.err}"


def run(thresh, *words, env=None, cwd=None, timeout=60):
    """Runs thresh with addresses of this machine allowed."""
    where = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    where.update(env or {})
    done = subprocess.run([thresh, *words], capture_output=True, text=True, env=where, cwd=cwd, timeout=timeout)
    return Ran(done.returncode, done.stdout, done.stderr)


def fetch(thresh, *words, **more):
    return run(thresh, "records", "--allow-private", "--delay", "0", "-f", "ndjson", *words, **more)

#!/usr/bin/env python3
"""Runs a command while a folder is a web site on this machine.

    python3 examples/serve.py FOLDER COMMAND...

SITE at the start of a word of the command stands for the address of the site, such as http://127.0.0.1:45321.
"""
import functools
import http.server
import subprocess
import sys
import threading


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


if len(sys.argv) < 3:
    sys.exit(__doc__)
with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=sys.argv[1])) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = "http://127.0.0.1:%d" % server.server_address[1]
    words = [site + word[4:] if word.startswith("SITE") else word for word in sys.argv[2:]]
    code = subprocess.call(words)
    server.shutdown()
sys.exit(code)

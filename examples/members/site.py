"""A small site for members only, for the documentation: python3 site.py [PORT] > its-address

The password is in the environment: MEMBERS_PASSWORD.
"""
import http.server
import os
import sys
import urllib.parse

LIST = "<h1>Bikes</h1><ul>" + "".join(
    f"<li><a href=/bike/{n}>{name}</a> <b>${price}</b></li>"
    for n, (name, price) in enumerate([("Cargo bike", 2400), ("City bike", 780), ("Kids bike", 240)])) + "</ul>"


class Members(http.server.BaseHTTPRequestHandler):
    def reply(self, status, text="", **headers):
        self.send_response(status)
        for name, value in {"Content-Type": "text/html", "Content-Length": len(text), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self):
        if self.path == "/robots.txt":
            self.reply(404)
        elif "member=yes" in self.headers.get("Cookie", ""):
            self.reply(200, LIST)
        else:
            self.reply(403, "<p>For members only")

    def do_POST(self):
        form = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        if form.get("password") == [os.environ["MEMBERS_PASSWORD"]]:
            self.reply(303, Set_Cookie="member=yes; Path=/", Location="/bikes")
        else:
            self.reply(200, "<p>Wrong password")


with http.server.HTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Members) as server:
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()

"""The collector behind nginx and HAProxy, each with the configuration from docs/guides/proxies.md.

Needs DAYBOOK_BINARY. A proxy that is not installed is skipped. Everything is on loopback and without the guide's TLS,
which ends at the proxy.
"""

import contextlib
import gzip
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "BrowserTests"))
from collector import BINARY, Server, logs, message  # noqa: E402

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "proxies.md"
NAME = "logs.example"
PATIENCE = 120

# Requests that two parties could parse differently, as in HostileClientTests; each is followed by a request of its own.
AMBIGUOUS = [
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nContent-Length : LENGTH\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nContent-Length\t: LENGTH\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding : chunked\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\nContent-Length: LENGTH\r\n\r\n0\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nXSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding:\x0bchunked\r\nContent-Length: LENGTH\r\n\r\n0\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.0\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nX: a\r\n Content-Length: LENGTH\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nContent-Length: 3\r\n 4\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\n Content-Length: LENGTH\r\nHost: HOST\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nContent-Length: LENGTH\0\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nContent-Length: +LENGTH\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0\r\nContent-Length: LENGTH\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nX: a\rContent-Length: LENGTH\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nX: a\nContent-Length: LENGTH\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\0.evil.example\r\nContent-Length: 0\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nX\0Y: a\r\nContent-Length: 0\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nX(y): a\r\nContent-Length: 0\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\n: a\r\nContent-Length: 0\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n5\0\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n0;\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n1\nX\n0\n\nSMUGGLED",
    "GET /healthz HTTP/1.1\r\nHost: HOST\r\nContent-Length: LENGTH\r\n\r\nSMUGGLED",
    "GET /healthz HTTP/1.1\r\n\r\nSMUGGLED",
    "GET http://HOST/healthz HTTP/1.1\r\nHost: evil.example\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nConnection: content-length\r\nContent-Length: LENGTH\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\nSMUGGLED",
    "POST /v1/events HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 0\r\n\r\nSMUGGLED",
]


def sample(language):
    """The guide's configuration."""
    return re.search(rf"```{language}\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL).group(1)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def eventually(condition, what):
    """Waits for a condition; fails after a while."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(what())


class Nginx:
    name = "nginx"

    def __init__(self, folder, collector):
        self.port, self.log = free_port(), Path(folder) / "forwarded"
        text = sample("nginx").replace("127.0.0.1:4318", f"127.0.0.1:{collector}")
        text = re.sub(r"    ssl_.*\n", "", text).replace("listen 443 ssl", f"listen 127.0.0.1:{self.port}")
        paths = "".join(f"{kind}_temp_path {folder}/{kind}; " for kind in (
            "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        # Started as root, its workers must be root to enter the folder. A client that has sent everything gets a
        # response.
        user = "user root; " if os.geteuid() == 0 else ""
        (Path(folder) / "nginx.conf").write_text(
            f"{user}daemon off; pid {folder}/pid; error_log {folder}/errors; worker_processes 1;\nevents {{}}\n"
            f"http {{ {paths}\nproxy_ignore_client_abort on;\nlog_format forwarded '$upstream_status $request'; access_log {self.log} forwarded;\n"
            f"{text}\n}}\n")
        self.command = ["nginx", "-e", f"{folder}/errors", "-p", folder, "-c", f"{folder}/nginx.conf"]

    def forwarded(self):
        """How many requests reached the collector: those with a status of its."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return sum(line[:1].isdigit() for line in lines)


class HAProxy:
    name = "haproxy"

    def __init__(self, folder, collector):
        self.port, self.socket = free_port(), f"{folder}/stats"
        text = sample("haproxy").replace("127.0.0.1:4318", f"127.0.0.1:{collector}")
        text = re.sub(r"bind :443 .*", f"bind 127.0.0.1:{self.port}", text)
        # Health checks would be counted; that they pass is tested separately.
        self.checking = Path(folder) / "checking.cfg"
        head = f"global\n    stats socket {self.socket}\n\n"
        self.checking.write_text(head + text)
        plain = Path(folder) / "plain.cfg"
        plain.write_text(head + re.sub(r"    (option httpchk|http-check .*)\n", "", text).replace(" check\n", "\n"))
        self.command = ["haproxy", "-db", "-f", str(plain)]

    def server(self):
        """What HAProxy reports about its server."""
        with socket.socket(socket.AF_UNIX) as control:
            control.connect(self.socket)
            control.sendall(b"show stat\n")
            text = control.makefile().read()
        names = text.splitlines()[0].removeprefix("# ").split(",")
        rows = [dict(zip(names, line.split(","))) for line in text.splitlines()[1:]]
        return next(row for row in rows if row.get("svname") == "collector")

    def forwarded(self):
        """How many requests the collector has answered; a `100 Continue` does not count."""
        row = self.server()
        return sum(int(row[f"hrsp_{kind}"] or 0) for kind in ("2xx", "3xx", "4xx", "5xx", "other"))


class ProxyCase:
    """A collector with a proxy in front."""

    proxy_kind = None

    def setUp(self):
        if not BINARY:
            self.skipTest("DAYBOOK_BINARY is not set")
        if shutil.which(self.proxy_kind.name) is None:
            self.skipTest(f"{self.proxy_kind.name} is not installed")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in (("LogDefinitions/feed.md", "# feed\n\n## show\n\nShown.\n"),
                           ("LogChecklists/release.md", "# release\n\n- [ ] feed.show\n")):
            (Path(folder.name) / name).parent.mkdir()
            (Path(folder.name) / name).write_text(text)
        self.server = Server(folder.name, 0, "--host", NAME)
        self.addCleanup(self.server.stop)
        self.proxy = self.proxy_kind(folder.name, self.server.port)
        self.start(self.proxy.command)

    def start(self, command):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)

        def listens():
            if process.poll() is not None:
                raise AssertionError(f"{command} ended: {process.stderr.read().decode()}")
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.proxy.port), 1):
                return True

        eventually(listens, lambda: f"{command} does not listen")
        return process

    @contextlib.contextmanager
    def connection(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.proxy.port, timeout=PATIENCE)
        try:
            yield connection
        finally:
            connection.close()

    def status(self, connection, method, path, body=None, **headers):
        headers = {"host": NAME, **{name.replace("_", "-"): value for name, value in headers.items()}}
        connection.request(method, path, body, headers, encode_chunked=isinstance(body, list))
        response = connection.getresponse()
        response.read()
        return response.status

    def received(self):
        """How many requests the collector has counted, without those that ask for it."""
        self.questions = getattr(self, "questions", 0) + 1
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)) as direct:
            direct.request("GET", "/metrics")
            text = direct.getresponse().read().decode()
        return int(re.search(r"^daybook_http_requests_total (\d+)$", text, re.MULTILINE).group(1)) - self.questions

    def expect_nothing_else_was_forwarded(self):
        """The collector has counted what the proxy forwarded: no request is smuggled in another."""
        eventually(lambda: self.received() == self.proxy.forwarded(),
                   lambda: f"{self.received()} requests came, and {self.proxy.forwarded()} were forwarded")

    def count(self, tag):
        self.questions = getattr(self, "questions", 0) + 1
        return self.server.ask(f"records/count?tag={tag}")["count"]

    def test_ordinary_and_large_requests_are_stored(self):
        one = json.dumps(logs(message("one"))).encode()
        text = "".join(f"{number:08x}" for number in range(300_000))
        large = gzip.compress(json.dumps(logs(*(
            message(text[place:place + 1_500]) for place in range(0, len(text), 1_500)))).encode())
        self.assertGreater(len(large), 500_000)
        parts = [large[place:place + 7_001] for place in range(0, len(large), 7_001)]
        with self.connection() as connection:
            for _ in range(3):
                self.assertEqual(self.status(connection, "POST", "/v1/logs", one, content_type="application/json"), 200)
            self.assertEqual(self.status(connection, "POST", "/v1/logs", parts, content_type="application/json",
                                         content_encoding="gzip", transfer_encoding="chunked"), 200)
            self.assertEqual(self.status(connection, "POST", "/v1/logs", one, content_type="application/json"), 200)
        self.expect_nothing_else_was_forwarded()
        self.questions += 1
        self.assertEqual(self.server.ask("status")["head"], 4 + len(range(0, len(text), 1_500)))

    def test_requests_sent_without_waiting_are_answered_in_their_order(self):
        def request(number):
            body = json.dumps({"tag": f"pipelined.n{number}"}) + "\n"
            return (f"POST /v1/events HTTP/1.1\r\nHost: {NAME}\r\nContent-Type: application/x-ndjson\r\n"
                    f"Content-Length: {len(body)}\r\n\r\n{body}GET /nothing/{number} HTTP/1.1\r\nHost: {NAME}\r\n\r\n")

        with socket.create_connection(("127.0.0.1", self.proxy.port), PATIENCE) as client:
            client.sendall("".join(request(number) for number in range(40)).encode())
            answers = b""
            while b"/nothing/39" not in answers or not answers.rstrip().endswith(b"}}"):
                part = client.recv(65_536)
                self.assertTrue(part, answers[-2_000:])
                answers += part
        statuses = [int(status) for status in re.findall(rb"HTTP/1.1 (\d+)", answers)]
        self.assertEqual(statuses, [200, 404] * 40)
        self.assertEqual(re.findall(rb"/nothing/(\d+)", answers), [str(number).encode() for number in range(40)])
        self.expect_nothing_else_was_forwarded()
        self.assertEqual(self.count("pipelined.*"), 40)

    def test_no_request_is_smuggled(self):
        for number, text in enumerate(AMBIGUOUS):
            with self.subTest(text=text):
                body = json.dumps({"tag": f"smuggled.n{number}"}) + "\n"
                inner = (f"POST /v1/events HTTP/1.1\r\nHost: {NAME}\r\nContent-Type: application/x-ndjson\r\n"
                         f"Content-Length: {len(body)}\r\n\r\n{body}")
                text = text.replace("LENGTH", str(len(inner))).replace("SMUGGLED", inner).replace("HOST", NAME)
                with socket.create_connection(("127.0.0.1", self.proxy.port), PATIENCE) as client:
                    client.sendall(text.encode("latin-1"))
                    client.shutdown(socket.SHUT_WR)
                    with contextlib.suppress(ConnectionResetError):
                        while client.recv(65_536):
                            pass
                # The next client on the proxy's own connection gets only the response to its own request.
                with self.connection() as connection:
                    self.assertEqual(self.status(connection, "GET", f"/nothing/{number}"), 404)
                self.expect_nothing_else_was_forwarded()

    def test_the_collector_judges_host_and_origin_as_the_client_sent_them(self):
        shown = {"authorization": f"Bearer {self.server.token}"}
        cases = [
            ({}, 200), ({"origin": f"https://{NAME}"}, 200), ({"origin": f"http://{NAME}"}, 200),
            ({"origin": "https://evil.example"}, 403), ({"origin": "null"}, 403),
            ({"host": "evil.example"}, (403, 421)), ({"host": f"127.0.0.1:{self.server.port}"}, (200, 421)),
            ({"host": f"{NAME}.evil.example"}, (403, 421)), ({"host": f"{NAME}:8443"}, (403, 421)),
        ]
        for headers, expected in cases:
            with self.subTest(headers=headers), self.connection() as connection:
                status = self.status(connection, "GET", "/api/v1/status", **{**shown, **headers})
                self.assertIn(status, expected if isinstance(expected, tuple) else (expected,))
        with self.connection() as connection:
            self.assertEqual(self.status(connection, "GET", "/api/v1/status"), 401)
            self.assertEqual(self.status(connection, "GET", "/"), 200)

    def test_the_page_is_told_of_records_as_they_come(self):
        with self.connection() as connection:
            connection.request("GET", "/api/v1/live", headers={
                "host": NAME, "authorization": f"Bearer {self.server.token}"})
            response = connection.getresponse()
            heads = (json.loads(line[6:])["head"] for line in response if line.startswith(b"data: "))
            self.assertEqual(next(heads), 0)
            self.server.post(message("one"))
            self.assertEqual(next(heads), 1)


class NginxTest(ProxyCase, unittest.TestCase):
    proxy_kind = Nginx


class HAProxyTest(ProxyCase, unittest.TestCase):
    proxy_kind = HAProxy

    def test_the_check_of_the_guide_passes(self):
        process = self.start(["haproxy", "-db", "-f", str(self.checking())])
        self.assertIsNone(process.poll())
        eventually(lambda: self.proxy.server()["check_status"] == "L7OK", lambda: str(self.proxy.server()))

    def checking(self):
        """The guide's configuration with its health check, on its own port and control socket."""
        text = self.proxy.checking.read_text()
        other = self.proxy.checking.with_name("own.cfg")
        port = free_port()
        other.write_text(text.replace(f"bind 127.0.0.1:{self.proxy.port}", f"bind 127.0.0.1:{port}")
                         .replace(self.proxy.socket, self.proxy.socket + "2"))
        self.proxy.port, self.proxy.socket = port, self.proxy.socket + "2"
        return other


if __name__ == "__main__":
    unittest.main()

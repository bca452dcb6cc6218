"""Our output's requests, parsed by OpenTelemetry's own protobuf definitions (the PyPI package opentelemetry-proto).

The sender is the sample app RecipeBox beside the program that DAYBOOK_BINARY names; the receiver is an HTTP server in
this process. Records reach it directly, and once more through rotel, a real OpenTelemetry agent.
"""

import contextlib
import gzip
import importlib.util
import os
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from google.protobuf.unknown_fields import UnknownFieldSet
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

START_SECONDS = 120
BINARIES = Path(os.environ.get("DAYBOOK_BINARY", "daybook")).parent


class Receiver(ThreadingHTTPServer):
    """Receives OTLP over HTTP and keeps what it could parse."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.logs, self.traces, self.problems = [], [], []
        self.lock = threading.Lock()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        kinds = {
            "/v1/logs": (ExportLogsServiceRequest, ExportLogsServiceResponse, self.server.logs),
            "/v1/traces": (ExportTraceServiceRequest, ExportTraceServiceResponse, self.server.traces),
        }
        request, response, kept = kinds[self.path]
        with self.server.lock:
            if self.headers["content-type"] != "application/x-protobuf":
                self.server.problems.append(self.headers["content-type"])
            kept.append(request.FromString(body))
        answer = response().SerializeToString()
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def attributes(holder):
    return {entry.key: entry.value for entry in holder.attributes}


def unknown_fields(message):
    """The numbers of fields unknown to the definitions, anywhere in a message."""
    found = [field.field_number for field in UnknownFieldSet(message)]
    for descriptor, value in message.ListFields():
        if descriptor.message_type is not None:
            repeated = isinstance(value, Sequence) or hasattr(value, "add")
            for child in value if repeated else [value]:
                found += unknown_fields(child)
    return found


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for probe in sockets:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in sockets]


def wait_for(port, process):
    """Returns once something listens on a loopback port; raises if the process ends first."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.05)


@contextlib.contextmanager
def rotel(target):
    """Runs a rotel agent that forwards to `target`, and yields its URL; by the end it has forwarded everything."""
    package = importlib.util.find_spec("rotel")
    if package is None:
        raise unittest.SkipTest("the PyPI package rotel is not installed; scripts/setup installs it")
    agent = Path(package.origin).parent / "rotel-agent"
    http, grpc = free_ports(2)
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [agent, "start", "--otlp-http-endpoint", f"127.0.0.1:{http}", "--otlp-grpc-endpoint", f"127.0.0.1:{grpc}",
             "--exporter", "otlp", "--otlp-exporter-protocol", "http", "--otlp-exporter-endpoint", target,
             "--pid-file", f"{folder}/pid", "--log-file", f"{folder}/log"],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_for(http, process)
            yield f"http://127.0.0.1:{http}"
        finally:
            # On termination it forwards what it still holds.
            process.terminate()
            process.wait(120)


class SenderChecks:
    """What must hold for the records, by either way. The sender runs once for all tests of a class."""

    @classmethod
    def way(cls, receiver):
        """A context that yields the URL to send to; on exit, everything has reached the receiver."""
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        cls.receiver = Receiver()
        threading.Thread(target=cls.receiver.serve_forever, daemon=True).start()
        try:
            with cls.way(cls.receiver.url) as url:
                cls.accepted = cls.send(url)
        finally:
            cls.receiver.shutdown()
            cls.receiver.server_close()
        cls.read()

    @classmethod
    def send(cls, url):
        """Runs the sample app and returns how many records it logged."""
        api = subprocess.Popen([BINARIES / "RecipeAPI"], stdout=subprocess.PIPE, text=True)
        try:
            address = api.stdout.readline().removeprefix("Recipe API: ").strip()
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run(
                    [BINARIES / "RecipeBox", "--session", "second", "--collector", url, "--api", address,
                     "--data", f"{folder}/app", "--tally", f"{folder}/tally"],
                    check=True, stdout=subprocess.DEVNULL, timeout=180)
                return Path(folder, "tally").stat().st_size
        finally:
            api.terminate()
            api.wait()
            api.stdout.close()

    @classmethod
    def read(cls):
        cls.records = [
            (resource.resource, scope.scope, record)
            for request in cls.receiver.logs for resource in request.resource_logs
            for scope in resource.scope_logs for record in scope.log_records
        ]
        cls.spans = [
            (resource.resource, scope.scope, span)
            for request in cls.receiver.traces for resource in request.resource_spans
            for scope in resource.scope_spans for span in scope.spans
        ]

    def test_everything_arrives_once(self):
        identities = [attributes(record)["log.record.uid"].string_value for _, _, record in self.records + self.spans]
        self.assertEqual(len(identities), self.accepted)
        self.assertEqual(len(set(identities)), self.accepted)
        self.assertEqual(self.receiver.problems, [])

    def test_nothing_is_unknown_to_the_definitions(self):
        # A wrongly encoded field shows up as unknown.
        for request in self.receiver.logs + self.receiver.traces:
            self.assertEqual(unknown_fields(request), [])
        for resource, scope, record in self.records:
            self.assertEqual(attributes(resource)["service.name"].string_value, "RecipeBox")
            self.assertEqual(scope.name, "daybook")
            self.assertGreater(record.time_unix_nano, 1_700_000_000_000_000_000)
            self.assertIn(record.severity_number, range(1, 25))

    def test_events_have_names_and_typed_attributes(self):
        event = next(record for _, _, record in self.records if record.event_name == "recipe_search.show_result")
        values = attributes(event)
        self.assertEqual(values["keyword"].string_value, "たまご")
        self.assertEqual(values["result_count"].int_value, 1)
        self.assertEqual(values["user_id"].int_value, 42)
        launch = next(record for _, _, record in self.records if record.event_name == "app_lifecycle.launch")
        self.assertTrue(attributes(launch)["cold"].bool_value)

    def test_requests_are_client_spans(self):
        requests = [span for _, _, span in self.spans if span.kind == Span.SPAN_KIND_CLIENT]
        self.assertEqual({span.name for span in requests}, {"GET /recipes", "GET /recipes/*"})
        for span in requests:
            self.assertEqual(attributes(span)["http.request.method"].string_value, "GET")
            self.assertEqual(attributes(span)["http.response.status_code"].int_value, 200)
            self.assertGreaterEqual(span.end_time_unix_nano, span.start_time_unix_nano)
            self.assertEqual(span.status.code, Status.STATUS_CODE_UNSET)
            self.assertEqual((len(span.trace_id), len(span.span_id)), (16, 8))


@unittest.skipUnless((BINARIES / "RecipeBox").exists(), "no RecipeBox stands beside the program that DAYBOOK_BINARY names")
class DirectSenderTest(SenderChecks, unittest.TestCase):
    """From our output to the receiver."""

    @classmethod
    def way(cls, receiver):
        return contextlib.nullcontext(receiver)


@unittest.skipUnless((BINARIES / "RecipeBox").exists(), "no RecipeBox stands beside the program that DAYBOOK_BINARY names")
class SenderThroughRotelTest(SenderChecks, unittest.TestCase):
    """From our output through rotel to the receiver."""

    @classmethod
    def way(cls, receiver):
        return rotel(receiver)


if __name__ == "__main__":
    unittest.main()

"""Feeds the collector from the real OpenTelemetry Python SDK, and checks by SQL what arrived.

Needs DAYBOOK_BINARY: the `daybook` program, started as `daybook serve --port 0 --store sqlite:PATH` on loopback and
stopped at the end.
"""

import json
import logging
import os
import re
import selectors
import sqlite3
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
import warnings
from pathlib import Path

from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode

START_SECONDS = 120
RESOURCE = {"service.name": "shop", "service.version": "3.1", "app.installation.id": "device-1"}


class Collector:
    """A running collector with a store in its own folder."""

    def __init__(self):
        binary = os.environ.get("DAYBOOK_BINARY")
        if not binary:
            raise RuntimeError("DAYBOOK_BINARY is not set: give the path of the daybook program")
        self.folder = tempfile.TemporaryDirectory()
        self.store = Path(self.folder.name) / "store.sqlite"
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--store", f"sqlite:{self.store}"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.folder.name,
        )
        try:
            self.url = self._address()
        except Exception:
            self.close()
            raise

    def _address(self):
        """The base URL, which the collector prints once it listens."""
        output = b""
        deadline = time.monotonic() + START_SECONDS
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while time.monotonic() < deadline:
                if not selector.select(deadline - time.monotonic()):
                    break
                piece = os.read(self.process.stdout.fileno(), 65536)
                output += piece
                found = re.search(rb"^Inspector: (http://127\.0\.0\.1:\d+)", output, re.MULTILINE)
                if found:
                    return found.group(1).decode()
                if not piece:
                    break
        raise RuntimeError(f"the collector did not start; it said: {output.decode(errors='replace')}")

    def rows(self, sql, values=()):
        """The rows of a SELECT, read beside the running collector."""
        connection = sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    def post(self, path, body, content_type):
        """A response's status, content type and body."""
        request = urllib.request.Request(self.url + path, body, {"Content-Type": content_type}, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=180) as response:
                return response.status, response.headers["Content-Type"], response.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers["Content-Type"], error.read()

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(60)
        self.process.stdout.close()
        self.folder.cleanup()


class SDKTests(unittest.TestCase):
    def setUp(self):
        self.collector = Collector()
        self.addCleanup(self.collector.close)

    def send_logs(self, count, compression):
        """Logs through Python's logging and the SDK's handler, as an application does."""
        provider = LoggerProvider(resource=Resource.create(RESOURCE))
        exporter = OTLPLogExporter(endpoint=f"{self.collector.url}/v1/logs", compression=compression, timeout=180)
        provider.add_log_record_processor(BatchLogRecordProcessor(exporter, max_queue_size=8192))
        handler = handler_of_this_sdk(provider)
        logger = logging.getLogger(f"shop.{self.id()}")
        logger.propagate = False
        logger.setLevel(logging.DEBUG)
        logger.addHandler(handler)
        try:
            for number in range(count):
                level = logging.WARNING if number % 10 == 0 else logging.INFO
                logger.log(level, "order %d 注文", number, extra={"order_id": number, "ratio": number / 8})
        finally:
            logger.removeHandler(handler)
        self.assertTrue(provider.force_flush(120_000))
        provider.shutdown()
        return logger.name

    def send_spans(self, parents, children, compression):
        provider = TracerProvider(resource=Resource.create(RESOURCE))
        exporter = OTLPSpanExporter(endpoint=f"{self.collector.url}/v1/traces", compression=compression, timeout=180)
        provider.add_span_processor(BatchSpanProcessor(exporter))
        tracer = provider.get_tracer("shop.checkout", "1.2")
        for number in range(parents):
            with tracer.start_as_current_span("checkout", attributes={"number": number}) as parent:
                parent.add_event("started", {"number": number})
                for child in range(children):
                    attributes = {"http.request.method": "GET", "number": number * 100 + child}
                    with tracer.start_as_current_span("GET /price", kind=SpanKind.CLIENT, attributes=attributes) as span:
                        if child == 0:
                            span.set_status(Status(StatusCode.ERROR, "no price"))
        self.assertTrue(provider.force_flush(120_000))
        provider.shutdown()

    def check_logs(self, count, name):
        rows = self.collector.rows
        self.assertEqual(rows("SELECT count(*), count(DISTINCT uid) FROM records"), [(count, count)])
        numbers = rows("SELECT json_extract(attributes, '$.order_id') FROM records ORDER BY id")
        self.assertEqual([row[0] for row in numbers], list(range(count)))
        self.assertEqual(
            rows("SELECT kind, level, count(*) FROM records GROUP BY kind, level ORDER BY level"),
            [("message", 9, count - count // 10), ("message", 13, count // 10)],
        )
        message, tag, installation, context, attributes, file, line, log_time = rows(
            "SELECT message, tag, installation, context, attributes, file, line, time FROM records WHERE id = 2"
        )[0]
        self.assertEqual((message, tag, installation), ("order 1 注文", name, "device-1"))
        self.assertEqual(json.loads(attributes)["ratio"], 0.125)
        self.assertEqual(json.loads(context)["service.name"], "shop")
        self.assertTrue(file is None or Path(file).name == Path(__file__).name, file)
        self.assertTrue(line is None or line > 0)
        self.assertLess(abs(time.time_ns() - log_time), 120 * 10**9)

    def check_spans(self, parents, children):
        rows = self.collector.rows
        self.assertEqual(
            rows("SELECT kind, count(*), count(DISTINCT span_id) FROM records GROUP BY kind ORDER BY kind"),
            [("request", parents * children, parents * children), ("span", parents, parents)],
        )
        joined = rows(
            """SELECT json_extract(p.attributes, '$.number'), count(*), sum(c.duration <= p.duration),
                   sum(c.time >= p.time)
               FROM records c JOIN records p ON c.parent_span_id = p.span_id AND c.trace_id = p.trace_id
               GROUP BY p.id ORDER BY 1"""
        )
        self.assertEqual(joined, [(number, children, children, children) for number in range(parents)])
        self.assertEqual(
            rows("SELECT count(*) FROM records WHERE level = 17 AND json_extract(attributes, '$.\"otel.status_code\"')"
                 " = 'ERROR' AND kind = 'request' AND tag = 'GET /price'"),
            [(parents,)],
        )
        self.assertEqual(
            rows("SELECT DISTINCT module, json_extract(attributes, '$.\"otel.events\"[0].name'), parent_span_id"
                 " FROM records WHERE kind = 'span'"),
            [("shop.checkout", "started", None)],
        )

    def test_a_thousand_logs_arrive_in_order(self):
        self.check_logs(1000, self.send_logs(1000, Compression.NoCompression))

    def test_a_thousand_logs_arrive_with_gzip(self):
        self.check_logs(1000, self.send_logs(1000, Compression.Gzip))

    def test_logs_arrive_with_deflate(self):
        self.check_logs(100, self.send_logs(100, Compression.Deflate))

    def test_a_hundred_spans_join_to_their_parents(self):
        self.send_spans(20, 4, Compression.NoCompression)
        self.check_spans(20, 4)

    def test_a_hundred_spans_join_with_gzip(self):
        self.send_spans(20, 4, Compression.Gzip)
        self.check_spans(20, 4)

    def test_log_within_a_span_joins_to_it(self):
        traces = TracerProvider()
        exporter = OTLPSpanExporter(endpoint=f"{self.collector.url}/v1/traces", timeout=180)
        traces.add_span_processor(BatchSpanProcessor(exporter))
        with traces.get_tracer("shop").start_as_current_span("checkout"):
            self.send_logs(10, Compression.NoCompression)
        self.assertTrue(traces.force_flush(120_000))
        traces.shutdown()
        joined = self.collector.rows(
            "SELECT count(*) FROM records l JOIN records s USING (trace_id, span_id)"
            " WHERE l.kind = 'message' AND s.kind = 'span'"
        )
        self.assertEqual(joined, [(10,)])

    def test_a_body_that_is_too_large_is_answered_and_not_broken_off(self):
        # Like most exporters, urllib sends everything before it reads.
        for size in (5 << 20, 12 << 20):
            status, _, answer = self.collector.post("/v1/logs", b" " * size, "application/json")
            self.assertEqual(status, 413)
            self.assertIn("body-limit", json.loads(answer)["message"])

    def test_answers_parse_with_the_sdks_own_types(self):
        status, content_type, body = self.collector.post("/v1/logs", b"", "application/x-protobuf")
        self.assertEqual((status, content_type), (200, "application/x-protobuf"))
        self.assertFalse(ExportLogsServiceResponse.FromString(body).HasField("partial_success"))
        status, content_type, body = self.collector.post("/v1/logs", b"{}", "application/json")
        self.assertEqual((status, content_type, json.loads(body)), (200, "application/json", {}))
        status, content_type, body = self.collector.post("/v1/logs", b"{", "application/json")
        self.assertEqual((status, content_type, json.loads(body)["code"]), (400, "application/json", 3))


def handler_of_this_sdk(provider):
    """The bridge from `logging`, which the SDK warns will move to the instrumentation package."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return LoggingHandler(logger_provider=provider)


if __name__ == "__main__":
    unittest.main(verbosity=2)

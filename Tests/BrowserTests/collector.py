"""The built `daybook serve` for the browser tests, and the OTLP records they send."""

import json
import os
import queue
import re
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

BINARY = os.environ.get("DAYBOOK_BINARY")


class Server:
    """`daybook serve` on its own port, over its own folder."""

    def __init__(self, folder, port=0, *more):
        """`more` are further arguments of `daybook serve`; alerts and boards are served if the folder has them."""
        self.folder = Path(folder)
        command = [
            BINARY, "serve", "--port", str(port), "--store", f"sqlite:{self.folder / 'daybook.sqlite'}",
            "--definitions", str(self.folder / "LogDefinitions"), "--checklists", str(self.folder / "LogChecklists"),
            *more,
        ]
        if (self.folder / "LogAlerts").is_dir():
            command += ["--alerts", str(self.folder / "LogAlerts"),
                        "--alerts-state", str(self.folder / "alerts.json"), "--secret", "DAYBOOK_TEST_WEBHOOK"]
        if (self.folder / "LogBoards").is_dir():
            command += ["--boards", str(self.folder / "LogBoards")]
        # Nothing listens where alerts are sent.
        environment = {**os.environ, "DAYBOOK_TEST_WEBHOOK": "http://127.0.0.1:9/"}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
        lines = queue.Queue()
        self.reader = threading.Thread(target=self._read, args=(lines,), daemon=True)
        self.reader.start()
        self.url = self._inspector_line(lines)
        self.origin, self.token = self.url.split("/#token=")
        self.port = int(self.origin.rsplit(":", 1)[1])

    def _read(self, lines):
        for line in self.process.stdout:
            lines.put(line)
        lines.put(None)

    def _inspector_line(self, lines):
        seen = []
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            try:
                line = lines.get(timeout=1)
            except queue.Empty:
                continue
            if line is None:
                break
            seen.append(line)
            found = re.search(r"Inspector: (http://127\.0\.0\.1:\d+/#token=[0-9a-f]{32})\s*$", line)
            if found:
                return found.group(1)
        self.stop()
        raise AssertionError(f"daybook serve printed no inspector line within 120 s: {seen}")

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def post(self, *records):
        self._send("logs", logs(*records))

    def post_lossy(self, *records, **dropped):
        """Records of a sender that reports losses, by reason."""
        stream = "0123456789abcdef" * 3
        told = {"daybook.stream": stream, "daybook.output": "otlp", "daybook.interval.after": 0,
                "daybook.interval.through": len(records)}
        told |= {f"daybook.dropped.{reason}": count for reason, count in dropped.items()}
        numbered = [{**record, "attributes": [*record["attributes"], attribute("log.record.uid", f"{stream}-{number}")]}
                    for number, record in enumerate(records, 1)]
        scope = {"attributes": [attribute(key, value) for key, value in told.items()]}
        self._send("logs", {"resourceLogs": [{"resource": {}, "scopeLogs": [{"scope": scope, "logRecords": numbered}]}]})

    def take(self, *records):
        """Imports records as NDJSON, as the page does."""
        return self._call("import", "".join(f"{json.dumps(record)}\n" for record in records).encode())

    def ask(self, path, **body):
        """The data of an answer of the inspector's API; a POST if it has a body."""
        return self._call(path, json.dumps(body).encode() if body else None)

    def finish(self, run):
        return self._call(f"runs/{run}/finish", b"")

    def sign_off(self, checklist, run=None, reason="known", **body):
        """Signs off a checklist or a run, with one reason for every open item."""
        query = "" if run is None else f"?run={run}"
        shown = next(one for one in self.ask(f"checklists{query}")["checklists"] if one["id"] == checklist)
        waivers = [{"item": f"{scenario['id']}/{item['id']}", "reason": reason}
                   for scenario in shown["scenarios"] for item in scenario["items"]
                   if item["state"] not in ("ok", "not_applicable")]
        waivers += [{"item": f"{scenario['id']}/0", "reason": reason} for scenario in shown["scenarios"]
                    if scenario["problem"]]
        return self.ask(f"checklists/{checklist}/signoff", waivers=waivers, **({} if run is None else {"run": run}), **body)

    def _call(self, path, body):
        request = urllib.request.Request(
            f"{self.origin}/api/v1/{path}", body, {"authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request, timeout=120) as response:
            return json.loads(response.read())["data"]

    def post_spans(self, *spans):
        scope = {"scope": {}, "spans": list(spans)}
        self._send("traces", {"resourceSpans": [{"resource": {}, "scopeSpans": [scope]}]})

    def _send(self, signal, body):
        request = urllib.request.Request(
            f"{self.origin}/v1/{signal}", json.dumps(body).encode(), {"content-type": "application/json"},
            method="POST")
        with urllib.request.urlopen(request, timeout=120) as response:
            assert response.status == 200, response.status


def logs(*records):
    """A request's body with these records."""
    return {"resourceLogs": [{"resource": {}, "scopeLogs": [{"scope": {}, "logRecords": list(records)}]}]}


def attribute(key, value):
    if isinstance(value, bool):
        return {"key": key, "value": {"boolValue": value}}
    if isinstance(value, int):
        return {"key": key, "value": {"intValue": str(value)}}
    return {"key": key, "value": {"stringValue": value}}


def event(name, **attributes):
    return {
        "timeUnixNano": str(time.time_ns()), "severityNumber": 9, "eventName": name,
        "attributes": [attribute(key, value) for key, value in attributes.items()],
    }


def request(method, url, status, milliseconds):
    start = time.time_ns()
    return {
        "traceId": "5b8aa5a2d2c872e8321cf37308d69df2", "spanId": f"{start % 16**16:016x}", "kind": 3, "name": method,
        "startTimeUnixNano": str(start), "endTimeUnixNano": str(start + milliseconds * 1_000_000),
        "attributes": [attribute("http.request.method", method), attribute("url.full", url),
                       attribute("http.response.status_code", status), attribute("attempt", 2)],
    }


def message(text, severity=9, **attributes):
    return {
        "timeUnixNano": str(time.time_ns()), "severityNumber": severity, "body": {"stringValue": text},
        "attributes": [attribute(key, value) for key, value in attributes.items()],
    }

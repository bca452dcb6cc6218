"""What an operator copies from `deploy/`: the service starts as docs/guides/operate.md says, and a running collector
has the metrics that the board and the rules name.

Needs DAYBOOK_BINARY. The service needs root for users and mounts of its own, and is skipped without.
"""

import json
import os
import re
import shlex
import shutil
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "BrowserTests"))
from collector import BINARY, Server, attribute, logs, message  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
UNIT = (DEPLOY / "daybook.service").read_text()
CREDENTIALS = "/run/credentials/daybook.service"


def made_key(file, *words):
    output = subprocess.check_output([BINARY, "keys", "add", "--keys", str(file), *words], text=True)
    return output.split()[-1]


def ask(url, key, body=None):
    """A response's status and text."""
    request = urllib.request.Request(
        url, None if body is None else json.dumps(body).encode(),
        {"content-type": "application/json", "authorization": f"Bearer {key}"})
    try:
        with urllib.request.urlopen(request, timeout=120) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def is_debian_12():
    file = Path("/etc/os-release")
    lines = file.read_text().splitlines() if file.exists() else []
    return "ID=debian" in lines and 'VERSION_ID="12"' in lines


class BoardTest(unittest.TestCase):
    def test_board_and_rules_name_metrics_and_labels_that_there_are(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "Examples" / "RecipeBox" / "LogDefinitions", Path(folder) / "LogDefinitions")
            for name in ("LogAlerts", "LogChecklists"):
                (Path(folder) / name).mkdir()
            (Path(folder) / "LogAlerts" / "any.md").write_text(
                "# Any\n\n```sql\nSELECT count(*) FROM records\n```\n\n- every 1h\n- when value > 0\n"
                "- notify http://127.0.0.1:9/\n")
            keys = Path(folder) / "keys"
            app = made_key(keys, "--requests-per-minute", "1", "ios-app")
            prometheus = made_key(keys, "--for", "metrics", "prometheus")
            server = Server(folder, 0, "--keys", str(keys))
            self.addCleanup(server.stop)
            stream = "0123456789abcdef" * 3
            told = {"daybook.stream": stream, "daybook.output": "otlp", "daybook.interval.after": 0,
                    "daybook.interval.through": 1, "daybook.dropped.disk_full": 2}
            record = message("hello")
            record["attributes"].append(attribute("log.record.uid", f"{stream}-1"))
            scope = {"attributes": [attribute(key, value) for key, value in told.items()]}
            batch = {"resourceLogs": [{"resource": {}, "scopeLogs": [{"scope": scope, "logRecords": [record]}]}]}
            statuses = [ask(f"{server.origin}/v1/logs", app, batch)[0] for _ in range(2)]
            self.assertEqual(statuses, [200, 429])
            server.ask("sql", sql="SELECT 1")
            # Metrics omit what a busy store does not answer in time.
            deadline = time.monotonic() + 120
            text = ""
            while "daybook_stream_lost_records_total" not in text and time.monotonic() < deadline:
                text = ask(f"{server.origin}/metrics", prometheus)[1]
        found = {}
        for line in text.splitlines():
            if sample := re.match(r"(daybook_\w+)(?:\{(.*)\})? ", line):
                labels = set(re.findall(r"(\w+)=\"", sample[2] or ""))
                found.setdefault(sample[1], set()).update(labels)
        declared = set(re.findall(r"# TYPE (daybook_\w+) ", text))
        board = json.loads((DEPLOY / "grafana.json").read_text())
        questions = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
        questions += re.findall(r"expr: (.*)", (DEPLOY / "daybook.rules.yml").read_text())
        self.assertGreater(len(questions), 15)
        for question in questions:
            for name in re.findall(r"daybook_\w+", question):
                self.assertIn(re.sub("_(bucket|sum|count)$", "", name), declared, question)
                for label in re.findall(r"by \(([^)]*)\)|(\w+)=\"", question):
                    for one in (label[0] or label[1]).replace(",", " ").split():
                        if one != "job":
                            self.assertIn(one, found.get(name, set()) | found.get(f"{name}_bucket", set()), question)


class ImageTest(unittest.TestCase):
    """The Dockerfile, which takes an engine and minutes to build."""

    PACKAGES = re.compile(r"apt-get install[^\n]* --no-install-recommends ((?:[\w.+-]+|\\\n|\s)+)")
    INSTALLED = PACKAGES.findall((DEPLOY / "Dockerfile").read_text())[-1].replace("\\\n", " ").split()

    def test_image_has_the_packages_that_the_guide_names(self):
        guide = (ROOT / "docs" / "guides" / "operate.md").read_text()
        named = self.PACKAGES.search(guide)[1].split()
        self.assertEqual(set(self.INSTALLED), {*named, "curl"})

    @unittest.skipUnless(is_debian_12() and shutil.which("readelf"), "the packages are Debian 12's")
    def test_image_has_each_library_that_the_command_links(self):
        answer = subprocess.check_output(["readelf", "--dynamic", BINARY], text=True)
        libraries = re.findall(r"\(NEEDED\) .*\[(.+)\]", answer)
        # An installed command links Swift's libraries statically, and the base image has these three packages.
        provided = {*self.INSTALLED, "libc6", "libgcc-s1", "libstdc++6"}
        checked = 0
        for library in libraries:
            found = subprocess.run(["dpkg-query", "--search", f"*/{library}"], capture_output=True, text=True).stdout
            owners = {name.strip() for name in re.findall(r"^([^:,]+)", found, re.M)}
            if owners:
                self.assertTrue(owners & provided, f"{library} is of {owners}")
                checked += 1
        self.assertGreater(checked, 6, libraries)

    def test_build_is_sent_each_folder_of_the_manifest(self):
        ignored = (ROOT / ".dockerignore").read_text().splitlines()
        sent = {line[1:] for line in ignored if line.startswith("!")}
        folders = re.findall(r'path: "(\w+)/', (ROOT / "Package.swift").read_text())
        self.assertIn("Benchmarks", folders)
        for name in {*folders, "Sources", "Tests", "Plugins", "Package.swift", "Makefile", "scripts/setup"}:
            self.assertIn(name, sent)


@unittest.skipUnless(os.geteuid() == 0 and sys.platform == "linux", "users and mounts of its own need root")
class ServiceTest(unittest.TestCase):
    def test_unit_is_one_that_systemd_takes(self):
        if shutil.which("systemd-analyze") is None:
            self.skipTest("systemd-analyze is not installed")
        with tempfile.TemporaryDirectory() as folder:
            unit = Path(folder) / "daybook.service"
            unit.write_text(UNIT.replace("/usr/local/bin/daybook", BINARY))
            answer = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, timeout=180)
            told = "\n".join(line for line in answer.stderr.splitlines() if "daybook.service" in line)
            self.assertEqual((answer.returncode, told), (0, ""), answer.stderr)

    def test_service_starts_from_the_sample_configuration_and_takes_a_request(self):
        command = re.search(r"ExecStart=(.*)", UNIT)[1]
        credentials = re.findall(r"LoadCredential=(\S+):(\S+)", UNIT)
        self.assertEqual([name for name, _ in credentials], ["cert.pem", "key.pem"])
        self.assertIn("User=daybook", UNIT)
        with tempfile.TemporaryDirectory() as folder:
            # What systemd and the guide set up for the service, in a mount namespace of its own: nothing on the machine
            # changes. `nobody` stands for the user daybook.
            script = f"""
set -euo pipefail
mount -t tmpfs tmpfs /var/lib && mount -t tmpfs tmpfs /run && mount -t tmpfs tmpfs /usr/local/bin
cp -L {shlex.quote(BINARY)} /usr/local/bin/daybook
mkdir -p /etc/daybook 2>/dev/null || true
mount -t tmpfs tmpfs /etc/daybook
install -d -o nobody -g nogroup -m 750 /var/lib/daybook
install -m 644 {shlex.quote(str(DEPLOY / 'daybook.conf'))} /etc/daybook/daybook.conf
sed -i 's/^listen = .*/listen = 127.0.0.1\\nport = 0/; s/^host = .*/host = logs.example/' /etc/daybook/daybook.conf
openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=logs.example -addext subjectAltName=IP:127.0.0.1 \
    -keyout /etc/daybook/key.pem -out /etc/daybook/cert.pem 2>/dev/null
chmod 600 /etc/daybook/key.pem
as() {{ setpriv --reuid=nobody --regid=nogroup --clear-groups --no-new-privs --inh-caps=-all -- "$@"; }}
as /usr/local/bin/daybook keys add --keys /var/lib/daybook/keys ios-app >/run/key
install -d -o nobody -g nogroup -m 500 {CREDENTIALS}
{"".join(f"install -o nobody -g nogroup -m 400 {source} {CREDENTIALS}/{name}{chr(10)}" for name, source in credentials)}
cp /run/key /etc/daybook/cert.pem "$1"
cd /var/lib/daybook
umask 077
exec setpriv --reuid=nobody --regid=nogroup --clear-groups --no-new-privs --inh-caps=-all -- {command}
"""
            process = subprocess.Popen(
                ["unshare", "-m", "bash", "-c", script, "bash", folder],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.addCleanup(process.stdout.close)
            try:
                told = []
                for line in process.stdout:
                    told.append(line)
                    if found := re.search(r"Inspector: (https://[\w.:]+)/", line):
                        break
                else:
                    self.fail(f"the service ended: {told}")
                port = int(found[1].rsplit(":", 1)[1])
                key = (Path(folder) / "key").read_text().split()[-1]
                trust = ssl.create_default_context(cafile=str(Path(folder) / "cert.pem"))
                request = urllib.request.Request(
                    f"https://127.0.0.1:{port}/v1/logs", json.dumps(logs(message("the first sender"))).encode(),
                    {"content-type": "application/json", "authorization": f"Bearer {key}"})
                with urllib.request.urlopen(request, timeout=120, context=trust) as response:
                    self.assertEqual(response.status, 200)
            finally:
                process.terminate()
                self.assertEqual(process.wait(120), 0, told)


if __name__ == "__main__":
    unittest.main()

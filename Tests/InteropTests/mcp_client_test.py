"""Queries `daybook mcp` with the Model Context Protocol's own client (the PyPI package mcp), over standard input and
output and over HTTP at /mcp. DAYBOOK_BINARY names the program.
"""

import asyncio
import importlib.util
import json
import os
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

BINARY = os.environ.get("DAYBOOK_BINARY")
DEFINITIONS = "# recipe\n\nRecipes.\n\n## show\n\nA recipe was shown.\n\n- recipe_id: !bigint\n- mail: !string 256 [private]\n"
CHECKLIST = "# release\n\n## recipes\n- [ ] recipe.show at least 2\n- [ ] never recipe.show where recipe_id = 1000\n"
ANSWER_LIMIT = 70_000


def missing():
    if not BINARY:
        return "DAYBOOK_BINARY is not set"
    return None if importlib.util.find_spec("mcp") else "the package mcp is not installed"


@unittest.skipIf(missing(), missing() or "")
class MCPClientTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in (("definitions/recipe.md", DEFINITIONS), ("checklists/release.md", CHECKLIST)):
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text(text, encoding="utf-8")
        lines = [
            {"tag": "recipe.show", "attributes": {"recipe_id": number, "mail": "cook@example.com", "text": "卵" * 2_000}}
            for number in range(100)
        ]
        self.run_tool("import", "--store", "a.sqlite", "-", input="".join(json.dumps(line) + "\n" for line in lines))

    def run_tool(self, *words, **options):
        done = subprocess.run(
            [BINARY, *words], cwd=self.folder, capture_output=True, text=True, timeout=180, check=True, **options)
        return done.stdout

    def serve(self):
        """A collector with keys; returns its address and a read key."""
        key = self.run_tool("keys", "add", "--keys", "keys.json", "--for", "read", "assistant").strip()
        self.sending = self.run_tool("keys", "add", "--keys", "keys.json", "app").strip()
        process = subprocess.Popen(
            [BINARY, "serve", "--port", "0", "--store", "a.sqlite", "--keys", "keys.json", "--definitions", "definitions",
             "--checklists", "checklists"],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        for line in process.stdout:
            if line.startswith("Inspector: "):
                return line.removeprefix("Inspector: ").split("/#")[0], key
        raise AssertionError("the collector did not start")

    async def over_stdio(self, words, environment, ask):
        from mcp import Client, StdioServerParameters

        server = StdioServerParameters(command=BINARY, args=["mcp", *words], env=environment, cwd=str(self.folder))
        async with Client(server) as client:
            return await ask(client)

    async def over_http(self, url, key, ask):
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client
        from mcp.shared._httpx_utils import create_mcp_http_client

        async with create_mcp_http_client(headers={"Authorization": f"Bearer {key}"}) as http:
            async with Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client:
                return await ask(client)

    async def look(self, session):
        self.assertEqual(session.server_info.name, "daybook")
        await session.send_ping()
        tools = {tool.name: tool.input_schema["properties"] for tool in (await session.list_tools()).tools}
        self.assertLessEqual(
            {"search_records", "get_record", "query_sql", "list_events", "get_event", "verify", "coverage"}, tools.keys())

        async def call(name, is_error=False, **arguments):
            result = await session.call_tool(name, arguments)
            text = result.content[0].text
            self.assertEqual(result.is_error, is_error, text)
            self.assertLessEqual(len(text.encode()), ANSWER_LIMIT)
            self.assertNotIn("cook@example.com", text)
            return text if is_error else json.loads(text)

        # Answers end at a number of bytes and can be continued.
        numbers, before = [], {}
        while True:
            page = await call("search_records", tag="recipe.*", limit=100, **before)
            numbers += [record["id"] for record in page["records"]]
            if page["next"] is None:
                break
            before = {"before": page["next"]}
        self.assertEqual(numbers, list(range(100, 0, -1)))
        found = await call("search_records", filter="recipe_id=1..3 -recipe_id=2", order="oldest")
        self.assertEqual([record["id"] for record in found["records"]], [2, 4])
        self.assertIn("column 1", await call("search_records", is_error=True, filter="(a"))
        # What answers a tool knows each of its parameters.
        values = {"kind": "event", "level": "info", "order": "oldest", "limit": 5, "since": "2026-01-01T00:00:00Z",
                  "until": "2027-01-01T00:00:00Z", "sql": "SELECT 1", "tag": "recipe.show", "checklist": "release"}
        for name, parameters in tools.items():
            required = {"get_record": {"id": 1}, "query_sql": {"sql": "SELECT 1"}, "get_event": {"tag": "recipe.show"}}.get(name, {})
            for parameter, schema in parameters.items():
                value = values.get(parameter, 1 if schema["type"] == "integer" else "1")
                answer = await session.call_tool(name, {**required, parameter: value})
                self.assertNotIn("no parameter", answer.content[0].text, f"{name}({parameter})")
        record = (await call("get_record", id=1))["record"]
        self.assertEqual(record["attributes"]["mail"], "[private]")
        answer = await call("query_sql", sql="SELECT count(*) AS n FROM records")
        self.assertEqual(answer["rows"], [[100]])
        await call("query_sql", sql="SELECT attributes FROM records LIMIT 500")
        self.assertIn("refused", await call("query_sql", is_error=True, sql="DELETE FROM records"))
        self.assertEqual([event["tag"] for event in (await call("list_events"))["events"]], ["recipe.show"])
        self.assertEqual((await call("get_event", tag="recipe.show"))["view"], "recipe__show")
        self.assertIn("recipe.show", await call("get_event", is_error=True, tag="recipe.shw"))
        verdict = (await call("verify", checklist="release"))["checklists"][0]
        self.assertEqual([item["state"] for item in verdict["items"]], ["ok", "ok"])
        self.assertIn("no parameter", await call("verify", is_error=True, private="show"))
        self.assertIn("`id` is a whole number", await call("get_record", is_error=True, id="one"))
        resources = {str(resource.uri) for resource in (await session.list_resources()).resources}
        self.assertEqual(resources, {"daybook://definitions/recipe", "daybook://checklists/release"})
        text = (await session.read_resource("daybook://checklists/release")).contents[0].text
        self.assertEqual(text, CHECKLIST)

    def test_the_protocols_own_client_looks_into_a_store(self):
        words = ["--store", "a.sqlite", "--definitions", "definitions", "--checklists", "checklists"]
        asyncio.run(self.over_stdio(words, {}, self.look))

    def test_the_protocols_own_client_looks_into_a_collector_by_command_and_by_address(self):
        url, key = self.serve()
        asyncio.run(self.over_stdio(["--collector", url], {"DAYBOOK_KEY": key}, self.look))
        asyncio.run(self.over_http(url, key, self.look))
        for wrong, status in ((self.sending, 403), ("nothing", 401)):
            request = urllib.request.Request(
                f"{url}/mcp", data=b"{}", headers={"authorization": f"Bearer {wrong}", "content-type": "application/json"})
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request, timeout=120)
            self.assertEqual(refused.exception.code, status)
            refused.exception.close()


if __name__ == "__main__":
    unittest.main()

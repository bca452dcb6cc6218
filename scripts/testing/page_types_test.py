"""The page's type check must find faults, and every module must be part of it."""

import json
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from page_types import check

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "Tests" / "BrowserTests" / "jsconfig.json"
MODULES = ROOT / "Sources" / "DaybookInspector" / "Assets" / "js"


def checked(script):
    """The check of one script, with the page's options and shapes."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "script.js").write_text(script, encoding="utf-8")
        config = Path(folder) / "jsconfig.json"
        include = ["script.js", *(str(CONFIG.parent / name) for name in ("types.d.ts", "api.d.ts"))]
        config.write_text(json.dumps({"extends": str(CONFIG), "include": include}), encoding="utf-8")
        return check(config)


class PageTypesTest(unittest.TestCase):
    @unittest.skipIf(shutil.which("tsc") is None, "tsc is not installed")
    def test_wrong_property_fails(self):
        script = "/** @param {LogRecord} record */\nexport function name(record) { return record.%s; }\n"
        self.assertEqual(checked(script % "tag").line(), "1 passed, 0 failed, 0 skipped")
        self.assertEqual(checked(script % "tagg").line(), "0 passed, 1 failed, 0 skipped")

    def test_every_module_is_checked(self):
        modules = list(MODULES.rglob("*.js"))
        self.assertGreater(len(modules), 50)
        for module in modules:
            text = module.read_text(encoding="utf-8")
            self.assertTrue(text.startswith("// @ts-check\n"), module)
            self.assertIsNone(re.search(r"@ts-(?:nocheck|ignore|expect-error)", text), module)


if __name__ == "__main__":
    unittest.main()

"""Which folders of the inspector's page may import which: only lower ones. Types in comments count too."""

import re
from pathlib import Path, PurePosixPath

from architecture import circles

PAGE = Path("Sources/DaybookInspector/Assets/js")

# From the bottom up. Folders of one layer do not import each other; the files beside the folders, `.`, start the page.
LAYERS = [
    {"texts"},
    {"base"},
    {"model"},
    {"charts", "export"},
    {"parts"},
    {"timeline"},
    {"alerts", "boards", "checklist", "dictionary", "history", "insights", "network", "releases", "sessions", "sql"},
    {"."},
]
LEVELS = {folder: level for level, layer in enumerate(LAYERS) for folder in layer}

IMPORT = re.compile(r'^import\b[^"]*"([^"]+)"|\bimport\("([^"]+)"\)', re.MULTILINE)


def imports(root):
    """Module → {imported module: the importing modules, which is itself}, by paths from the page's folder."""
    page = root / PAGE
    graph = {}
    for file in sorted(page.rglob("*.js")):
        module = file.relative_to(page).as_posix()
        graph[module] = {
            (file.parent / (static or typed)).resolve().relative_to(page.resolve()).as_posix(): [module]
            for static, typed in IMPORT.findall(file.read_text(encoding="utf-8"))
        }
    return graph


def folder(module):
    """A module's top-level folder in the page."""
    return PurePosixPath(module).parts[0] if "/" in module else "."


def complaints(root):
    """A complaint for each import between folders that does not lead down, and for each module that reaches itself."""
    graph = imports(Path(root))
    found = [
        f"{PAGE}/{name}: a folder without a layer: name it in scripts/testing/page_layers.py"
        for name in sorted({folder(module) for module in graph} - LEVELS.keys())
    ]
    for module, names in graph.items():
        for name in sorted(names):
            one, other = folder(module), folder(name)
            if one != other and LEVELS.get(other, -1) >= LEVELS.get(one, len(LAYERS)):
                found.append(
                    f"{PAGE}/{module}: {one} must not import {name}: a folder imports what stands below it"
                    " (what several screens share belongs to parts, charts or model)")
    return found + circles(graph)

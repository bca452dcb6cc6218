"""Draws docs/images/architecture.svg: each module where docs/images/architecture.json places it, and an arrow for each
import in the sources that does not follow from others. `make picture` runs it, and a test redraws the picture."""

import json
from pathlib import Path
from xml.sax.saxutils import escape

import architecture
from picture_routes import STEPS, Box, Routes

ROOT = Path(__file__).resolve().parents[2]
LAYOUT, PICTURE = ROOT / "docs/images/architecture.json", ROOT / "docs/images/architecture.svg"

COLUMNS, WIDTH = 12, 900
STEP = WIDTH / (COLUMNS * STEPS)
# From a column's edge to a box, from a box to its text, between rows, and between horizontal lines.
MARGIN, INSIDE, GAP, TRACK = 8, 8, 28, 10
# Text sizes, and the line height of a caption.
NAME, CAPTION, LABEL, LINE = 13, 11.5, 10, 14.5
# Colours in light and dark; those of groups are in the layout.
COLOURS = {"ground": ("#ffffff", "#131417"), "edge": ("#e3e2de", "#2a2d33"), "text": ("#1d1c1a", "#e8e8ea"),
           "muted": ("#5b5852", "#a9acb4")}
WIDTHS = ((" ijlI.,:;’|", 0.32), ("frtJ()/-", 0.42), ("cksvxyzL", 0.6), ("abdeghnopqu0123456789", 0.64),
          ("ABCEFKPRSTVXYZ", 0.7), ("wDGHNOQU", 0.82))
NOTES = ("imports; what follows from other arrows is left out", "Store is the module DaybookStore, and so on",
         "the path of a record, from the log call to the screen", "a C library, at the lowest module that calls it")


def text_width(text, size, is_bold=False):
    """A text's width in DejaVu Sans, the widest of the usual fonts, rounded up."""
    width = sum(next((width for marks, width in WIDTHS if mark in marks), 1) for mark in text)
    return width * size * (1.12 if is_bold else 1)


def wrapped(text, width):
    """A caption's lines: as few as fit, and as even as possible."""
    def filled(width):
        lines = [""]
        for word in text.split():
            if text_width(f"{lines[-1]} {word}", CAPTION) > width and lines[-1]:
                lines.append("")
            lines[-1] = f"{lines[-1]} {word}".strip()
        return lines

    def length(lines):
        return len(lines), max(text_width(line, CAPTION) for line in lines)

    return min((filled(narrower) for narrower in range(max(1, int(width)), 0, -4)), key=length)


def arrows(graph):
    """(module, imported module), without those reachable through another."""
    def reached(module):
        return set(graph[module]).union(*map(reached, graph[module]))

    return [(module, name) for module in sorted(graph) for name in sorted(graph[module])
            if not any(name in reached(other) for other in graph[module])]


def complaints(graph, layout):
    """What prevents drawing a layout."""
    modules, placed = layout["modules"], layout["modules"].keys() | layout["libraries"].keys()
    found = [f"{name} has no place: add its line to {LAYOUT.name}" for name in sorted(graph.keys() - placed)]
    found += [f"{name} has a place, but Sources has no such module: remove its line" for name in sorted(placed - graph.keys())]
    found += [f"{name} is on the path of a record, but has no place" for name in layout["path"] if name not in modules]
    found += [
        f"{module} imports {name}, which is not below it: arrows lead down" for module in sorted(graph.keys() & modules.keys())
        for name in sorted(graph[module].keys() & modules.keys()) if modules[module]["row"] >= modules[name]["row"]]
    rows = {place["row"] for place in modules.values()}
    found += [f"row {row} is empty" for row in range(max(rows)) if row not in rows]
    for name, place in modules.items():
        if not 0 <= place["from"] < place["to"] <= COLUMNS:
            found.append(f"{name} is not between 0 and {COLUMNS}")
        if place["group"] not in layout["groups"]:
            found.append(f"{name} is in the group {place['group']}, which has no colour")
        found += [
            f"{name} and {other} lie on each other" for other, its in modules.items()
            if name < other and place["row"] == its["row"] and place["from"] < its["to"] and its["from"] < place["to"]]
    return found


class Label:
    def __init__(self, text):
        self.text, self.width = text, round(text_width(text, LABEL) + 10, 1)

    def drawn(self, x, y):
        yield f'<rect class="label" x="{x:g}" y="{y:g}" width="{self.width:g}" height="15" rx="3"/>'
        yield f'<text class="library" x="{x + self.width / 2:g}" y="{y + 11:g}">{escape(self.text)}</text>'


class Card:
    """A module's box with name, caption and the C libraries that it calls: beside the name if they fit."""

    def __init__(self, box, place, labels, number):
        self.box, self.group, self.number = box, place["group"], number
        self.labels = [Label(text) for text in labels]
        self.name = box.name.removeprefix("Daybook") or box.name
        self.x, self.width = box.left * STEP + MARGIN, (box.right - box.left) * STEP - 2 * MARGIN
        room = self.width - 2 * INSIDE
        self.lines = wrapped(place["caption"], room)
        widths = [text_width(self.name, NAME, True), *(text_width(line, CAPTION) for line in self.lines)]
        self.labels_width = sum(label.width + 5 for label in self.labels)
        self.is_beside = widths[0] + self.labels_width <= room
        if max(*widths, 0 if self.is_beside else self.labels_width - 5) > room:
            raise SystemExit(f"{box.name} is too narrow for its text: widen it, or shorten the caption")
        self.height = 34 + LINE * len(self.lines) + (0 if self.is_beside else 18)

    def drawn(self, y, height):
        left, below = self.x + INSIDE, y + 30 + LINE * len(self.lines)
        yield f'<g class="{self.group}">'
        yield f'<rect class="box" x="{self.x:g}" y="{y:g}" width="{self.width:g}" height="{height:g}" rx="6"/>'
        yield f'<text class="name" x="{left:g}" y="{y + 20:g}">{escape(self.name)}</text>'
        for index, line in enumerate(self.lines, 1):
            yield f'<text class="caption" x="{left:g}" y="{y + 21.5 + LINE * index:g}">{escape(line)}</text>'
        if self.is_beside:
            left, below = self.x + self.width - INSIDE + 5 - self.labels_width, y + 8
        for label in self.labels:
            yield from label.drawn(left, below)
            left += label.width + 5
        if self.number:
            yield from drawn_number(self.number, self.x + 11, y)
        yield "</g>"


def drawn_number(number, x, y):
    yield f'<circle class="badge" cx="{x:g}" cy="{y:g}" r="8"/><text class="number" x="{x:g}" y="{y + 3.8:g}">{number}</text>'


def drawn_head(x, y):
    """An arrowhead that points down to a place."""
    return f'<path class="head" d="M{x - 4:g} {y - 8:g} L{x + 4:g} {y - 8:g} L{x:g} {y:g} Z"/>'


def rounded(points):
    """A path with round corners through points, each above, below or beside the previous one."""
    words = [f"M{points[0][0]:g} {points[0][1]:g}"]
    corners = [point for point, last, following in zip(points[1:], points, points[2:])
               if not last[0] == point[0] == following[0]]
    for (ax, ay), (x, y), (bx, by) in zip([points[0], *corners], corners, [*corners[1:], points[-1]]):
        before, after = abs(ax - x) + abs(ay - y), abs(bx - x) + abs(by - y)
        radius = min(5, before / 2, after / 2)
        words.append(f"L{x + (ax - x) * radius / before:g} {y + (ay - y) * radius / before:g}")
        words.append(f"Q{x:g} {y:g} {x + (bx - x) * radius / after:g} {y + (by - y) * radius / after:g}")
    return " ".join([*words, f"L{points[-1][0]:g} {points[-1][1]:g}"])


def drawn_arrows(routes, tops, bottoms, tracks, target):
    """All arrows to a module, on a band of the background colour, so that arrows that they cross pass below."""
    lines, heads = [], []
    for (source, name), path in routes.paths.items():
        if name == target.name:
            points, row = [], routes.boxes[source].row
            for row, (start, end) in enumerate(zip(path, path[1:]), row):
                track = bottoms[row] + GAP / 2 - 3 + TRACK * tracks[row].get(name, 0)
                points += [(start * STEP, bottoms[row]), (start * STEP, track), (end * STEP, track), (end * STEP, tops[row + 1])]
            if row + 1 == target.row:
                heads.append(drawn_head(*points[-1]))
                points[-1] = points[-1][0], points[-1][1] - 6
            lines.append(rounded([point for point, last in zip(points, [None, *points]) if point != last]))
    yield from (f'<path class="band" d="{line}"/>' for line in lines)
    yield from (f'<path class="line" d="{line}"/>' for line in lines)
    yield from heads


def drawn_legend(groups, y):
    """What the colours, arrows, numbers and labels mean."""
    def note(index, x, y):
        return f'<text class="caption" x="{x:g}" y="{y:g}">{escape(NOTES[index])}</text>'

    x, second = MARGIN, 470
    for group, (words, *_) in groups.items():
        yield f'<rect class="{group} box" x="{x:g}" y="{y:g}" width="14" height="12" rx="3"/>'
        yield f'<text class="caption" x="{x + 20:g}" y="{y + 10:g}">{escape(words)}</text>'
        x += 32 + text_width(words, CAPTION)
    yield f'<g class="{next(iter(groups))}"><path class="line" d="M16 {y + 22:g} V{y + 30:g}"/>{drawn_head(16, y + 36)}'
    yield from [note(0, 32, y + 33), note(1, second, y + 33), note(2, 32, y + 56)]
    yield from drawn_number(1, 16, y + 52)
    label = Label("zlib")
    yield from label.drawn(second, y + 45)
    yield note(3, second + label.width + 6, y + 56) + "</g>"


def style(groups):
    """The rules of both themes. The picture has its own background: it may be dark on a light page."""
    def themed(theme):
        ground, edge, text, muted = (pair[theme] for pair in COLOURS.values())
        yield f".ground {{ fill: {ground}; stroke: {edge} }} .band {{ stroke: {ground} }} .number {{ fill: {ground} }}"
        yield f".name {{ fill: {text} }} .caption, .library {{ fill: {muted} }}"
        for group, (_, *pair) in groups.items():
            yield f".{group} rect, rect.{group}, .{group} .head, .{group} .badge {{ fill: {pair[theme]} }}"
            yield f".{group} rect, rect.{group}, .{group} .line {{ stroke: {pair[theme]} }}"

    return "\n".join([
        "text { font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif }",
        f".name {{ font-size: {NAME}px; font-weight: 600 }} .caption {{ font-size: {CAPTION}px }}",
        f".library {{ font-size: {LABEL}px; text-anchor: middle }}",
        ".number { font-size: 10.5px; font-weight: 700; text-anchor: middle }",
        ".line { fill: none; stroke-width: 1.5 } .band { fill: none; stroke-width: 6 }",
        ".box { fill-opacity: .09; stroke-opacity: .6 }",
        ".label { fill-opacity: .1; stroke-opacity: .35; stroke-width: .75 }",
        *themed(0), "@media (prefers-color-scheme: dark) {", *themed(1), "}"])


def draw(graph, layout):
    """The picture, as its file's text."""
    if found := complaints(graph, layout):
        raise SystemExit("\n".join(found))
    modules, libraries, path = layout["modules"], layout["libraries"], layout["path"]
    boxes = {name: Box(name, place) for name, place in modules.items()}
    edges = arrows(graph)
    routes = Routes(boxes, [(module, name) for module, name in edges if name in boxes], COLUMNS)
    cards = [
        Card(box, modules[name], [libraries[other] for module, other in edges if module == name and other in libraries],
             path.index(name) + 1 if name in path else None)
        for name, box in boxes.items()]
    tops, bottoms, tracks, y = [], [], [], 18
    for row in range(1 + max(box.row for box in boxes.values())):
        tops.append(y)
        bottoms.append(y + max(card.height for card in cards if card.box.row == row))
        tracks.append(routes.tracks(row))
        y = bottoms[-1] + GAP + TRACK * max(tracks[-1].values(), default=0)
    lines = []
    for name, box in boxes.items():
        lines += [f'<g class="{modules[name]["group"]}">', *drawn_arrows(routes, tops, bottoms, tracks, box), "</g>"]
    for card in cards:
        lines += card.drawn(tops[card.box.row], bottoms[card.box.row] - tops[card.box.row])
    height = bottoms[-1] + 92
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}" role="img">',
        "<!-- Drawn by `make picture`: a change here would be lost. -->",
        "<title>The modules of Daybook, and which imports which</title>", f"<style>\n{style(layout['groups'])}\n</style>",
        f'<rect class="ground" x=".5" y=".5" width="{WIDTH - 1}" height="{height - 1:g}" rx="8"/>',
        *lines, *drawn_legend(layout["groups"], bottoms[-1] + 16), "</svg>"]) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(draw(architecture.imports(ROOT), json.loads(LAYOUT.read_text(encoding="utf-8"))), encoding="utf-8")

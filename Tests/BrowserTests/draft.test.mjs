import assert from "node:assert/strict";
import test from "node:test";
import { added, emptyText, fileName, moved, nameOf, newHeading, removed, withHeading } from "../../Sources/DaybookInspector/Assets/js/checklist/draft.js";

/** The parser's outline of such a simple text. */
function outline(markdown) {
    const scenarios = [];
    let item = null;
    markdown.split("\n").forEach((text, index) => {
        const line = text.replace(/\r$/, "");
        const heading = /^## (.*)/.exec(line);
        const box = /^(?:-|\d+\.) \[.\] (.*)/.exec(line);
        if (heading) {
            scenarios.push({ name: heading[1], line: index + 1, items: [] });
            item = null;
        } else if (box) {
            item = { text: box[1], line: index + 1, end: index + 1, manual: false };
            scenarios.at(-1).items.push(item);
        } else if (item && /^\s+\S/.test(line)) item.end = index + 1;
    });
    return scenarios;
}
const at = (scenario, item) => ({ scenario, item });
const text = "# t\n\n## a\nprose\n- [ ] one\n    - x = 1\n- [x] two\n- [ ] three\n\n## b\n\n## c\n1. [ ] first\n2. [ ] second\n";
const apply = (change, ...words) => change(text, outline(text), ...words);

test("an item moves with what is nested in it, and every other line stays", () => {
    assert.equal(apply(moved, at(0, 0), at(0, 2)), text.replace("- [ ] one\n    - x = 1\n- [x] two\n", "- [x] two\n- [ ] one\n    - x = 1\n"));
    assert.equal(apply(moved, at(0, 2), at(0, 0)), text.replace("- [ ] three\n", "").replace("- [ ] one", "- [ ] three\n- [ ] one"));
    assert.equal(apply(moved, at(0, 1), at(0, 1)), text);
    assert.equal(apply(moved, at(0, 1), at(0, 2)), text);
});

test("an item moves into another scenario, an empty one too, apart from its heading", () => {
    const other = apply(moved, at(0, 1), at(1, 0));
    assert.ok(other.includes("- [ ] three\n\n## b\n\n- [x] two\n\n## c"));
    assert.deepEqual(outline(other).map(({ items }) => items.length), [2, 1, 2]);
    assert.deepEqual(outline(apply(moved, at(2, 0), at(0, 3))).map(({ items }) => items.map((item) => item.text)),
        [["one", "two", "three", "first"], [], ["second"]]);
});

test("numbers keep their places when numbered items change theirs", () => {
    assert.ok(apply(moved, at(2, 1), at(2, 0)).endsWith("## c\n1. [ ] second\n2. [ ] first\n"));
});

test("an item is taken out with what is nested in it", () => {
    assert.equal(apply(removed, at(0, 0)), text.replace("- [ ] one\n    - x = 1\n", ""));
});

test("an item is added behind the last, apart from a numbered list and from a heading", () => {
    assert.ok(apply(added, 0, " a.b  at least 2\n").includes("- [ ] three\n- [ ] a.b at least 2\n\n## b"));
    assert.ok(apply(added, 1, "a.b").includes("## b\n\n- [ ] a.b\n\n## c"));
    assert.ok(apply(added, 2, "a.b").endsWith("2. [ ] second\n\n- [ ] a.b\n"));
    assert.equal(added("# t\n\n## a\n\n", [], 0, "x.y"), "# t\n\n## a\n\n- [ ] x.y\n\n");
    assert.equal(added("# t\n\n## a", outline("# t\n\n## a"), 0, "x.y"), "# t\n\n## a\n\n- [ ] x.y\n");
});

test("lines end as they did", () => {
    const windows = text.replaceAll("\n", "\r\n");
    for (const change of [() => added(windows, outline(windows), 1, "a.b"), () => moved(windows, outline(windows), at(0, 0), at(1, 0))]) {
        assert.equal(change().replaceAll("\r\n", "").includes("\n"), false);
    }
});

test("a new checklist's heading is its name until somebody writes another", () => {
    const named = withHeading(emptyText(), newHeading, "Release $& 4");
    assert.equal(named, emptyText().replace(newHeading, () => "Release $& 4"));
    assert.equal(withHeading(named, "Release $& 4", "feed"), emptyText().replace(newHeading, "feed"));
    assert.equal(withHeading("# my own\n\n## a\n", newHeading, "feed"), "# my own\n\n## a\n");
    assert.equal(withHeading("", newHeading, "feed"), "");
});

test("a file is called as it was named, or after its whole heading", () => {
    for (const name of ["feed", "feed.md", " feed.MD ", "feed.markdown", "feed.txt"]) assert.equal(fileName(name), "feed");
    assert.equal(fileName("4.12"), "4.12");
    for (const [markdown, name] of [
        ["# Release 4.12\n", "Release 4.12"], ["# 検索 画面 #\n", "検索 画面"], ["# \"feed\" / iOS\n", "feed- - iOS"],
        ["## only a scenario\n", "checklist"], ["# ..\n", "checklist"], ["", "checklist"],
    ]) assert.equal(nameOf(markdown), name);
});

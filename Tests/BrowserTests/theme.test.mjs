import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import test from "node:test";

const assets = new URL("../../Sources/DaybookInspector/Assets/", import.meta.url);
const css = readFileSync(new URL("css/theme.css", assets), "utf8");
const colours = (text) => Object.fromEntries([...text.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)]
    .map((match) => [match[1], match[2]]));
const [lightText, darkText] = css.split("@media (prefers-color-scheme: dark)");
const light = colours(lightText);
const dark = colours(darkText.split("@media")[0]);

/** WCAG 2.2, relative luminance and contrast ratio. */
function luminance(colour) {
    const [red, green, blue] = [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16) / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
    const [bright, dim] = [luminance(one), luminance(other)].sort((left, right) => right - left);
    return (bright + 0.05) / (dim + 0.05);
}

for (const [name, theme] of [["light", light], ["dark", dark]]) {
    test(`text and kinds are readable in the ${name} theme`, () => {
        for (const text of ["text", "muted", "accent", "event", "message", "error", "span", "request", "run", "warning",
            "good"]) {
            for (const ground of ["ground", "panel", "hover", "chosen"]) {
                const ratio = contrast(theme[text], theme[ground]);
                assert.ok(ratio >= 4.5, `${text} on ${ground}: ${ratio.toFixed(2)}`);
            }
        }
        for (const [text, ground] of [["on-accent", "accent"], ["warning", "warning-ground"],
            ["error", "error-ground"]]) {
            assert.ok(contrast(theme[text], theme[ground]) >= 4.5, `${text} on ${ground}`);
        }
    });
}

test("both themes name the same colours", () => {
    assert.deepEqual(Object.keys(dark).sort(), Object.keys(light).sort());
});

test("every script parses, and none builds markup from text or carries inline style", () => {
    const scripts = readdirSync(assets, { recursive: true }).filter((name) => name.endsWith(".js"));
    assert.ok(scripts.length > 15);
    for (const name of scripts) {
        const path = fileURLToPath(new URL(name, assets));
        const checked = spawnSync(process.execPath, ["--check", path], { encoding: "utf8" });
        assert.equal(checked.status, 0, checked.stderr);
        assert.doesNotMatch(readFileSync(path, "utf8"),
            /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|https?:\/\/(?!www\.w3\.org\/2000\/svg)/, name);
    }
    const page = readFileSync(new URL("index.html", assets), "utf8");
    assert.doesNotMatch(page, /<style|style=|<script(?![^>]*src=)|\son\w+=/);
});

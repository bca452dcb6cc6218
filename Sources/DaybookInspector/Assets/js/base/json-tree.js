// @ts-check
// A JSON value as a tree that opens level by level, with search, and copies of any node or its path.

import { copyText } from "./bridge.js";
import { searchBox, searchField } from "./controls.js";
import { foreign, h, icon } from "./dom.js";
import { cut, folded } from "./format.js";

const mostChildren = 500;
const longestText = 5_000;
const searchPause = 150;
const copiedTime = 3_000;
const mostFound = 200;
const mostVisited = 200_000;

/** @typedef {(string | number)[]} JsonPath */

/**
 * What is common to a whole tree.
 * @typedef {object} Tree
 * @property {Translate} t
 * @property {Set<string>} opened the paths of the nodes that a search opens
 * @property {string} [words] what is searched for, folded
 */

/** @param {Json} value @param {Translate} t @param {number} [open] how many levels are open at first */
export function jsonTree(value, t, open = 1) { return node({ t, opened: new Set() }, value, [], open); }

/** @param {Json} value @param {Translate} t @param {number} [open] */
export function searchableTree(value, t, open = 1) {
    const place = h("div", { class: "tree" }, jsonTree(value, t, open));
    const count = h("span", { class: "muted", role: "status" });
    const search = (/** @type {string} */ typed) => {
        const words = folded(typed);
        const { paths, isCut } = words === "" ? { paths: [], isCut: false } : found(value, words);
        // Opens the way to each match, and nothing else.
        const opened = new Set(paths.flatMap((path) => path.map((_, index) => pathText(path.slice(0, index)))));
        place.replaceChildren(words === "" ? jsonTree(value, t, open) : node({ t, opened, words }, value, [], 0));
        count.textContent = words === "" ? "" : isCut ? t("json.foundMore", { n: paths.length })
            : t("json.found", { n: paths.length });
        place.querySelector("mark")?.scrollIntoView({ block: "nearest" });
    };
    return h("div", null, h("div", { class: "line treesearch" },
        searchBox(searchField(t("json.search"), searchPause, search)), count), place);
}

/** @param {Tree} tree @param {Json} value @param {JsonPath} path @param {number} open @returns {HTMLElement} */
function node(tree, value, path, open) {
    const name = path.at(-1);
    const label = name === undefined ? null
        : [text(String(name), "key", tree.words), h("span", { class: "punctuation" }, ": ")];
    if (value === null || typeof value !== "object") {
        const type = value === null ? "null" : typeof value;
        const shown = typeof value === "string" ? JSON.stringify(cut(value, longestText)) : String(value);
        return h("div", { class: "leaf" }, label, text(shown, `json ${type}`, tree.words), tools(tree.t, value, path));
    }
    const entries = entriesOf(value);
    const [opening, closing] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
    if (entries.length === 0) {
        return h("div", { class: "leaf" }, label, h("span", { class: "punctuation" }, opening + closing));
    }
    const children = h("div", { class: "children" });
    const fill = () => {
        if (children.hasChildNodes()) return;
        for (const [key, child] of entries.slice(0, mostChildren)) {
            children.append(node(tree, child, [...path, key], open - 1));
        }
        const rest = entries.length - mostChildren;
        if (rest > 0) children.append(h("div", { class: "leaf muted" }, tree.t("json.more", { n: rest })));
    };
    const details = h("details", { class: "node", on: { toggle() { if (details.open) fill(); } } },
        h("summary", null, label, h("span", { class: "punctuation" }, `${opening} ${entries.length} ${closing}`),
            tools(tree.t, value, path)),
        children);
    if (open > 0 || tree.opened.has(pathText(path))) {
        fill();
        details.open = true;
    }
    return details;
}

/** @param {string} content @param {string} className @param {string} [words] */
function text(content, className, words) {
    const start = words ? content.toLowerCase().indexOf(words) : -1;
    if (!words || start < 0) return foreign(content, className);
    const end = start + words.length;
    return h("bdi", { class: className }, content.slice(0, start), h("mark", null, content.slice(start, end)),
        content.slice(end));
}

/** Two small buttons, shown on hover and focus: copy the value, copy its path.
 * @param {Translate} t @param {Json} value @param {JsonPath} path */
function tools(t, value, path) {
    return h("span", { class: "tools" },
        tool(t, t("json.copyValue"), "copy", () =>
            (typeof value === "string" ? value : JSON.stringify(value, null, 2))),
        path.length > 0 ? tool(t, t("json.copyPath"), "link", () => pathText(path)) : null);
}

/** @param {Translate} t @param {string} label @param {string} picture @param {() => string} content */
function tool(t, label, picture, content) {
    const show = (/** @type {string} */ words, /** @type {string} */ drawing) => {
        element.replaceChildren(icon(drawing));
        element.setAttribute("aria-label", words);
    };
    const element = h("button", { class: "tool", type: "button", title: label, "aria-label": label,
        on: { async click(event) {
            event.preventDefault();
            await copyText(content());
            show(t("copy.done"), "check");
            setTimeout(() => show(label, picture), copiedTime);
        } } }, icon(picture));
    return element;
}

/** @param {Json[] | JsonObject} value @returns {[string | number, Json][]} */
function entriesOf(value) {
    return Array.isArray(value) ? value.map((one, index) => [index, one]) : Object.entries(value);
}

/** `a.b[2]["odd key"]`: the path as in code.
 * @param {JsonPath} path */
export function pathText(path) {
    return path.map((part, index) => (typeof part === "number" ? `[${part}]`
        : /^[A-Za-z_$][\w$]*$/.test(part) ? (index > 0 ? "." : "") + part : `[${JSON.stringify(part)}]`)).join("");
}

/** The paths whose key or value contains `words` (folded), in order, up to a limit.
 * @param {Json} value @param {string} words */
export function found(value, words) {
    /** @type {JsonPath[]} */
    const paths = [];
    let visited = 0;
    const visit = (/** @type {Json} */ current, /** @type {JsonPath} */ path) => {
        visited += 1;
        if (paths.length >= mostFound || visited > mostVisited) return;
        const name = path.at(-1);
        const isLeaf = current === null || typeof current !== "object";
        if ((typeof name === "string" && folded(name).includes(words))
            || (isLeaf && folded(String(current)).includes(words))) paths.push(path);
        if (isLeaf) return;
        for (const [key, child] of entriesOf(current)) visit(child, [...path, key]);
    };
    visit(value, []);
    return { paths, isCut: paths.length >= mostFound || visited > mostVisited };
}

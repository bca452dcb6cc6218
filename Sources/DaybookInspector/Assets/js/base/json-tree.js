// A JSON value as a tree that opens a level at a time, with search, and copies of any node or its path.

import { copyText } from "./bridge.js";
import { foreign, h, icon } from "./dom.js";
import { cut, folded } from "./format.js";
import { found, pathText } from "../model/json-path.js";

const mostChildren = 500;
const longestText = 5_000;
const searchPause = 150;
const copiedTime = 3_000;

/** `open`: how many levels are open at first. */
export function jsonTree(value, t, open = 1) { return node(value, { t, open, path: [], name: null, opened: new Set() }); }

/** The tree with its search field. `value()` is asked again at each search. */
export function searchableTree(value, t, open = 1) {
    const place = h("div", { class: "tree" }, jsonTree(value, t, open));
    const count = h("span", { class: "muted", role: "status" });
    let timer;
    const search = () => {
        const words = folded(field.value.trim());
        const { paths, isCut } = words === "" ? { paths: [] } : found(value, words);
        // Every step towards a match is opened, and no other.
        const opened = new Set(paths.flatMap((path) => path.map((_, index) => pathText(path.slice(0, index)))));
        place.replaceChildren(words === "" ? jsonTree(value, t, open)
            : node(value, { t, open: 0, path: [], name: null, opened, words }));
        count.textContent = words === "" ? "" : isCut ? t("json.foundMore", { n: paths.length })
            : t("json.found", { n: paths.length });
        place.querySelector("mark")?.scrollIntoView({ block: "nearest" });
    };
    const field = h("input", {
        class: "field", type: "search", placeholder: t("json.search"), "aria-label": t("json.search"),
        autocomplete: "off", spellcheck: "false",
        on: { input: () => {
            clearTimeout(timer);
            timer = setTimeout(search, searchPause);
        } },
    });
    return h("div", null, h("div", { class: "line treesearch" },
        h("div", { class: "searchbox" }, icon("search"), field), count), place);
}

function node(value, { t, open, path, name, opened, words }) {
    const label = name === null ? null : [text(name, "key", words), h("span", { class: "punctuation" }, ": ")];
    if (value === null || typeof value !== "object") {
        const type = value === null ? "null" : typeof value;
        const shown = type === "string" ? JSON.stringify(cut(value, longestText)) : String(value);
        return h("div", { class: "leaf" }, label, text(shown, `json ${type}`, words), tools(value, path, t));
    }
    const isArray = Array.isArray(value);
    const entries = Object.entries(value);
    const [opening, closing] = isArray ? ["[", "]"] : ["{", "}"];
    if (entries.length === 0) {
        return h("div", { class: "leaf" }, label, h("span", { class: "punctuation" }, opening + closing));
    }
    const children = h("div", { class: "children" });
    const fill = () => {
        if (children.hasChildNodes()) return;
        for (const [key, child] of entries.slice(0, mostChildren)) {
            children.append(node(child, { t, open: open - 1, path: [...path, isArray ? Number(key) : key], name: key,
                opened, words }));
        }
        const rest = entries.length - mostChildren;
        if (rest > 0) children.append(h("div", { class: "leaf muted" }, t("json.more", { n: rest })));
    };
    const details = h("details", { class: "node", on: { toggle: () => { if (details.open) fill(); } } },
        h("summary", null, label, h("span", { class: "punctuation" }, `${opening} ${entries.length} ${closing}`),
            tools(value, path, t)),
        children);
    if (open > 0 || opened.has(pathText(path))) {
        fill();
        details.open = true;
    }
    return details;
}

/** Text with the part that the search is about marked. */
function text(content, className, words) {
    const start = words ? content.toLowerCase().indexOf(words) : -1;
    if (start < 0) return foreign(content, className);
    const end = start + words.length;
    return h("bdi", { class: className }, content.slice(0, start), h("mark", null, content.slice(start, end)),
        content.slice(end));
}

/** Two small buttons that show on pointing and on focus: the value, and the path to it. */
function tools(value, path, t) {
    const button = (label, picture, content) => {
        const element = h("button", { class: "tool", type: "button", title: label, "aria-label": label,
            on: { click: async (event) => {
                event.preventDefault();
                await copyText(content());
                element.replaceChildren(icon("check"));
                element.setAttribute("aria-label", t("copy.done"));
                setTimeout(() => {
                    element.replaceChildren(icon(picture));
                    element.setAttribute("aria-label", label);
                }, copiedTime);
            } } }, icon(picture));
        return element;
    };
    return h("span", { class: "tools" },
        button(t("json.copyValue"), "copy", () => (typeof value === "string" ? value : JSON.stringify(value, null, 2))),
        path.length > 0 ? button(t("json.copyPath"), "link", () => pathText(path)) : null);
}

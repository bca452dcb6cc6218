// A JSON value as a tree that opens a level at a time.

import { foreign, h } from "./dom.js";
import { cut } from "./format.js";

const mostChildren = 500;
const longestText = 5_000;

/** `open`: how many levels are open at first. */
export function jsonTree(value, t, open = 1, name = null) {
    const label = name === null ? null : [foreign(name, "key"), h("span", { class: "punctuation" }, ": ")];
    if (value === null || typeof value !== "object") {
        const type = value === null ? "null" : typeof value;
        const text = type === "string" ? JSON.stringify(cut(value, longestText)) : String(value);
        return h("div", { class: "leaf" }, label, foreign(text, `json ${type}`));
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
        for (const [key, child] of entries.slice(0, mostChildren)) children.append(jsonTree(child, t, open - 1, key));
        const rest = entries.length - mostChildren;
        if (rest > 0) children.append(h("div", { class: "leaf muted" }, t("json.more", { n: rest })));
    };
    const details = h("details", { class: "node", on: { toggle: () => { if (details.open) fill(); } } },
        h("summary", null, label, h("span", { class: "punctuation" }, `${opening} ${entries.length} ${closing}`)),
        children);
    if (open > 0) {
        fill();
        details.open = true;
    }
    return details;
}

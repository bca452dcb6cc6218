// The parts that the side panes share.

import { h, icon } from "./dom.js";

/** The bar above a pane: a way back where panes are stacked, a way to close it where they are not. */
export function paneTop(t, title, close) {
    const button = (name, label, picture) => h("button", {
        class: `button icononly ${name}`, type: "button", "aria-label": label, on: { click: close },
    }, icon(picture));
    return h("header", { class: "panetop" },
        button("back", t("detail.back"), "back"),
        h("span", { class: "panetitle" }, title),
        button("shut", t("detail.close"), "close"));
}

export function section(title, ...content) {
    return h("section", { class: "section" }, h("h3", null, title), content);
}

export function fold(title, content, isOpen = false) {
    return h("details", { class: "fold", open: isOpen }, h("summary", null, title), content);
}

/** A field under its name. */
export function labelled(words, field) {
    return h("label", { class: "labelled" }, h("span", { class: "muted" }, words), field);
}

/** A column's type, and whether it may be left out. */
export function typeOf(t, column) {
    return h("span", { class: "type" }, h("bdi", null, column.type), column.optional ? ` ${t("column.optional")}` : "");
}

export function badge(text, level = null) {
    return h("span", { class: "badge", "data-level": level }, text);
}

/** Brings the chosen entry of a list into view. */
export function revealCurrent(list) {
    list.querySelector("[aria-current=true], [aria-selected=true]")?.scrollIntoView({ block: "nearest" });
}

export function scrollToEdge(list, isLast) { list.scrollTop = isLast ? list.scrollHeight : 0; }

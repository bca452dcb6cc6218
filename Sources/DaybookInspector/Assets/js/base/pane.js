// @ts-check
// What panes are made of.

import { iconButton, quietButton, textButton } from "./controls.js";
import { foreign, h, icon } from "./dom.js";
import { cut } from "./format.js";

/** The bar above a pane: with a way back where panes are stacked, otherwise with a way to close.
 * @param {Translate} t @param {Child} title @param {() => unknown} close */
export function paneTop(t, title, close) {
    return h("header", { class: "panetop" },
        iconButton("back", t("detail.back"), icon("back"), close, { title: null }),
        h("span", { class: "panetitle" }, title),
        iconButton("shut", t("detail.close"), icon("close"), close, { title: null }));
}

/** @param {Child} title @param {...Child} content */
export function section(title, ...content) {
    return h("section", { class: "section" }, h("h3", null, title), content);
}

/** @param {Child} title @param {Child} content */
export function fold(title, content, isOpen = false) {
    return h("details", { class: "fold", open: isOpen }, h("summary", null, title), content);
}

/** Names and facts; a name without a fact is left out.
 * @param {(readonly [Child, Child])[]} pairs */
export function factList(pairs) {
    return h("dl", { class: "facts" }, pairs.map(([label, fact]) => fact === null || fact === undefined || fact === ""
        ? null : [h("dt", null, label), h("dd", null, fact)]));
}

/** @param {string | number | null} text */
export function fact(text) { return text === null || text === "" ? null : foreign(text); }

/** Shown in place of a list that is empty or failed to load.
 * @param {string} title @param {string | null} words @param {...Child} more */
export function notice(title, words, ...more) {
    return h("div", { class: "notice" }, noticeContent(title, words, more));
}

/** @param {string} title @param {string | null} words @param {...Child} more */
export function noticeContent(title, words, ...more) {
    return [h("h2", null, title), words && h("p", null, words), more];
}

/** What a pane shows before anything is selected.
 * @param {string | null} words */
export function hint(words) { return h("div", { class: "hint" }, h("p", null, words)); }

/** @param {Translate} t @param {Error} failure @param {() => unknown} retry */
export function failureNotice(t, failure, retry) {
    return notice(t("error.title"), failure.message, textButton(t("error.retry"), retry));
}

/** A column's type, and whether it is optional.
 * @param {Translate} t @param {ColumnDefinition} column */
export function typeOf(t, column) {
    return h("span", { class: "type" }, h("bdi", null, column.type), column.optional ? ` ${t("column.optional")}` : "");
}

/** @param {Child} text @param {string | null} [level] @param {string} [title] */
export function badge(text, level, title) { return h("span", { class: "badge", "data-level": level, title }, text); }

// Browsers take seconds to lay out megabytes of text.
const firstPart = 4_000;
const nextPart = 100_000;

/** Text of any length: its beginning, and a button that shows more. Copies and files always have all of it.
 * @param {Translate} t @param {string} text @param {string} [className] */
export function longText(t, text, className) {
    if (text.length <= firstPart) return foreign(text, className);
    let shown = firstPart;
    const field = foreign(cut(text, shown), className);
    const label = () => (shown + nextPart < text.length ? t("detail.more", { n: nextPart, all: text.length })
        : t("detail.whole", { n: text.length }));
    const button = quietButton(label(), () => {
        shown += nextPart;
        field.textContent = cut(text, shown);
        if (shown < text.length) button.textContent = label();
        else button.remove();
    });
    return [field, button];
}

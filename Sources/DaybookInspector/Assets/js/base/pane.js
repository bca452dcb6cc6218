// @ts-check
// The parts that panes and dialogs share.

import { foreign, h, holdFocus, icon } from "./dom.js";
import { cut } from "./format.js";

/**
 * The bar above a pane: a way back where panes are stacked, a way to close it where they are not.
 * @param {Translate} t
 * @param {Child} title
 * @param {() => unknown} close
 */
export function paneTop(t, title, close) {
    return h("header", { class: "panetop" },
        iconButton("back", t("detail.back"), "back", close),
        h("span", { class: "panetitle" }, title),
        iconButton("shut", t("detail.close"), "close", close));
}

/**
 * @param {string} name
 * @param {string} label
 * @param {string} picture
 * @param {() => unknown} click
 */
function iconButton(name, label, picture, click) {
    return h("button", { class: `button icononly ${name}`, type: "button", "aria-label": label, on: { click } }, icon(picture));
}

/**
 * @param {Child} title
 * @param {...Child} content
 */
export function section(title, ...content) {
    return h("section", { class: "section" }, h("h3", null, title), content);
}

/**
 * @param {Child} title
 * @param {Child} content
 */
export function fold(title, content, isOpen = false) {
    return h("details", { class: "fold", open: isOpen }, h("summary", null, title), content);
}

/**
 * Names beside what is known; where nothing is, the name is left out.
 * @param {(readonly [Child, Child])[]} pairs
 */
export function factList(pairs) {
    return h("dl", { class: "facts" }, pairs.map(([label, fact]) => fact === null || fact === undefined || fact === ""
        ? null : [h("dt", null, label), h("dd", null, fact)]));
}

/**
 * A notice in place of a list that is empty or could not be read.
 * @param {string} title
 * @param {string} words
 * @param {...Child} more
 */
export function notice(title, words, ...more) {
    return h("div", { class: "notice" }, h("h2", null, title), h("p", null, words), more);
}

/**
 * The notice of a failure, with a way to try again.
 * @param {Translate} t
 * @param {Error} failure
 * @param {() => unknown} retry
 */
export function failureNotice(t, failure, retry) {
    return notice(t("error.title"), failure.message, textButton(t("error.retry"), retry));
}

/**
 * A field under its name.
 * @param {Child} words
 * @param {Child} field
 */
export function labelled(words, field) {
    return h("label", { class: "labelled" }, h("span", { class: "muted" }, words), field);
}

/**
 * A button with words alone.
 * @param {string} words
 * @param {() => unknown} click
 * @param {string} [title]
 */
export function textButton(words, click, title) {
    return h("button", { class: "button", type: "button", title, on: { click } }, words);
}

/**
 * A link that looks like a quiet button.
 * @param {string} picture
 * @param {string} words
 * @param {string} href
 */
export function linkButton(picture, words, href) {
    return h("a", { class: "button quiet", href }, icon(picture), h("span", null, words));
}

/**
 * A column's type, and whether it may be left out.
 * @param {Translate} t
 * @param {ColumnDefinition} column
 */
export function typeOf(t, column) {
    return h("span", { class: "type" }, h("bdi", null, column.type), column.optional ? ` ${t("column.optional")}` : "");
}

/**
 * @param {Child} text
 * @param {string | null} [level]
 */
export function badge(text, level = null) {
    return h("span", { class: "badge", "data-level": level }, text);
}

/**
 * Brings the chosen entry of a list into view.
 * @param {Element} list
 */
export function revealCurrent(list) {
    list.querySelector("[aria-current=true], [aria-selected=true]")?.scrollIntoView({ block: "nearest" });
}

/**
 * @param {Element} list
 * @param {boolean} isLast
 */
export function scrollToEdge(list, isLast) { list.scrollTop = isLast ? list.scrollHeight : 0; }

// Browsers take seconds to lay out megabytes of text.
const firstPart = 4_000;
const nextPart = 100_000;

/**
 * A text of any length: the first part, with a button that shows more of it a part at a time. Copies and files have the
 * whole without pressing.
 * @param {Translate} t
 * @param {string} text
 * @param {string} [className]
 */
export function longText(t, text, className) {
    if (text.length <= firstPart) return foreign(text, className);
    let shown = firstPart;
    const field = foreign(cut(text, shown), className);
    const label = () => (shown + nextPart < text.length ? t("detail.more", { n: nextPart, all: text.length })
        : t("detail.whole", { n: text.length }));
    const button = h("button", { class: "button quiet", type: "button", on: { click() {
        shown += nextPart;
        field.textContent = cut(text, shown);
        if (shown < text.length) button.textContent = label();
        else button.remove();
    } } }, label());
    return [field, button];
}

/**
 * Opens a dialog under its title; a press beside it closes it, and once closed it is gone.
 * @param {string} kind the class that its style goes by
 * @param {string} title
 * @param {Child} content
 * @param {() => void} [closed]
 */
export function openDialog(kind, title, content, closed = () => {}) {
    const dialog = h("dialog", { class: `help ${kind}`, "aria-label": title, on: {
        click(event) { if (event.target === dialog) dialog.close(); },
        close() {
            closed();
            dialog.remove();
        },
    } }, h("h2", null, title), content);
    document.body.append(dialog);
    showDialog(dialog);
    return dialog;
}

/**
 * Shows a dialog. Once it closes, the focus is where it was, though that may have been drawn anew meanwhile.
 * @param {HTMLDialogElement} dialog
 */
export function showDialog(dialog) {
    dialog.addEventListener("close", holdFocus(), { once: true });
    dialog.showModal();
}

/**
 * The button that closes the dialog it stands in.
 * @param {Translate} t
 */
export function closeButton(t) {
    const button = textButton(t("detail.close"), () => { button.closest("dialog")?.close(); });
    return button;
}

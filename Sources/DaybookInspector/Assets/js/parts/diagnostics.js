// @ts-check
// Errors in a Markdown file, next to the field in which it is edited.

import { quietButton } from "../base/controls.js";
import { codeSpans, h } from "../base/dom.js";

/** @param {Diagnostic[]} diagnostics */
export function isSound(diagnostics) { return diagnostics.every(({ severity }) => severity !== "error"); }

/** A line each; pressing the place moves the cursor there.
 * @param {Translate} t @param {Diagnostic[]} diagnostics @param {HTMLTextAreaElement} field */
export function diagnosticList(t, diagnostics, field) {
    return h("ul", null, diagnostics.map(({ severity, line, column, message, hint }) => h("li", null,
        quietButton(`${line}:${column}`, () => go(field, line, column)), " ",
        h("strong", { "data-severity": severity }, t(`level.${severity}`)), " ",
        codeSpans(message), hint ? h("span", { class: "muted" }, " ", codeSpans(hint)) : null)));
}

/** Columns count code points.
 * @param {HTMLTextAreaElement} field @param {number} line @param {number} column */
function go(field, line, column) {
    const lines = field.value.split("\n");
    const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    const place = before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
    field.focus();
    field.setSelectionRange(place, place);
}

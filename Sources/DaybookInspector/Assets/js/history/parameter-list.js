// @ts-check
// A record's parameters next to their definitions: types, notes, what is missing and what is undefined.

import { codeSpans, foreign, h, prose } from "../base/dom.js";
import { typedText } from "../base/format.js";
import { jsonTree } from "../base/json-tree.js";
import { badge, longText, typeOf } from "../base/pane.js";
import { mask, violationText } from "../model/record.js";
import { privateMark } from "../model/redaction.js";

/** @param {Translate} t @param {Parameter[]} parameters @param {Violation[]} violations the record's
 * @param {Asking} ask makes the button of a value */
export function parameterList(t, parameters, violations, ask) {
    return h("dl", { class: "parameters" }, parameters.map((parameter) => {
        const { column, state } = parameter;
        const declared = column?.values.find(({ value }) => value === String(parameter.value));
        const wrong = violations.filter((violation) => violation.column === parameter.name);
        return h("div", { class: "parameter", "data-state": state },
            h("dt", null,
                foreign(parameter.name, "key"), column && typeOf(t, column),
                state === "extra" && badge(t("record.extra"), "warning"),
                state === "missing" && badge(t("record.missing"), "error")),
            h("dd", null, valueOf(t, parameter),
                parameter.value === privateMark ? null : ask(parameter.name, parameter.value, true),
                wrong.map((violation) => h("div", { class: "wrong" }, codeSpans(violationText(t, violation)))),
                declared?.description ? h("div", { class: "note" }, foreign(declared.description)) : null,
                column?.notes.map((note) => h("div", { class: "note" }, prose(note)))));
    }));
}

/** @param {Translate} t @param {Parameter} parameter */
function valueOf(t, { state, value }) {
    if (state === "absent" || state === "missing") return h("span", { class: "none" }, "–");
    if (value === privateMark) return h("span", { class: "none" }, mask);
    if (value !== undefined && value !== null && typeof value === "object") {
        return h("div", { class: "tree" }, jsonTree(value, t, 1));
    }
    return longText(t, typedText(value), "value");
}

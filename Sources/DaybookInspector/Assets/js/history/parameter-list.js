// A record's parameters beside their definitions: types, notes, what is missing and what is not defined.

import { codeSpans, foreign, h, prose } from "../base/dom.js";
import { valueText } from "../base/format.js";
import { jsonTree } from "../base/json-tree.js";
import { longText } from "../base/long-text.js";
import { badge, typeOf } from "../base/pane.js";

export const mask = "••••";

/** `reveals`: whether private values are shown. `findings(name)` → the violations of a parameter. */
export function parameterList(t, parameters, reveals, findings = () => []) {
    return h("dl", { class: "parameters" }, parameters.map((parameter) => {
        const { column, state } = parameter;
        const declared = column?.values.find((value) => value.value === String(parameter.value));
        const wrong = findings(parameter.name);
        return h("div", { class: "parameter", "data-state": state },
            h("dt", null,
                foreign(parameter.name, "key"), column && typeOf(t, column),
                state === "extra" && badge(t("record.extra"), "warning"),
                state === "missing" && badge(t("record.missing"), "error")),
            h("dd", null, value(t, parameter, reveals),
                wrong.map((message) => h("div", { class: "wrong" }, codeSpans(message))),
                declared?.description ? h("div", { class: "note" }, foreign(declared.description)) : null,
                column?.notes.map((note) => h("div", { class: "note" }, prose(note)))));
    }));
}

function value(t, parameter, reveals) {
    if (parameter.state === "absent" || parameter.state === "missing") return h("span", { class: "none" }, "–");
    if (parameter.isPrivate && !reveals) return h("span", { class: "none" }, mask);
    if (parameter.value !== null && typeof parameter.value === "object") {
        return h("div", { class: "tree" }, jsonTree(parameter.value, t, 1));
    }
    return longText(t, valueText(parameter.value), "value");
}

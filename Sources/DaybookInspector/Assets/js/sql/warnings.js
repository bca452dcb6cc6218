// @ts-check
// What a statement says and hardly means, with its place.

import { foreign, h } from "../base/dom.js";

/**
 * @param {Translate} t
 * @param {StatementWarning[]} warnings
 */
export function warningLines(t, warnings) {
    return warnings.map(({ line, column, message }) => h("p", { class: "warningline" },
        t("sql.place", { line, column }), " ", foreign(message)));
}

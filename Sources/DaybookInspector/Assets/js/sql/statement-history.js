// @ts-check
// Statements that ran in this browser, latest first; they stay here.

import { button, textButton } from "../base/controls.js";
import { closeButton, openDialog } from "../base/dialog.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { duration, folded } from "../base/format.js";

const key = "sql-history";
const most = 100;
/** Longer statements are not kept: browser storage is small. */
const longest = 4_000;

/** @param {BrowserStorage} storage @returns {PastStatement[]} */
export function pastStatements(storage) {
    try {
        const found = JSON.parse(storage.get(key) ?? "[]");
        return Array.isArray(found) ? found.filter((entry) => typeof entry?.sql === "string").slice(0, most) : [];
    } catch {
        return [];
    }
}

/** Makes a statement the latest; each is listed once.
 * @param {BrowserStorage} storage @param {PastStatement} statement */
export function keepStatement(storage, statement) {
    if (statement.sql.length > longest) return;
    const others = pastStatements(storage).filter(({ sql }) => sql !== statement.sql);
    storage.set(key, JSON.stringify([statement, ...others].slice(0, most)));
}

/** @param {PageContext} context @param {(sql: string) => void} choose */
export function openHistory({ t, language, storage }, choose) {
    const list = h("ul", { class: "paststatements" });
    const field = h("input", { class: "field", type: "search", "aria-label": t("sql.historySearch"),
        placeholder: t("sql.historySearch"), on: { input: () => draw() } });
    const draw = () => {
        const wanted = folded(field.value);
        const found = pastStatements(storage).filter(({ sql }) => folded(sql).includes(wanted));
        replaceChildren(list, found.length === 0 ? h("li", { class: "muted" }, t("sql.historyNone"))
            : found.map((entry) => h("li", null, button("column", [h("code", null, foreign(entry.sql)),
                h("span", { class: "muted" }, [new Date(entry.at).toLocaleString(language),
                    t("sql.rows", { n: entry.rows }),
                    duration(Math.max(entry.milliseconds, 1) * 1e6, language)].join(" · "))], () => {
                dialog.close();
                choose(entry.sql);
            }))));
    };
    const dialog = openDialog("sqlhistory", t("sql.history"), [field, list, h("div", { class: "line" },
        textButton(t("sql.historyClear"), () => {
            storage.set(key, null);
            draw();
        }), closeButton(t))]);
    draw();
    field.focus();
}

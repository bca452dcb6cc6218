// @ts-check
// The team's board: who runs a checklist as whom, and how each run stands.

import { foreign, h } from "../base/dom.js";
import { ago } from "../base/format.js";
import { section } from "../base/pane.js";
import { formatRoute } from "../base/route.js";

/** @type {["failed" | "waiting" | "ok", string][]} */
const counted = [["failed", "check.failed"], ["waiting", "check.waiting"], ["ok", "check.ok"]];

/**
 * A row for each persona, a column for each tester; null before anybody runs or signed off.
 * @param {PageContext} context
 * @param {Checklist} checklist
 * @param {string | null} run the one shown
 */
export function runBoard(context, { id, board, personas }, run) {
    if (board.length === 0) return null;
    const { t } = context;
    const testers = [...new Set(board.map(({ tester }) => tester))].sort((left, right) =>
        (left ?? "").localeCompare(right ?? ""));
    const rows = new Set([...personas, ...board.map(({ persona }) => persona)]);
    const cell = (/** @type {string | null} */ persona, /** @type {string | null} */ tester) => {
        const runs = board.filter((one) => one.persona === persona && one.tester === tester);
        return runs.length > 0 ? runs.map((one) => outcome(context, one, id, run)) : h("span", { class: "none" }, "–");
    };
    return section(t("check.board"), h("div", { class: "board", tabindex: "0", role: "region",
        "aria-label": t("check.board") }, h("table", null,
        h("thead", null, h("tr", null, h("th", { scope: "col" }, t("run.persona")), testers.map((tester) =>
            h("th", { scope: "col" }, foreign(tester ?? "–"))))),
        h("tbody", null, [...rows].map((persona) => h("tr", null,
            h("th", { scope: "row" }, persona === null ? h("span", { class: "muted" }, t("run.anyone")) : foreign(persona)),
            testers.map((tester) => h("td", null, cell(persona, tester)))))))));
}

/**
 * @param {PageContext} context
 * @param {BoardEntry} entry
 * @param {string} id the checklist's
 * @param {string | null} run the one shown
 */
function outcome({ t, language }, entry, id, run) {
    const words = counted.filter(([state]) => Number(entry[state]) > 0).map(([state, word]) =>
        h("span", { "data-state": state }, t("check.number", { n: Number(entry[state]), state: t(word) })));
    return h("a", { class: "outcomes", href: formatRoute(placeOf(entry, id)),
        "aria-current": String(entry.id) === run ? "true" : null },
    h("span", { class: "counts" }, words),
    h("span", { class: "muted" }, entry.state === "under_way" ? [t("check.underWay"), " · "] : null,
        entry.build ? [foreign(entry.build), " · "] : null,
        h("span", { class: "whole" }, ago(entry.time, Date.now(), language))));
}

/**
 * A run that is under way is shown itself, one that was signed off by its record.
 * @param {BoardEntry} entry
 * @param {string} checklist
 * @returns {Place}
 */
function placeOf({ state, id, installation }, checklist) {
    if (state !== "under_way") return { screen: "history", params: { sel: id } };
    return { screen: "check", path: [checklist], params: { run: installation === null ? null : id } };
}

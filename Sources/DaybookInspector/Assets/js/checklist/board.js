// @ts-check
// The team's board: who runs a checklist with which persona, and the state of each run.

import { foreign, h } from "../base/dom.js";
import { ago, cut } from "../base/format.js";
import { fold, section } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { head, rowHead, table } from "../base/table.js";

/** @type {["failed" | "waiting" | "ok" | "waived", string][]} */
const counted = [["failed", "check.failed"], ["waiting", "check.waiting"], ["ok", "check.ok"],
    ["waived", "check.waivedCount"]];

/** A row per persona, a column per tester; null if there are no runs.
 * @param {PageContext} context @param {Checklist} checklist @param {string | null} run the one shown */
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
        "aria-label": t("check.board") },
    table(null, [head(t("run.persona")), testers.map((tester) => head(foreign(tester ?? "–")))],
        [...rows].map((persona) => h("tr", null,
            rowHead(persona === null ? h("span", { class: "muted" }, t("run.anyone")) : foreign(persona)),
            testers.map((tester) => h("td", null, cell(persona, tester))))))));
}

/** @param {PageContext} context @param {BoardEntry} entry @param {string} id the checklist's
 * @param {string | null} run the one shown */
function outcome({ t, language }, entry, id, run) {
    const words = counted.filter(([state]) => Number(entry[state]) > 0).map(([state, word]) =>
        h("span", { "data-state": state }, t("check.number", { n: Number(entry[state]), state: t(word) })));
    return h("a", { class: "outcomes", href: formatRoute({ screen: "check", path: [id], params: { run: entry.id } }),
        "aria-current": String(entry.id) === run ? "true" : null },
    h("span", { class: "counts" }, words),
    h("span", { class: "muted" }, entry.state === "under_way" ? [t("check.underWay"), " · "] : null,
        [entry.build ?? entry.version, entry.device ?? entry.installation].map((word) =>
            (word ? [foreign(cut(word, 24)), " · "] : null)),
        h("span", { class: "whole" }, ago(entry.time, Date.now(), language))));
}

/** Every run of a checklist, the latest first; each can be reopened with its items and records.
 * @param {PageContext} context @param {string} id the checklist's
 * @param {StoredRun[]} runs @param {string | null} shown */
export function runList({ t, language }, id, runs, shown) {
    if (runs.length === 0) return null;
    return fold(h("span", { class: "heading" }, t("check.allRuns", { n: runs.length })),
        h("ul", { class: "runs" }, runs.map((run) => {
            const state = run.signed_off ? [`${t("check.signed")} `, foreign(run.signed_off.tester ?? "–")]
                : t(run.finished ? "check.finished" : "check.underWay");
            const words = [run.device ? t("run.byDevice") : run.tester, run.persona, run.build, run.version,
                run.installation]
                .flatMap((word) => (word ? [" · ", foreign(cut(word, 24))] : []));
            return h("li", null, h("a", { href: formatRoute({ screen: "check", path: [id], params: { run: run.id } }),
                "aria-current": String(run.id) === shown ? "true" : null },
            `#${run.id}`, words, " · ", state, " · ", ago(run.started, Date.now(), language)));
        })));
}

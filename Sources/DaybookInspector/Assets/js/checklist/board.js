// The team's board: who runs a checklist as whom, and how each run stands.

import { foreign, h } from "../base/dom.js";
import { ago } from "../base/format.js";
import { section } from "../base/pane.js";
import { formatRoute } from "../base/route.js";

/** A row for each persona, a column for each tester; null before anybody runs or signed off. `run` is the one shown. */
export function runBoard({ t, language }, { id, board, personas }, run) {
    if (board.length === 0) return null;
    const testers = [...new Set(board.map(({ tester }) => tester))].sort((left, right) =>
        (left ?? "").localeCompare(right ?? ""));
    const rows = [...personas, ...board.map(({ persona }) => persona)]
        .filter((persona, index, all) => all.indexOf(persona) === index);
    const runsOf = (persona, tester) => board.filter((one) => one.persona === persona && one.tester === tester);
    return section(t("check.board"), h("div", { class: "board", tabindex: "0", role: "region",
        "aria-label": t("check.board") }, h("table", null,
        h("thead", null, h("tr", null, h("th", { scope: "col" }, t("run.persona")), testers.map((tester) =>
            h("th", { scope: "col" }, foreign(tester ?? "–"))))),
        h("tbody", null, rows.map((persona) => h("tr", null,
            h("th", { scope: "row" }, persona === null ? h("span", { class: "muted" }, t("run.anyone")) : foreign(persona)),
            testers.map((tester) => h("td", null, cell(runsOf(persona, tester))))))))));

    function cell(runs) {
        return runs.length > 0 ? runs.map((one) => outcome(one)) : h("span", { class: "none" }, "–");
    }

    function outcome(one) {
        const words = [["failed", "check.failed"], ["waiting", "check.waiting"], ["ok", "check.ok"]]
            .filter(([state]) => one[state] > 0).map(([state, word]) =>
                h("span", { "data-state": state }, t("check.number", { n: Number(one[state]), state: t(word) })));
        const isUnderWay = one.state === "under_way";
        return h("a", { class: "outcomes", href: formatRoute(place(one)), "aria-current": String(one.id) === run ? "true" : null },
            h("span", { class: "counts" }, words),
            h("span", { class: "muted" }, isUnderWay ? [t("check.underWay"), " · "] : null,
                one.build ? [foreign(one.build), " · "] : null,
                h("span", { class: "whole" }, ago(one.time, Date.now(), language))));
    }

    /** A run that is under way is shown itself, one that was signed off by its record. */
    function place(one) {
        if (one.state !== "under_way") return { screen: "history", params: { sel: String(one.id) } };
        return { screen: "check", path: [id], params: { run: one.installation === null ? null : String(one.id) } };
    }
}

// The team's board: who signed a checklist off as whom, and how it stood then.

import { foreign, h } from "../base/dom.js";
import { ago } from "../base/format.js";
import { section } from "../base/pane.js";
import { formatRoute } from "../base/route.js";

/** A row for each persona, a column for each tester; null before anybody signed off. */
export function runBoard({ t, language }, { board, personas }) {
    if (board.length === 0) return null;
    const testers = [...new Set(board.map(({ tester }) => tester))].sort();
    const rows = [...personas, ...board.map(({ persona }) => persona)]
        .filter((persona, index, all) => all.indexOf(persona) === index);
    const runOf = (persona, tester) => board.find((run) => run.persona === persona && run.tester === tester);
    return section(t("check.board"), h("div", { class: "board", tabindex: "0", role: "region",
        "aria-label": t("check.board") }, h("table", null,
        h("thead", null, h("tr", null, h("th", { scope: "col" }, t("run.persona")), testers.map((tester) =>
            h("th", { scope: "col" }, foreign(tester ?? "–"))))),
        h("tbody", null, rows.map((persona) => h("tr", null,
            h("th", { scope: "row" }, persona === null ? h("span", { class: "muted" }, t("run.anyone")) : foreign(persona)),
            testers.map((tester) => h("td", null, outcome(runOf(persona, tester))))))))));

    function outcome(run) {
        if (!run) return h("span", { class: "none" }, "–");
        const words = [["failed", "check.failed"], ["waiting", "check.waiting"], ["ok", "check.ok"]]
            .filter(([state]) => run[state] > 0).map(([state, word]) =>
                h("span", { "data-state": state }, `${run[state]} ${t(word)}`));
        return h("a", { class: "outcomes", href: formatRoute({ screen: "history", params: { sel: String(run.id) } }) },
            h("span", { class: "counts" }, words),
            h("span", { class: "muted" }, run.build ? [foreign(run.build), " · "] : null, ago(run.time, Date.now(), language)));
    }
}

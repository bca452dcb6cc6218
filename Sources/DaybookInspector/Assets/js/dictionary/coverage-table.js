// The dictionary as a table: how far each event has come.

import { call } from "../base/api.js";
import { checkedTags, seenIn, versionsOf } from "../model/coverage.js";
import { badge } from "../base/pane.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { formatRoute } from "../base/route.js";

const words = { ok: "check.ok", failed: "check.failed", waiting: "check.waiting", not_judged: "check.notJudged",
    not_applicable: "check.notApplicable" };

export function createCoverageTable({ t, tags }) {
    const element = h("div", { class: "result coverage", tabindex: "0", role: "region", "aria-label": t("cover.title") });
    let checked = new Map();
    /** By tag what a report tells of sources and tests; null where the server has no report. */
    let reported = null;

    /** Asks for the checklists' verdicts and for the report; without an answer their columns stay empty. */
    async function load() {
        const [checklists, report] = await Promise.all([
            call("checklists").catch(() => ({ checklists: [] })), call("coverage").catch(() => ({ written: null }))]);
        checked = checkedTags(checklists.checklists);
        reported = report.written === null ? null : new Map(report.events.map((one) => [one.event, one]));
    }

    /** `groups`: categories with the events that are shown. */
    function draw(groups, linkTo, selected) {
        const versions = versionsOf(tags.all);
        const counts = [...(reported ? [t("cover.called"), t("cover.fired")] : []), t("cover.seen")];
        const heads = [t("cover.event"), t("cover.defined"), t("screen.check"), ...counts];
        replaceChildren(element, h("table", null,
            h("thead", null, h("tr", null, heads.map((text, index) =>
                h("th", { scope: "col", class: index >= 3 ? "number" : null }, text)),
            versions.map((version) => h("th", { scope: "col", class: "number" }, foreign(version))))),
            groups.map(({ name, events }) => h("tbody", null,
                h("tr", { class: "group" }, h("th", { scope: "rowgroup", colspan: String(heads.length + versions.length) }, foreign(name))),
                events.map((event) => line(event, versions, linkTo, selected))))));
    }

    function line(event, versions, linkTo, selected) {
        const summaries = tags.all.filter(({ tag }) => tag === event.tag);
        const count = summaries.reduce((sum, one) => sum + Number(one.count), 0);
        const item = checked.get(event.tag);
        return h("tr", { "aria-selected": String(event.tag === selected) },
            h("th", { scope: "row" }, h("a", { href: linkTo(event) }, foreign(event.name, "tag"))),
            h("td", null, event.stranger ? badge(t("cover.no"), "warning")
                : event.obsolete ? badge(t("dict.obsolete")) : t("cover.yes")),
            h("td", null, item ? h("a", { class: "state", "data-state": item.state,
                href: formatRoute({ screen: "check", path: [item.checklist] }) }, t(words[item.state])) : none()),
            reported ? [told(reported.get(event.tag)?.calls), told(reported.get(event.tag)?.fired)] : null,
            number(count), versions.map((version) => number(seenIn(summaries, version))));
    }

    const none = () => h("span", { class: "none" }, "–");
    const number = (count) => h("td", { class: "number", "data-never": String(count === 0) }, count === 0 ? none() : String(count));
    /** A figure of the report: nothing where nobody looked. */
    const told = (count) => (count === null || count === undefined ? h("td", { class: "number" }) : number(Number(count)));

    return {
        element,
        load,
        draw,
        /** What the report tells of an event, if there is one. */
        report: (tag) => reported?.get(tag),
    };
}

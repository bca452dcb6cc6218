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

    /** Asks for the checklists' verdicts; without an answer the column stays empty. */
    async function load() {
        try {
            checked = checkedTags((await call("checklists")).checklists);
        } catch {
            checked = new Map();
        }
    }

    /** `groups`: categories with the events that are shown. */
    function draw(groups, linkTo, selected) {
        const versions = versionsOf(tags.all);
        const heads = [t("cover.event"), t("cover.defined"), t("screen.check"), t("cover.seen")];
        replaceChildren(element, h("table", null,
            h("thead", null, h("tr", null, heads.map((text, index) =>
                h("th", { scope: "col", class: index === 3 ? "number" : null }, text)),
            versions.map((version) => h("th", { scope: "col", class: "number" }, foreign(version))))),
            groups.map(({ name, events }) => h("tbody", null,
                h("tr", { class: "group" }, h("th", { scope: "rowgroup", colspan: String(4 + versions.length) }, foreign(name))),
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
            number(count), versions.map((version) => number(seenIn(summaries, version))));
    }

    const none = () => h("span", { class: "none" }, "–");
    const number = (count) => h("td", { class: "number", "data-never": String(count === 0) }, count === 0 ? none() : String(count));

    return { element, load, draw };
}

// The violations of the filtered records by event and column, the most frequent first.

import { call, recordQuery } from "../base/api.js";
import { codeSpans, foreign, h, replaceChildren } from "../base/dom.js";
import { grouped } from "../model/violations.js";
import { section } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { adding } from "../model/filter.js";

const most = 1_000;
const pause = 3_000;

/** Filled while the address asks for violations; `params()` are the address's, `apply(change)` puts others there. */
export function createViolationGroups(context, params, apply) {
    const { t, live, catalog } = context;
    const element = h("div", { class: "content groups", hidden: true });
    let filter = null;
    let drawnHead = -1;
    setInterval(() => { if (!element.hidden && element.isConnected && live.head !== drawnHead) load(); }, pause);

    async function load() {
        const own = filter;
        drawnHead = live.head;
        try {
            const { records } = await call(`records?${recordQuery({ ...own, violations: "1", limit: most })}`);
            if (own === filter) draw(grouped(records));
        } catch {
            drawnHead = -1;
        }
    }

    function draw(groups) {
        replaceChildren(element, groups.length === 0 ? null : section(t("violations.groups"), h("ul", { class: "facet" },
            groups.map((group) => h("li", { class: "violationgroup" },
                h("button", { class: "facetvalue", type: "button", on: { click: () => apply(adding(params(), "tag", group.tag)) } },
                    h("span", { class: "facettext" }, foreign(group.tag)), h("span", { class: "number" }, String(group.count))),
                h("p", { class: "muted" }, codeSpans(group.message), " ", definition(group)))))));
    }

    function definition({ tag }) {
        return catalog.find(tag) ? h("a", { href: formatRoute({ screen: "dict", path: [tag] }) }, t("detail.dictionary")) : null;
    }

    return {
        element,
        show(next, areWanted) {
            element.hidden = !areWanted;
            if (!areWanted || JSON.stringify(next) === JSON.stringify(filter)) return;
            filter = next;
            load();
        },
    };
}

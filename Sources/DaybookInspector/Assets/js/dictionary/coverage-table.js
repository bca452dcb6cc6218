// @ts-check
// The dictionary as a table: whether each event is defined, on a checklist, and seen, and in which versions.

import { AnswerOrder } from "../base/answer-order.js";
import { call, eachPage } from "../base/api.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { badge } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { head, numberCell, numberHead, rowHead } from "../base/table.js";
import { compareVersions } from "../model/versions.js";

/** @typedef {{ name: string, events: ListedEvent[] }} EventGroup */
/** @typedef {{ state: ItemState, checklist: string }} CheckedTag */

const mostVersions = 6;
/** @type {Partial<Record<ItemState, string>>} */
const words = { ok: "check.ok", failed: "check.failed", waiting: "check.waiting", not_judged: "check.notJudged",
    not_applicable: "check.notApplicable" };
const worst = ["failed", "waiting", "not_judged", "ok", "not_applicable"];

/** The app versions that sent events, newest first.
 * @param {TagSummary[]} tags */
export function versionsOf(tags) {
    /** @type {Set<string>} */
    const all = new Set();
    for (const { kind, tag, versions } of tags) {
        if (kind !== "event" || tag.startsWith("daybook.")) continue;
        for (const { version } of versions) if (version !== null) all.add(version);
    }
    return [...all].sort((left, right) => compareVersions(right, left)).slice(0, mostVersions);
}

/** @param {TagSummary[]} summaries all of the tag's
 * @param {string} version */
export function seenIn(summaries, version) {
    return summaries.flatMap(({ versions }) => versions).filter((one) => one.version === version)
        .reduce((sum, { count }) => sum + Number(count), 0);
}

/** The worst state of the items for each tag; patterns with a star do not count.
 * @param {Checklist[]} checklists */
export function checkedTags(checklists) {
    /** @type {Map<string, CheckedTag>} */
    const found = new Map();
    for (const checklist of checklists) {
        for (const { pattern, state } of checklist.scenarios.flatMap(({ items }) => items)) {
            if (pattern === null || pattern.includes("*")) continue;
            const known = found.get(pattern);
            if (known && worst.indexOf(state) >= worst.indexOf(known.state)) continue;
            found.set(pattern, { state, checklist: checklist.id });
        }
    }
    return found;
}

async function wholeReport() {
    /** @type {{ written: Nanoseconds | null, events: EventCoverage[] }} */
    const report = { written: null, events: [] };
    await eachPage("coverage", ({ written, events }) => {
        report.written = written;
        report.events.push(...events);
    });
    return report;
}

export class CoverageTable {
    /** @type {Map<string, CheckedTag>} */
    #checked = new Map();
    /** @type {Map<string, EventCoverage> | null} the coverage report by tag; null if the server has none */
    #reported = null;
    #order = new AnswerOrder();

    /** @param {PageContext} context */
    constructor(context) {
        this.context = context;
        this.element = h("div", { class: "result coverage", tabindex: "0", role: "region",
            "aria-label": context.t("cover.title") });
    }

    /** Loads the checklists' verdicts and the report; if one fails, its columns stay empty. */
    async load() {
        const isNews = this.#order.ask();
        const [checklists, report] = await Promise.all([
            call("checklists").catch(() => ({ checklists: [] })),
            wholeReport().catch(() => ({ written: null, events: [] }))]);
        if (!isNews()) return;
        this.#checked = checkedTags(checklists.checklists);
        this.#reported = report.written === null ? null : new Map(report.events.map((one) => [one.event, one]));
    }

    /** @param {string} tag */
    report(tag) { return this.#reported?.get(tag); }

    /** @param {EventGroup[]} groups categories with the events that are shown
     * @param {(tag: string) => string} linkTo @param {string | null} selected */
    draw(groups, linkTo, selected) {
        const { t, tags } = this.context;
        const versions = versionsOf(tags.all);
        const counts = [...(this.#reported ? [t("cover.called"), t("cover.fired")] : []), t("cover.seen"),
            ...versions.map((version) => foreign(version))];
        const heads = [head(t("cover.event")), head(t("cover.defined")), head(t("screen.check")),
            ...counts.map((words) => numberHead(words))];
        replaceChildren(this.element, h("table", null, h("thead", null, h("tr", null, heads)),
            groups.map(({ name, events }) => h("tbody", null,
                h("tr", { class: "group" }, h("th", { scope: "rowgroup", colspan: String(heads.length) },
                    foreign(name))),
                events.map((event) => h("tr", { "aria-selected": String(event.tag === selected) },
                    rowHead(h("a", { href: linkTo(event.tag) }, foreign(event.name, "tag"))),
                    this.#cells(event, versions)))))));
    }

    /** @param {ListedEvent} event @param {string[]} versions */
    #cells({ tag, stranger, obsolete }, versions) {
        const { t, tags } = this.context;
        const summaries = tags.all.filter((one) => one.tag === tag);
        const item = this.#checked.get(tag);
        return [
            h("td", null, stranger ? badge(t("cover.no"), "warning")
                : obsolete ? badge(t("dict.obsolete")) : t("cover.yes")),
            h("td", null, item ? h("a", { class: "state", "data-state": item.state,
                href: formatRoute({ screen: "check", path: [item.checklist] }) }, t(words[item.state] ?? "")) : none()),
            this.#reported ? [told(this.#reported.get(tag)?.calls), told(this.#reported.get(tag)?.fired)] : null,
            number(summaries.reduce((sum, one) => sum + Number(one.count), 0)),
            versions.map((version) => number(seenIn(summaries, version))),
        ];
    }
}

function none() { return h("span", { class: "none" }, "–"); }

/** @param {number} count */
function number(count) {
    return h("td", { class: "number", "data-never": String(count === 0) }, count === 0 ? none() : String(count));
}

/** A figure of the report; empty if nobody looked.
 * @param {Integer | null | undefined} count */
function told(count) {
    return count === null || count === undefined ? numberCell(null) : number(Number(count));
}

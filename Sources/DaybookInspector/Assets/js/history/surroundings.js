// @ts-check
// A record's surroundings: the previous one of its name, its neighbours, and what led up to an error.

import { call, recordQuery } from "../base/api.js";
import { foreign, h, icon } from "../base/dom.js";
import { cut, distance, valueText } from "../base/format.js";
import { section } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { exactTag } from "../model/filter.js";
import { difference, mask, requestSummary } from "../model/record.js";
import { privateMark } from "../model/redaction.js";
import { fill, fillingFold } from "../parts/filling.js";

const around = 10;
const longestValue = 120;

/** @param {RecordQuery} query */
async function page(query) { return (await call(`records?${recordQuery(query)}`)).records; }

/** @param {string} title @param {() => boolean} isCurrent @param {() => Promise<Child>} content */
function filling(title, isCurrent, content) {
    const place = h("div", null, h("p", { class: "muted" }, "…"));
    fill(place, content, isCurrent);
    return section(title, place);
}

/** @param {PageContext} context @param {LogRecord} record @param {boolean} reveals whether private values are shown
 * @param {() => boolean} isCurrent */
export function comparison(context, record, reveals, isCurrent) {
    return filling(context.t("detail.diff"), isCurrent, async () => {
        const [previous] = await page({ tag: exactTag(record.tag), kind: record.kind, before: record.id, limit: 1,
            private: reveals ? "show" : null });
        return previous ? changes(context, previous, record)
            : h("p", { class: "muted" }, context.t("detail.diffFirst"));
    });
}

/** What the same session recorded just before an error, nearest last.
 * @param {PageContext} context @param {LogRecord} record @param {() => boolean} isCurrent */
export function leadingUp(context, record, isCurrent) {
    return filling(context.t("detail.ledUp"), isCurrent, async () => {
        const before = await page({ session: record.session, before: record.id, limit: around });
        return before.length > 0 ? recordList(context, [...before.reverse(), record], record)
            : h("p", { class: "muted" }, context.t("detail.ledUpNothing"));
    });
}

/** The records before and after, loaded when the fold is opened.
 * @param {PageContext} context @param {LogRecord} record */
export function neighbours(context, record) {
    return fillingFold(context.t("detail.neighbours", { n: around }), async () => {
        const [newer, older] = await Promise.all([
            page({ after: record.id, order: "oldest", limit: around }), page({ before: record.id, limit: around })]);
        return recordList(context, [...newer.reverse(), record, ...older], record);
    });
}

/** @param {PageContext} context @param {LogRecord} previous @param {LogRecord} record */
function changes({ t, catalog, language }, previous, record) {
    const found = difference(previous, record, catalog);
    const other = h("a", { href: formatRoute({ screen: "history", params: { sel: previous.id } }) }, `#${previous.id}`);
    // How long before this record the other one was: a minus sign reads as "earlier".
    const title = h("p", { class: "muted" }, t("detail.diffWith"), " ", other, ", ",
        distance(BigInt(previous.time) - BigInt(record.time), language));
    if (found.length === 0) return [title, h("p", null, t("detail.diffNone"))];
    const side = (/** @type {Json | undefined} */ value, /** @type {string} */ name) =>
        h("span", { class: name }, value === undefined || value === null ? "–"
            : value === privateMark ? mask : foreign(cut(valueText(value), longestValue), "value"));
    return [title, h("dl", { class: "changes" }, found.map(({ name, before, after }) => [
        h("dt", null, foreign(name, "key")),
        h("dd", null, side(before, "before"), h("span", { class: "muted", "aria-hidden": "true" }, " → "),
            h("span", { class: "unseen" }, t("detail.diffNow")), side(after, "after")),
    ]))];
}

/** @param {PageContext} context @param {LogRecord[]} records @param {LogRecord} current */
function recordList({ t, catalog, language }, records, current) {
    return h("ul", { class: "records" }, records.map((record) => {
        const words = record.kind === "request" ? requestSummary(record, catalog).name
            : record.kind === "event" || !record.message ? record.tag : record.message;
        return h("li", null, h("a", {
            class: "entry", href: formatRoute({ screen: "history", params: { sel: record.id } }),
            "aria-current": record === current ? "true" : null,
        }, h("span", { class: "offset" }, record === current ? "●"
            : distance(BigInt(record.time) - BigInt(current.time), language)),
        h("span", { class: "picture", "data-kind": record.kind }, icon(record.kind)),
        h("span", { class: "unseen" }, t(`kind.${record.kind}`)), foreign(cut(words, 160), "tag")));
    }));
}

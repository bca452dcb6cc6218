// @ts-check
// How a record got here: recorded, numbered, acknowledged, stored, judged, and where it can be queried.

import { call } from "../base/api.js";
import { foreign, h } from "../base/dom.js";
import { membersOf } from "../base/format.js";
import { formatRoute } from "../base/route.js";
import { sourceOf } from "../model/record.js";
import { fillingFold } from "../parts/filling.js";

/** @param {Translate} t @param {LogRecord} record */
export function explanation(t, record) {
    return fillingFold(t("explain.title"), async () => {
        const found = await call(`records/${record.id}/explanation`);
        return [h("ol", { class: "steps" }, stepsOf(t, record, found).map(([name, isDone, words]) =>
            h("li", { "data-done": String(isDone) }, h("strong", null, t(name)),
                h("span", { class: "muted" }, words)))),
        lossesOf(t, found), h("p", { class: "muted" }, t("explain.note"))];
    });
}

/** @param {Translate} t @param {LogRecord} record @param {Explanation} found
 * @returns {[name: string, isDone: boolean, words: Child][]} */
function stepsOf(t, record, { sequence, settled, redacted: replaced, sensitive, defined, view }) {
    const source = sourceOf(record);
    const redacted = replaced + sensitive.filter((name) => Object.hasOwn(membersOf(record.attributes), name)).length;
    return [
        ["explain.recorded", true, source ? foreign(source) : t("explain.noSource")],
        ["explain.redacted", true, redacted === 0 ? t("explain.nothingRedacted")
            : t("explain.redactedCount", { n: redacted })],
        ["explain.sent", sequence !== null, sequence === null ? t("explain.noNumber")
            : t("explain.number", { number: String(sequence) })],
        ["explain.acknowledged", settled !== null, settled === null ? t("explain.noInterval")
            : t("explain.interval", { from: String(Number(settled.after) + 1), to: String(settled.through) })],
        ["explain.stored", true, t("explain.storedAs", { number: String(record.id) })],
        ["explain.judged", defined, record.kind !== "event" ? t("explain.noEvent")
            : !defined ? t("detail.undefined")
            : record.violations?.length > 0 ? t("record.violations", { n: record.violations.length })
            : t("explain.keeps")],
        ["explain.queried", true, view === null ? h("code", null, "records")
            : h("a", { href: formatRoute({ screen: "sql", params: {
                sql: `SELECT *\nFROM ${view}\nWHERE _id = ${record.id}` } }) }, h("code", null, view))],
    ];
}

/** What the same sender sent that did not arrive.
 * @param {Translate} t @param {Explanation} found */
function lossesOf(t, { ledger }) {
    if (!ledger || (ledger.gaps.length === 0 && ledger.losses.length === 0)) return null;
    return h("p", { class: "wrong" }, [
        ...(ledger.gaps.length > 0 ? [t("explain.gaps", { n: ledger.gaps.length })] : []),
        ...ledger.losses.map(({ reason, count }) => `${reason}: ${count}`),
    ].join(" · "));
}

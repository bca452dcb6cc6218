// @ts-check
// A checklist item: its verdict, the reason, and the records behind it.

import { codeSpans, foreign, h, icon } from "../base/dom.js";
import { clockTime, cut, valueText } from "../base/format.js";
import { formatRoute } from "../base/route.js";
import { isDone, itemKey, namedRecords, recordsOf } from "../model/progress.js";
import { mask } from "../model/record.js";
import { privateMark } from "../model/redaction.js";
import { reasonText } from "./reason.js";

const longestValue = 1_000;
/** @type {Partial<Record<ItemState, string>>} */
const marks = { ok: "check", failed: "close" };

/** @param {PageContext} context @param {TickBook} ticks @param {Checklist} checklist
 * @param {Scenario} scenario @param {ChecklistItem} item */
export function itemLine(context, ticks, checklist, scenario, item) {
    const key = itemKey(scenario, item.id);
    if (item.state !== "manual") return judged(context, checklist, item, key);
    const { t } = context;
    const done = isDone(checklist, scenario, item, ticks);
    // A signed-off item stays as it was.
    const box = h("input", { type: "checkbox", checked: done, disabled: checklist.signed_off !== null,
        on: { change() { ticks.set(checklist, scenario, item, box.checked); } } });
    return h("li", { class: "item", "data-state": done ? "ok" : "waiting", "data-item": key },
        h("label", { class: "itemline" }, box, itemText(item),
            h("span", { class: "state" }, t(done ? "check.ticked" : "check.manual"))),
        waived(context, item.waiver));
}

/** Why somebody signed off despite it.
 * @param {PageContext} context @param {string | null} reason */
export function waived({ t }, reason) {
    return reason === null ? null : h("p", { class: "waiver" }, `${t("check.waived")} `, foreign(reason));
}

/** @param {PageContext} context @param {Checklist} checklist @param {ChecklistItem} item @param {string} key */
function judged(context, checklist, item, key) {
    const { t } = context;
    const picture = marks[item.state];
    const content = [h("span", { class: "mark", "aria-hidden": "true" }, picture ? icon(picture) : null),
        itemText(item), h("span", { class: "state" }, stateText(t, item))];
    const params = recordsOf(item, checklist);
    return h("li", { class: "item", "data-state": item.state, "data-item": key },
        params
            ? h("a", { class: "itemline", title: t("check.show"),
                href: formatRoute({ screen: "history", params }) }, content)
            : h("div", { class: "itemline" }, content),
        item.reason ? because(context, item) : null, waived(context, item.waiver));
}

/** @param {ChecklistItem} item */
function itemText({ text, tests, notes }) {
    return h("span", { class: "itemtext" }, foreign(text),
        tests.map((test) => h("span", { class: "nested" }, h("code", null, foreign(test)))),
        notes.map((note) => h("span", { class: "nested muted" }, foreign(note))));
}

/** @param {Translate} t @param {ChecklistItem} item @returns {Child} */
function stateText(t, { state, provisional, matches }) {
    const words = {
        ok: provisional ? t("check.soFar") : t("check.ok"), waiting: t("check.waiting"), failed: t("check.failed"),
        not_judged: t("check.notJudged"), not_applicable: t("check.notApplicable"), manual: t("check.manual"),
    }[state];
    return Number(matches) > 0 ? [words, " · ", t("dict.count", { n: Number(matches) })] : words;
}

/** The engine's reason, with links to the records it names.
 * @param {PageContext} context @param {ChecklistItem} item */
function because({ language }, item) {
    const reason = item.reason ?? "";
    const words = namedRecords(reasonText(language, reason, item.phrases)).map((part) => (typeof part === "number"
        ? h("a", { href: recordAddress(part) }, `#${part}`) : codeSpans(part)));
    return h("div", { class: "because" }, h("p", null, words),
        item.records.map((record) => evidence(language, record, reason)));
}

/** A record with its note, unless the reason already says it.
 * @param {Language} language @param {Evidence} record @param {string} reason in English, as the note */
function evidence(language, record, reason) {
    return h("a", { class: "evidence", href: recordAddress(record.id) },
        h("span", { class: "number" }, `#${record.id}`), h("span", { class: "muted" }, clockTime(record.time)),
        foreign(record.tag, "tag"),
        record.values.map(({ column, value }) => h("span", { class: "pair" }, foreign(column, "key"),
            value === null ? h("span", { class: "none" }, "–")
                : value === privateMark ? h("span", { class: "none" }, mask)
                : foreign(cut(valueText(value), longestValue), "value"))),
        record.note && !reason.includes(record.note)
            ? h("span", { class: "remark" }, foreign(reasonText(language, record.note, record.phrases))) : null);
}

/** @param {Integer} id */
function recordAddress(id) { return formatRoute({ screen: "history", params: { sel: id } }); }

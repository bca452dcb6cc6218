// One line of a checklist: the verdict, why, and the records it rests on.

import { codeSpans, foreign, h, icon } from "../base/dom.js";
import { clockTime, cut, valueText } from "../base/format.js";
import { isDone, maskedReason, namedRecords, recordsOf } from "./progress.js";
import { formatRoute } from "../base/route.js";

const mask = "••••";
const longestValue = 1_000;
const marks = { ok: "check", failed: "close" };

/** A function from a checklist, its scenario and an item to an element. */
export function createChecklistItem({ t, catalog }, ticks) {
    const recordRoute = (id) => formatRoute({ screen: "history", params: { sel: String(id) } });

    const isPrivate = (tag, name) => [...(catalog.find(tag)?.columns ?? []), ...catalog.common]
        .some((column) => column.name === name && column.classification === "private");

    return (checklist, scenario, item) => {
        const key = `${scenario.id}/${item.id}`;
        return item.state === "manual" ? manual(checklist, scenario, item, key) : judged(item, key);
    };

    function manual(checklist, scenario, item, key) {
        const done = isDone(checklist, scenario, item, ticks);
        const box = h("input", {
            type: "checkbox", checked: done,
            on: { change: (event) => ticks.set([checklist, scenario, item], event.target.checked) },
        });
        return h("li", { class: "item", "data-state": done ? "ok" : "waiting", "data-item": key },
            h("label", { class: "itemline" }, box, text(item),
                h("span", { class: "state" }, t(done ? "check.ticked" : "check.manual"))));
    }

    function judged(item, key) {
        const content = [
            h("span", { class: "mark", "aria-hidden": "true" }, marks[item.state] ? icon(marks[item.state]) : null),
            text(item), h("span", { class: "state" }, stateText(item))];
        const params = recordsOf(item);
        return h("li", { class: "item", "data-state": item.state, "data-item": key },
            params
                ? h("a", { class: "itemline", title: t("check.show"),
                    href: formatRoute({ screen: "history", params }) }, content)
                : h("div", { class: "itemline" }, content),
            item.reason ? because(item) : null);
    }

    function text(item) {
        return h("span", { class: "itemtext" }, foreign(item.text), item.tests.map((test) =>
            h("span", { class: "nested" }, h("code", null, foreign(test)))),
        item.notes.map((note) => h("span", { class: "nested muted" }, foreign(note))));
    }

    function stateText(item) {
        const words = {
            ok: item.provisional ? t("check.soFar") : t("check.ok"), waiting: t("check.waiting"),
            failed: t("check.failed"), not_judged: t("check.notJudged"), not_applicable: t("check.notApplicable"),
        }[item.state];
        return Number(item.matches) > 0 ? [words, " · ", t("dict.count", { n: Number(item.matches) })] : words;
    }

    /** The engine's reason in its own words; the records that it names are links. */
    function because(item) {
        const words = namedRecords(maskedReason(item, isPrivate, mask)).map((part) => (typeof part === "number"
            ? h("a", { href: recordRoute(part) }, `#${part}`) : codeSpans(part)));
        return h("div", { class: "because" }, h("p", null, words), item.records.map((record) => evidence(record, item.reason)));
    }

    /** A record; its remark stands beside it unless the reason has said it. */
    function evidence(record, reason) {
        return h("a", { class: "evidence", href: recordRoute(record.id) },
            h("span", { class: "number" }, `#${record.id}`), h("span", { class: "muted" }, clockTime(record.time)),
            foreign(record.tag, "tag"),
            record.values.map(({ column, value }) => h("span", { class: "pair" }, foreign(column, "key"),
                value === null ? h("span", { class: "none" }, "–")
                    : isPrivate(record.tag, column) ? h("span", { class: "none" }, mask)
                    : foreign(cut(valueText(value), longestValue), "value"))),
            record.note && !reason.includes(record.note) ? h("span", { class: "remark" }, foreign(record.note)) : null);
    }
}

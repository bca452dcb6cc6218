// How a record came here: recorded, numbered, acknowledged, stored, judged, and where it can be queried.

import { call } from "../base/api.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { fold } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { replacement } from "../model/redaction.js";

export function explanation({ t }, record) {
    const place = h("div");
    const details = fold(t("explain.title"), place);
    details.addEventListener("toggle", async () => {
        if (!details.open || place.hasChildNodes()) return;
        try {
            draw(await call(`records/${record.id}/explanation`));
        } catch (error) {
            replaceChildren(place, h("p", { class: "muted" }, error.message));
        }
    });
    return details;

    function draw(found) {
        const source = record.file ? `${record.file}${record.line ? `:${record.line}` : ""}` : null;
        const attributes = record.attributes ?? {};
        const redacted = JSON.stringify(attributes).split(replacement).length - 1;
        const hashed = found.sensitive.filter((name) => attributes[name] !== undefined);
        const number = (value) => String(value);
        const steps = [
            ["explain.recorded", true, source ? [foreign(source)] : t("explain.noSource")],
            ["explain.redacted", true, redacted + hashed.length === 0 ? t("explain.nothingRedacted")
                : t("explain.redactedCount", { n: redacted + hashed.length })],
            ["explain.sent", found.sequence !== null, found.sequence === null ? t("explain.noNumber")
                : t("explain.number", { number: number(found.sequence) })],
            ["explain.acknowledged", found.settled !== null, found.settled === null ? t("explain.noInterval")
                : t("explain.interval", { from: number(Number(found.settled.after) + 1), to: number(found.settled.through) })],
            ["explain.stored", true, t("explain.storedAs", { number: number(record.id) })],
            ["explain.judged", found.defined, record.kind !== "event" ? t("explain.noEvent")
                : !found.defined ? t("detail.undefined")
                : record.violations?.length > 0 ? t("record.violations", { n: record.violations.length })
                : t("explain.keeps")],
            ["explain.queried", true, found.view === null ? h("code", null, "records")
                : h("a", { href: formatRoute({ screen: "sql", params: {
                    sql: `SELECT *\nFROM ${found.view}\nWHERE _id = ${record.id}` } }) }, h("code", null, found.view))],
        ];
        replaceChildren(place, h("ol", { class: "steps" }, steps.map(([name, isDone, words]) =>
            h("li", { "data-done": String(isDone) }, h("strong", null, t(name)), h("span", { class: "muted" }, words)))),
        losses(found.ledger), h("p", { class: "muted" }, t("explain.note")));
    }

    /** What of the same sender did not arrive. */
    function losses(ledger) {
        if (!ledger || (ledger.gaps.length === 0 && ledger.losses.length === 0)) return null;
        return h("p", { class: "wrong" }, [
            ...(ledger.gaps.length > 0 ? [t("explain.gaps", { n: ledger.gaps.length })] : []),
            ...ledger.losses.map(({ reason, count }) => `${reason}: ${count}`),
        ].join(" · "));
    }
}

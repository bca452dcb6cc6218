// What stands around a record: the previous one of its name, its neighbours, and what led up to an error.

import { call, recordQuery } from "../base/api.js";
import { foreign, h, icon, replaceChildren } from "../base/dom.js";
import { cut, duration, valueText } from "../base/format.js";
import { fold, section } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { difference } from "../model/diff.js";
import { requestSummary } from "../model/record.js";
import { mask } from "./parameter-list.js";

const around = 10;
const longestValue = 120;

export function createSurroundings(context) {
    const { t, catalog, language } = context;
    const page = async (query) => (await call(`records?${recordQuery(query)}`)).records;

    function failed(error) { return h("p", { class: "muted" }, error.message); }

    /** A section that fills itself; `isCurrent()` tells whether the record is still shown. */
    function comparison(record, reveals, isCurrent) {
        const place = h("div", null, h("p", { class: "muted" }, "…"));
        const own = section(t("detail.diff"), place);
        const draw = async () => {
            try {
                const [previous] = await page({ tag: record.tag, kind: record.kind, before: record.id, limit: 1 });
                if (isCurrent()) replaceChildren(place, previous ? changes(previous, record, reveals)
                    : h("p", { class: "muted" }, t("detail.diffFirst")));
            } catch (error) {
                replaceChildren(place, failed(error));
            }
        };
        draw();
        return own;
    }

    function changes(previous, record, reveals) {
        const found = difference(previous, record, catalog);
        const apart = BigInt(record.time) - BigInt(previous.time);
        const other = h("a", { href: formatRoute({ screen: "history", params: { sel: String(previous.id) } }) },
            `#${previous.id}`);
        const title = h("p", { class: "muted" }, t("detail.diffWith"), " ", other, ", ",
            `${apart < 0n ? "+" : "−"}${duration(apart < 0n ? -apart : apart, language)}`);
        if (found.length === 0) return [title, h("p", null, t("detail.diffNone"))];
        const side = (value, parameter, name) => h("span", { class: name }, value === undefined || value === null ? "–"
            : parameter.isPrivate && !reveals ? mask : foreign(cut(valueText(value), longestValue), "value"));
        return [title, h("dl", { class: "changes" }, found.map((change) => [
            h("dt", null, foreign(change.name, "key")),
            h("dd", null, side(change.before, change, "before"), h("span", { class: "muted", "aria-hidden": "true" }, " → "),
                h("span", { class: "unseen" }, t("detail.diffNow")), side(change.after, change, "after")),
        ]))];
    }

    /** The records before and after, asked for once the fold is opened. */
    function neighbours(record) {
        const place = h("div");
        const details = fold(t("detail.neighbours", { n: around }), place);
        details.addEventListener("toggle", async () => {
            if (!details.open || place.hasChildNodes()) return;
            try {
                const [newer, older] = await Promise.all([
                    page({ after: record.id, order: "oldest", limit: around }),
                    page({ before: record.id, limit: around })]);
                replaceChildren(place, list([...newer.reverse(), record, ...older], record));
            } catch (error) {
                replaceChildren(place, failed(error));
            }
        });
        return details;
    }

    /** What the same session recorded just before an error, the nearest last. */
    function leadingUp(record, isCurrent) {
        const place = h("div", null, h("p", { class: "muted" }, "…"));
        const own = section(t("detail.ledUp"), place);
        const draw = async () => {
            try {
                const before = await page({ session: record.session, before: record.id, limit: around });
                if (isCurrent()) replaceChildren(place, before.length > 0 ? list([...before.reverse(), record], record)
                    : h("p", { class: "muted" }, t("detail.ledUpNothing")));
            } catch (error) {
                replaceChildren(place, failed(error));
            }
        };
        draw();
        return own;
    }

    function list(records, current) {
        return h("ul", { class: "records" }, records.map((record) => {
            const apart = BigInt(record.time) - BigInt(current.time);
            const sign = apart < 0n ? "−" : "+";
            const words = record.kind === "request" ? requestSummary(record, catalog).name
                : record.kind === "event" || !record.message ? record.tag : record.message;
            return h("li", null, h("a", {
                class: "entry", href: formatRoute({ screen: "history", params: { sel: String(record.id) } }),
                "aria-current": record === current ? "true" : null,
            }, h("span", { class: "offset" }, record === current ? "●" : `${sign}${duration(apart < 0n ? -apart : apart, language)}`),
            h("span", { class: "picture", "data-kind": record.kind }, icon(record.kind)),
            h("span", { class: "unseen" }, t(`kind.${record.kind}`)), foreign(cut(words, 160), "tag")));
        }));
    }

    return { comparison, neighbours, leadingUp };
}

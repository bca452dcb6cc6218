// @ts-check
// What has happened to an alert: when it fired and ended, who was notified and who was not.

import { foreign, h } from "../base/dom.js";
import { shortMoment } from "../base/format.js";
import { badge } from "../base/pane.js";
import { formatRoute } from "../base/route.js";

/** How far back the records begin that may have made an alert fire: a quarter of an hour. */
const before = 900_000_000_000n;

/** @type {Partial<Record<AlertEvent["kind"], string>>} */
const levels = { fired: "error", held: "warning", refused: "error", dropped: "error" };

/** @param {PageContext} context @param {AlertEvent[]} events the newest first */
export function historyTable(context, events) {
    const { t } = context;
    if (events.length === 0) return h("p", { class: "muted" }, t("alert.noHistory"));
    return h("ul", { class: "alerthistory" }, events.map((event) => line(context, event)));
}

/** @param {PageContext} context @param {AlertEvent} event */
function line({ t, language }, { kind, time, label, value, reason, target, count, by, until }) {
    const has = (/** @type {unknown} */ one) => one !== undefined && one !== null;
    return h("li", null,
        h("span", { class: "muted" }, shortMoment(time, Date.now(), language)),
        badge(t(`alert.did.${kind}`), levels[kind]),
        has(label) ? foreign(String(label), "key") : null, has(value) ? h("strong", null, String(value)) : null,
        has(target) ? foreign(String(target), "key") : null,
        count > 1 ? h("span", { class: "muted" }, t("alert.tries", { n: count })) : null,
        by && until ? h("span", { class: "muted" }, foreign(t("alert.mutedUntil",
            { time: shortMoment(until, Date.now(), language), name: by }))) : by ? foreign(by, "muted") : null,
        has(reason) ? foreign(String(reason), "reason") : null,
        kind === "fired" || kind === "held" ? h("a", { class: "whole", href: formatRoute({ screen: "history", params: {
            since: String(BigInt(time) - before), until: String(BigInt(time) + 1n),
        } }) }, t("alert.records")) : null);
}

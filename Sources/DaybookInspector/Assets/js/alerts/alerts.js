// @ts-check
// The collector's alerts: what each asks, its state, whom it notifies, and what has happened.

import { call } from "../base/api.js";
import { textButton } from "../base/controls.js";
import { breakable, foreign, h, prose, replaceChildren } from "../base/dom.js";
import { ago, shortMoment } from "../base/format.js";
import { ListScreen } from "../base/list-screen.js";
import { badge, factList, failureNotice, hint, paneTop, section } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { alertLevels, stateBadge } from "../parts/alert-state.js";
import { historyTable } from "./alert-history.js";
import { openMuteDialog, setMute } from "./mute-dialog.js";

const pause = 5_000;
const shortestPause = 500;
/** @type {AlertState[]} */
const urgency = ["firing", "failed", "pending", "no_data", "unknown", "hidden", "inactive"];

/** @implements {PageScreen} */
export class Alerts extends ListScreen {
    /** @type {Alert[] | null} the most urgent first; null until an answer has come */
    #alerts = null;
    /** @type {AlertEvent[]} the selected alert's, the newest first */
    #events = [];
    /** When was asked last, by `performance.now()`. */
    #askedAt = 0;

    /** @param {PageContext} context */
    constructor(context) {
        super(context, "alerts", "alerts", "detail");
        const isIdle = () => this.main.isConnected && !this.order.isWaiting;
        setInterval(() => { if (isIdle() && !document.hidden) this.#load(); }, pause);
        // The collector stores a record when an alert begins and ends.
        context.live.listen(() => { if (isIdle() && performance.now() - this.#askedAt > shortestPause) this.#load(); });
    }

    /** @param {Route} route */
    show({ path }) {
        const isOther = this.select(path);
        if (isOther) this.#events = [];
        this.draw();
        this.#load(isOther ? this.order.askAnew() : this.order.ask());
    }

    /** @param {() => boolean} isNews */
    #load(isNews = this.order.ask()) {
        this.#askedAt = performance.now();
        return this.ask(async () => {
            const alerts = (await call("alerts")).alerts
                .sort((left, right) => urgency.indexOf(left.state) - urgency.indexOf(right.state));
            const name = this.selected;
            const { events } = name !== null && alerts.some((alert) => alert.name === name)
                ? await call(`alerts/history?alert=${encodeURIComponent(name)}`) : { events: [] };
            return () => {
                const isSame = JSON.stringify([alerts, events]) === JSON.stringify([this.#alerts, this.#events]);
                [this.#alerts, this.#events] = [alerts, events];
                return !isSame;
            };
        }, isNews);
    }

    /** @override */
    draw() {
        const { t } = this.context;
        replaceChildren(this.list, this.failure && !this.#alerts ? failureNotice(t, this.failure, () => this.#load())
            : this.#all.map((alert) => this.#line(alert)));
        const alert = this.#all.find(({ name }) => name === this.selected);
        this.side.dataset.empty = String(!alert);
        replaceChildren(this.side, alert ? [paneTop(t, stateBadge(t, alert.state), () => this.go(null)),
            alertView(this.context, alert, this.#events, () => this.#load())] : hint(t("alert.hint")));
    }

    /** @param {Alert} alert */
    #line({ name, state, description, mute, deliveries }) {
        const { t } = this.context;
        const isUntold = deliveries.some(({ failure }) => failure !== null);
        return this.entry(name, h("span", { class: "entrytop" }, foreign(name, "tag"),
            h("span", { class: "badges" }, stateBadge(t, state),
            mute ? badge(t("alert.muted")) : null, isUntold ? badge(t("alert.untold"), "error") : null)),
        description ? h("span", { class: "muted" }, foreign(description.trim().split("\n")[0])) : null);
    }

    get #all() { return this.#alerts ?? []; }

    /** @override */
    get ids() { return this.#all.map(({ name }) => name); }

    /** The next alert in trouble below, or above.
     * @param {number} by */
    error(by) {
        const index = this.ids.indexOf(this.selected ?? "");
        const order = by > 0 ? this.#all.slice(index + 1) : this.#all.slice(0, Math.max(0, index)).reverse();
        const found = order.find(({ state }) => alertLevels[state] === "error");
        if (found) this.choose(found.name);
    }
}

/** @param {PageContext} context @param {Alert} alert @param {AlertEvent[]} events @param {() => unknown} changed */
function alertView(context, alert, events, changed) {
    const { t, language, runSQLOnce } = context;
    const labels = alert.labels ?? [];
    return h("div", { class: "content" },
        h("h2", null, foreign(alert.name)), h("div", { class: "definition" }, prose(alert.description ?? "")),
        muteLine(context, alert, changed),
        alert.left_out.length > 0
            ? h("div", { class: "warning" }, t("alert.leftOut"), " ", foreign(alert.left_out.join("; "))) : null,
        labels.length > 0 ? section(t("alert.labels"), h("ul", { class: "labels" }, labels.map((one) =>
            h("li", null, stateBadge(t, one.state), one.held ? badge(t("alert.held")) : null,
                one.label === null ? null : foreign(one.label, "key"),
                one.value === null || one.value === undefined ? null : h("strong", null, String(one.value)),
                h("span", { class: "muted" }, ago(one.since, Date.now(), language)),
                one.reason ? foreign(one.reason, "reason") : null))))
            : null,
        alert.failure ? h("div", { class: "warning" }, foreign(alert.failure)) : null,
        alert.state === "hidden" ? h("p", { class: "muted" }, t("alert.hiddenWhy"))
            : section(t("alert.targets"), alert.deliveries.length > 0
            ? h("ul", { class: "deliveries" }, alert.deliveries.map((one) => deliveryLine(context, one)))
            : h("p", { class: "muted" }, t("alert.nobody"))),
        factList([
            [t("alert.when"), foreign(alert.condition || "–")], [t("alert.every"), foreign(alert.every)],
            [t("alert.quietHours"), alert.quiet.length > 0 ? foreign(alert.quiet.join(", ")) : null],
            [t("alert.evaluated"), alert.evaluated === null ? "–" : ago(alert.evaluated, Date.now(), language)],
            [t("alert.file"), h("bdi", null, breakable(`${alert.file}:${alert.line}`))],
        ]),
        alert.sql === null
            ? section(t("screen.check"), h("pre", { class: "sample" }, foreign(alert.checklist)))
            : section("SQL", h("pre", { class: "sample" }, foreign(alert.sql)), h("div", { class: "actions" },
                h("a", { class: "button", href: formatRoute({ screen: "sql", params: { sql: alert.sql } }),
                    on: { click: runSQLOnce } }, t("dict.run")))),
        section(t("alert.history"), historyTable(context, events)));
}

/** Who muted it until when, with a button that changes that.
 * @param {PageContext} context @param {Alert} alert @param {() => unknown} changed */
function muteLine(context, { name, mute }, changed) {
    const { t, language } = context;
    if (mute === null) {
        return h("div", { class: "actions" },
            textButton(t("alert.mute"), () => openMuteDialog(context, name, changed), t("alert.muteHint")));
    }
    return h("div", null,
        h("p", { class: "muted" }, foreign(t("alert.mutedUntil",
            { time: shortMoment(mute.until, Date.now(), language), name: mute.by }))),
        h("div", { class: "actions" }, textButton(t("alert.unmute"), async () => {
            await setMute(context, name, "0s");
            changed();
        })));
}

/** Whether the last message was delivered: a target's name alone would read as if it was.
 * @param {PageContext} context @param {AlertDelivery} delivery */
function deliveryLine({ t, language }, { target, tried, failure, failures, waiting, next_try: next }) {
    const state = failure !== null ? badge(t("alert.refused"), "error")
        : tried === null ? badge(waiting > 0 ? t("alert.waiting") : t("alert.nothingSent"))
            : badge(t("alert.did.delivered"));
    return h("li", null, state, foreign(target, "key"),
        tried === null ? null : h("span", { class: "muted" }, ago(tried, Date.now(), language)),
        failure === null ? null : h("span", { class: "reason" }, foreign(failure),
            tried === null ? null : ` · ${t("alert.tries", { n: failures })}`,
            tried === null ? null : next === null ? ` · ${t("alert.givenUp")}` : ` · ${t("alert.triedAgain")}`));
}

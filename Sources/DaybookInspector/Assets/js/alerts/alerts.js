// @ts-check
// The alerts of the collector: what each asks, how it stands, who is told and what has happened. Shown where the server has
// alerts.

import { AnswerOrder } from "../base/answer-order.js";
import { call, messageOf } from "../base/api.js";
import { breakable, foreign, h, prose, replaceChildren } from "../base/dom.js";
import { ago, shortMoment } from "../base/format.js";
import { badge, factList, failureNotice, paneTop, revealCurrent, scrollToEdge, section, textButton } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { historyTable } from "./alert-history.js";
import { openMuteDialog, setMute } from "./mute-dialog.js";

const pause = 5_000;
const shortestPause = 500;
/** @type {AlertState[]} */
const urgency = ["firing", "failed", "pending", "no_data", "unknown", "hidden", "inactive"];
/** @type {Partial<Record<AlertState, string>>} */
const levels = { firing: "error", failed: "error", pending: "warning", no_data: "warning" };

/** @implements {PageScreen} */
export class Alerts {
    /**
     * The most urgent first; null until an answer has come.
     * @type {Alert[] | null}
     */
    #alerts = null;
    /** @type {Error | null} */
    #failure = null;
    /**
     * The name in the address.
     * @type {string | null}
     */
    #selected = null;
    /**
     * Of the selected alert, the newest first; null until an answer has come.
     * @type {AlertEvent[] | null}
     */
    #events = null;
    #order = new AnswerOrder();
    /** When was asked last, by `performance.now()`. */
    #askedAt = 0;
    #list;

    /** @param {PageContext} context */
    constructor(context) {
        const { t, live } = context;
        this.context = context;
        this.#list = h("div", { class: "tree-list", tabindex: "0", "data-keys": "list", "aria-label": t("screen.alerts") });
        this.main = h("section", { class: "pane alerts" },
            h("div", { class: "toolbar" }, h("h1", null, t("screen.alerts"))), this.#list);
        this.side = h("aside", { class: "pane detail", tabindex: "-1", "aria-label": t("screen.alerts") });
        setInterval(() => { if (this.main.isConnected && !document.hidden && !this.#order.isWaiting) this.#load(); }, pause);
        // The collector records what begins and ends.
        live.listen(() => {
            if (this.main.isConnected && !this.#order.isWaiting && performance.now() - this.#askedAt > shortestPause) this.#load();
        });
    }

    /** @param {Route} route */
    show({ path }) {
        const isOther = this.#selected !== (path[0] ?? null);
        if (isOther) this.#events = null;
        this.#selected = path[0] ?? null;
        this.#draw();
        this.#load(isOther ? this.#order.askAnew() : this.#order.ask());
    }

    /** @param {() => boolean} isNews */
    async #load(isNews = this.#order.ask()) {
        this.#askedAt = performance.now();
        try {
            const news = (await call("alerts")).alerts
                .sort((left, right) => urgency.indexOf(left.state) - urgency.indexOf(right.state));
            const name = this.#selected;
            const events = name !== null && news.some((alert) => alert.name === name)
                ? (await call(`alerts/history?alert=${encodeURIComponent(name)}`)).events : null;
            if (!isNews()) return;
            const isSame = this.#failure === null
                && JSON.stringify([news, events]) === JSON.stringify([this.#alerts, this.#events]);
            [this.#alerts, this.#events, this.#failure] = [news, events, null];
            if (isSame) return;
        } catch (error) {
            if (!isNews()) return;
            this.#failure = error instanceof Error ? error : new Error(messageOf(error));
        }
        this.#draw();
    }

    #draw() {
        const { t } = this.context;
        replaceChildren(this.#list, this.#failure && !this.#alerts
            ? failureNotice(t, this.#failure, () => this.#load())
            : (this.#alerts ?? []).map((alert) => this.#line(alert)));
        const alert = this.#alerts?.find(({ name }) => name === this.#selected);
        this.main.dataset.selected = String(this.#selected !== null);
        this.side.dataset.empty = String(!alert);
        if (alert) replaceChildren(this.side, paneTop(t, stateBadge(t, alert.state), () => this.#go(null)),
            alertView(this.context, alert, this.#events ?? [], () => this.#load()));
        else replaceChildren(this.side, h("div", { class: "hint" }, h("p", null, t("alert.hint"))));
    }

    /** @param {Alert} alert */
    #line({ name, state, description, mute, deliveries }) {
        const { t } = this.context;
        const isUntold = deliveries.some(({ failure }) => failure !== null);
        return h("a", {
            class: "entry tall", href: formatRoute({ screen: "alerts", path: [name] }),
            "aria-current": name === this.#selected ? "true" : null,
        }, h("span", { class: "entrytop" }, foreign(name, "tag"), h("span", { class: "badges" }, stateBadge(t, state),
            mute ? badge(t("alert.muted")) : null, isUntold ? badge(t("alert.untold"), "error") : null)),
        description ? h("span", { class: "muted" }, foreign(description.trim().split("\n")[0])) : null);
    }

    // Keys.

    /** @param {string | null} name */
    #go(name, replace = false) {
        this.context.navigate({ screen: "alerts", path: name === null ? [] : [name] }, { replace });
    }

    /** @param {Alert} alert */
    #choose({ name }) {
        this.#go(name, true);
        revealCurrent(this.#list);
    }

    /** @param {number} step */
    move(step) {
        const alerts = this.#alerts ?? [];
        if (alerts.length === 0) return;
        const index = alerts.findIndex(({ name }) => name === this.#selected);
        this.#choose(alerts[index < 0 ? 0 : Math.min(Math.max(index + step, 0), alerts.length - 1)]);
    }

    /** @param {boolean} isLast */
    edge(isLast) { scrollToEdge(this.#list, isLast); }

    /**
     * The next alert in trouble below, or the previous one above.
     * @param {number} by
     */
    error(by) {
        const alerts = this.#alerts ?? [];
        const index = alerts.findIndex(({ name }) => name === this.#selected);
        const order = by > 0 ? alerts.slice(index + 1) : alerts.slice(0, Math.max(0, index)).reverse();
        const found = order.find(({ state }) => levels[state] === "error");
        if (found) this.#choose(found);
    }

    open() {
        if (this.#selected === null) this.move(0);
        else this.side.focus();
    }

    close() { if (this.#selected !== null) this.#go(null); }
}

/**
 * @param {Translate} t
 * @param {AlertState} state
 */
function stateBadge(t, state) { return badge(t(`alert.${state}`), levels[state] ?? null); }

/**
 * @param {PageContext} context
 * @param {Alert} alert
 * @param {AlertEvent[]} events
 * @param {() => unknown} changed
 */
function alertView(context, alert, events, changed) {
    const { t, language, runSQLOnce } = context;
    const labels = alert.labels ?? [];
    return h("div", { class: "content" },
        h("h2", null, foreign(alert.name)), h("div", { class: "definition" }, prose(alert.description ?? "")),
        muteLine(context, alert, changed),
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

/**
 * Who muted it and until when, and the way to change that.
 * @param {PageContext} context
 * @param {Alert} alert
 * @param {() => unknown} changed
 */
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

/**
 * Whether the last message was taken, in words: a target's name alone would say that somebody was told.
 * @param {PageContext} context
 * @param {AlertDelivery} delivery
 */
function deliveryLine({ t, language }, { target, tried, failure, failures, waiting, next_try: next }) {
    const state = failure !== null ? badge(t("alert.refused"), "error")
        : tried === null ? badge(waiting > 0 ? t("alert.waiting") : t("alert.nothingSent")) : badge(t("alert.taken"));
    return h("li", null, state, foreign(target, "key"),
        tried === null ? null : h("span", { class: "muted" }, ago(tried, Date.now(), language)),
        failure === null ? null : h("span", { class: "reason" }, foreign(failure),
            tried === null ? null : ` · ${t("alert.tries", { n: failures })}`,
            tried === null ? null : next === null ? ` · ${t("alert.givenUp")}` : ` · ${t("alert.triedAgain")}`));
}

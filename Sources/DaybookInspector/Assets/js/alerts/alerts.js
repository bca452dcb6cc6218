// @ts-check
// The alerts of the collector: what each asks, how it stands, and since when. Shown where the server has alerts.

import { call, messageOf } from "../base/api.js";
import { breakable, foreign, h, prose, replaceChildren } from "../base/dom.js";
import { ago } from "../base/format.js";
import { badge, factList, failureNotice, paneTop, revealCurrent, scrollToEdge, section } from "../base/pane.js";
import { formatRoute } from "../base/route.js";

const pause = 5_000;
const shortestPause = 500;
/** @type {AlertState[]} */
const urgency = ["firing", "failed", "pending", "no_data", "unknown", "inactive"];
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
        setInterval(() => { if (this.main.isConnected && !document.hidden) this.#load(); }, pause);
        // The collector records what begins and ends.
        live.listen(() => {
            if (this.main.isConnected && performance.now() - this.#askedAt > shortestPause) this.#load();
        });
    }

    /** @param {Route} route */
    show({ path }) {
        this.#selected = path[0] ?? null;
        this.#draw();
        this.#load();
    }

    async #load() {
        this.#askedAt = performance.now();
        try {
            const news = (await call("alerts")).alerts
                .sort((left, right) => urgency.indexOf(left.state) - urgency.indexOf(right.state));
            const isSame = this.#failure === null && JSON.stringify(news) === JSON.stringify(this.#alerts);
            [this.#alerts, this.#failure] = [news, null];
            if (isSame) return;
        } catch (error) {
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
            alertView(this.context, alert));
        else replaceChildren(this.side, h("div", { class: "hint" }, h("p", null, t("alert.hint"))));
    }

    /** @param {Alert} alert */
    #line({ name, state, description }) {
        return h("a", {
            class: "entry tall", href: formatRoute({ screen: "alerts", path: [name] }),
            "aria-current": name === this.#selected ? "true" : null,
        }, h("span", { class: "entrytop" }, foreign(name, "tag"), stateBadge(this.context.t, state)),
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
 */
function alertView({ t, language, runSQLOnce }, alert) {
    const labels = alert.labels ?? [];
    return h("div", { class: "content" },
        h("h2", null, foreign(alert.name)), h("div", { class: "definition" }, prose(alert.description ?? "")),
        labels.length > 0 ? section(t("alert.labels"), h("ul", { class: "labels" }, labels.map((one) =>
            h("li", null, stateBadge(t, one.state), one.label === null ? null : foreign(one.label, "key"),
                one.value === null || one.value === undefined ? null : h("strong", null, String(one.value)),
                h("span", { class: "muted" }, ago(one.since, Date.now(), language)),
                one.reason ? foreign(one.reason, "reason") : null))))
            : null,
        alert.failure ? h("div", { class: "warning" }, foreign(alert.failure)) : null,
        factList([
            [t("alert.when"), foreign(alert.condition || "–")], [t("alert.every"), foreign(alert.every)],
            [t("alert.evaluated"), alert.evaluated === null ? "–" : ago(alert.evaluated, Date.now(), language)],
            [t("alert.targets"), alert.targets.length > 0 ? foreign(alert.targets.join(", ")) : "–"],
            [t("alert.file"), h("bdi", null, breakable(`${alert.file}:${alert.line}`))],
        ]),
        alert.sql === null
            ? section(t("screen.check"), h("pre", { class: "sample" }, foreign(alert.checklist)))
            : section("SQL", h("pre", { class: "sample" }, foreign(alert.sql)), h("div", { class: "actions" },
                h("a", { class: "button", href: formatRoute({ screen: "sql", params: { sql: alert.sql } }),
                    on: { click: runSQLOnce } }, t("dict.run")))));
}

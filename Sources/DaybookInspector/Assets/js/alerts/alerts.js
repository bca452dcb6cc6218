// The alerts of the collector: what each asks, how it stands, and since when. Shown where the server has alerts.

import { call } from "../base/api.js";
import { breakable, foreign, h, prose, replaceChildren } from "../base/dom.js";
import { ago } from "../base/format.js";
import { badge, paneTop, revealCurrent, scrollToEdge, section } from "../base/pane.js";
import { formatRoute } from "../base/route.js";

const pause = 5_000;
const shortestPause = 500;
const urgency = ["firing", "failed", "pending", "no_data", "unknown", "inactive"];
const level = { firing: "error", failed: "error", pending: "warning", no_data: "warning" };

export function createAlerts(context) {
    const { t, navigate, language, live } = context;
    let alerts = null;
    let failure = null;
    let selected = null;

    const list = h("div", { class: "tree-list", tabindex: "0", "data-keys": "list", "aria-label": t("screen.alerts") });
    const main = h("section", { class: "pane alerts" }, h("div", { class: "toolbar" },
        h("h1", null, t("screen.alerts"))), list);
    const side = h("aside", { class: "pane detail", tabindex: "-1", "aria-label": t("screen.alerts") });
    setInterval(() => { if (main.isConnected && !document.hidden) load(); }, pause);
    // The collector records what begins and ends.
    live.listen(() => { if (main.isConnected && performance.now() - loadedAt > shortestPause) load(); });

    let loadedAt = 0;
    async function load() {
        loadedAt = performance.now();
        try {
            const news = (await call("alerts")).alerts
                .sort((left, right) => urgency.indexOf(left.state) - urgency.indexOf(right.state));
            const isSame = failure === null && JSON.stringify(news) === JSON.stringify(alerts);
            [alerts, failure] = [news, null];
            if (isSame) return;
        } catch (error) {
            failure = error;
        }
        draw();
    }

    const stateBadge = (state) => badge(t(`alert.${state}`), level[state] ?? null);

    function draw() {
        replaceChildren(list, failure && !alerts
            ? h("div", { class: "notice" }, h("h2", null, t("error.title")), h("p", null, failure.message),
                h("button", { class: "button", type: "button", on: { click: load } }, t("error.retry")))
            : (alerts ?? []).map((alert) => h("a", {
                class: "entry tall", href: formatRoute({ screen: "alerts", path: [alert.name] }),
                "aria-current": alert.name === selected ? "true" : null,
            }, h("span", { class: "entrytop" }, foreign(alert.name, "tag"), stateBadge(alert.state)),
            alert.description ? h("span", { class: "muted" }, foreign(firstLine(alert.description))) : null)));
        const alert = alerts?.find(({ name }) => name === selected);
        main.dataset.selected = String(selected !== null);
        side.dataset.empty = String(!alert);
        if (!alert) {
            replaceChildren(side, h("div", { class: "hint" }, h("p", null, t("alert.hint"))));
            return;
        }
        replaceChildren(side, paneTop(t, stateBadge(alert.state), () => go(null)), h("div", { class: "content" },
            h("h2", null, foreign(alert.name)), h("div", { class: "definition" }, prose(alert.description ?? "")),
            (alert.labels ?? []).length > 0 ? section(t("alert.labels"), h("ul", { class: "labels" }, alert.labels.map((one) =>
                h("li", null, stateBadge(one.state), one.label === null ? null : foreign(one.label, "key"),
                    one.value === null || one.value === undefined ? null : h("strong", null, String(one.value)),
                    h("span", { class: "muted" }, ago(one.since, Date.now(), language)),
                    one.reason ? foreign(one.reason, "reason") : null))))
                : null,
            alert.failure ? h("div", { class: "warning" }, foreign(alert.failure)) : null,
            h("dl", { class: "facts" }, [
                [t("alert.when"), foreign(alert.condition || "–")], [t("alert.every"), foreign(alert.every)],
                [t("alert.evaluated"), alert.evaluated === null ? "–" : ago(alert.evaluated, Date.now(), language)],
                [t("alert.targets"), alert.targets.length > 0 ? foreign(alert.targets.join(", ")) : "–"],
                [t("alert.file"), h("bdi", null, breakable(`${alert.file}:${alert.line}`))],
            ].map(([label, fact]) => [h("dt", null, label), h("dd", null, fact)])),
            alert.sql === null
                ? section(t("screen.check"), h("pre", { class: "sample" }, foreign(alert.checklist)))
                : section("SQL", h("pre", { class: "sample" }, foreign(alert.sql)), h("div", { class: "actions" },
                h("a", { class: "button", href: formatRoute({ screen: "sql", params: { sql: alert.sql } }),
                    on: { click: () => context.runSQLOnce() } }, t("dict.run"))))));
    }

    function firstLine(text) { return text.trim().split("\n")[0]; }

    function go(name, replace = false) { navigate({ screen: "alerts", path: name === null ? [] : [name] }, { replace }); }

    return {
        main,
        side,
        show({ path }) {
            selected = path[0] ?? null;
            draw();
            load();
        },
        move(step) {
            if (!alerts?.length) return;
            const index = alerts.findIndex(({ name }) => name === selected);
            go(alerts[index < 0 ? 0 : Math.min(Math.max(index + step, 0), alerts.length - 1)].name, true);
            revealCurrent(list);
        },
        edge(isLast) { scrollToEdge(list, isLast); },
        /** The next alert in trouble below, or the previous one above. */
        error(by) {
            const index = (alerts ?? []).findIndex(({ name }) => name === selected);
            const order = by > 0 ? alerts?.slice(index + 1) : alerts?.slice(0, Math.max(0, index)).reverse();
            const found = order?.find(({ state }) => level[state] === "error");
            if (!found) return;
            go(found.name, true);
            revealCurrent(list);
        },
        open() { if (selected === null) this.move(0); else side.focus(); },
        close() { if (selected !== null) go(null); },
    };
}

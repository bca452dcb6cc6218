// One exchange in full: how it went, headers and bodies, and what else happened meanwhile.

import { call, recordQuery } from "../base/api.js";
import { copyButton, foreign, h, icon, replaceChildren } from "../base/dom.js";
import { bytes, cut, duration, moment } from "../base/format.js";
import { jsonTree } from "../base/json-tree.js";
import { linkList } from "../base/links.js";
import { longText } from "../base/long-text.js";
import { badge, fold, paneTop, section } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { curlOf } from "../export/curl.js";
import { harFile } from "../export/har.js";
import { exchangeOf, isBad, parsedJSON } from "../model/exchange.js";
import { isSecretName, redactedRecord } from "../model/redaction.js";

const mask = "••••";
const neighbourhood = 200;
const mostEvents = 50;

export function createNetworkDetail(context, { close }) {
    const { t, catalog, language } = context;
    const element = h("aside", { class: "pane detail exchange", tabindex: "-1", "aria-label": t("net.detail") });
    let wanted = null;
    let reveals = false;
    clear();

    function clear() {
        wanted = null;
        element.dataset.empty = "true";
        replaceChildren(element, h("div", { class: "hint" }, h("p", null, t("net.hint"))));
    }

    async function show(id, known) {
        if (wanted === id) return;
        wanted = id;
        reveals = false;
        element.dataset.empty = "false";
        try {
            const record = known ?? (await call(`records/${id}`)).record;
            if (wanted === id) draw(record);
        } catch (error) {
            if (wanted !== id) return;
            replaceChildren(element, paneTop(t, t("net.detail"), close), h("div", { class: "hint" },
                h("p", null, error.message)));
        }
    }

    function draw(record) {
        element.scrollTop = 0;
        const exchange = exchangeOf(record);
        // A copy never holds more than the page shows.
        const shared = () => (reveals ? record
            : redactedRecord(record, catalog, { private: true, credentials: true }).record);
        const meanwhile = h("div");
        replaceChildren(element,
            paneTop(t, h("span", { class: "kindline", "data-kind": "request" }, icon("request"),
                t("kind.request")), close),
            h("div", { class: "content" },
                h("h2", { class: "tag" }, h("span", { class: "method" }, exchange.method), " ",
                    foreign(exchange.path || record.tag)),
                h("p", { class: "outcome" },
                    h("strong", { "data-bad": String(isBad(exchange)) },
                        foreign(exchange.status ?? exchange.failure ?? t("net.noAnswer"))),
                    ` · ${duration(record.duration ?? 0, language)}`,
                    exchange.response.size === null ? "" : ` · ${bytes(exchange.response.size, language)}`,
                    exchange.type ? [" · ", foreign(exchange.type)] : ""),
                h("p", { class: "when" }, moment(record.time, language)),
                exchange.operation ? h("p", null, badge("GraphQL"), " ", foreign(exchange.operation, "key")) : null,
                h("div", { class: "actions" },
                    copyButton(t("net.copyURL"), t("copy.done"), () => exchangeOf(shared()).url),
                    copyButton("cURL", t("copy.done"), () => curlOf(exchangeOf(shared()))),
                    copyButton("HAR", t("copy.done"), () => harFile([shared()])),
                    h("a", { class: "button quiet",
                        href: formatRoute({ screen: "history", params: { sel: String(record.id) } }) },
                    icon("history"), h("span", null, t("net.inHistory")))),
                linkList(context, "request", { path: exchange.path, host: exchange.host, method: exchange.method,
                    operation: exchange.operation ?? "", tag: record.tag }),
                section(t("net.address"), h("p", { class: "url" }, foreign(reveals ? exchange.url
                    : exchangeOf(shared()).url))),
                exchange.phases.length > 0 ? section(t("net.took"), h("dl", { class: "facts" },
                    exchange.phases.map(([phase, length]) => [h("dt", null, t(`net.phase.${phase}`)),
                        h("dd", null, duration(length, language))]))) : null,
                side(record, t("net.request"), exchange.request),
                side(record, t("net.response"), exchange.response),
                section(t("net.meanwhile"), meanwhile)));
        drawMeanwhile(record, exchange, meanwhile);
    }

    function side(record, title, { headers, body, size }) {
        const isEmpty = headers.length === 0 && body === null;
        return section(title,
            isEmpty ? h("p", { class: "muted" }, t("net.notRecorded"), size === null ? "" : ` (${bytes(size, language)})`) : null,
            headers.length > 0 ? fold(t("net.headers", { n: headers.length }), h("dl", { class: "facts" },
                headers.map(([name, value]) => [h("dt", null, foreign(name)),
                    h("dd", null, isSecretName(name) && !reveals ? hidden(record) : longText(t, value))])),
            true) : null,
            body === null ? null : bodyView(body));
    }

    function hidden(record) {
        return h("button", { class: "button quiet inline", type: "button", title: t("detail.reveal"),
            on: { click: () => { reveals = true; draw(record); } } }, mask);
    }

    function bodyView(body) {
        const parsed = parsedJSON(body);
        const content = parsed === undefined
            ? h("pre", { class: "sample body" }, longText(t, body))
            : h("div", { class: "tree" }, jsonTree(parsed, t, 2));
        return fold(t("net.body"), [h("div", { class: "actions" },
            copyButton(t("net.copyBody"), t("copy.done"), () => body)), content], true);
    }

    /** Records of the same session whose time lies within the exchange. */
    async function drawMeanwhile(record, exchange, place) {
        const near = (query) => call(`records?${recordQuery({ session: record.session, limit: neighbourhood, ...query })}`);
        try {
            const [older, newer] = await Promise.all([
                near({ before: record.id }), near({ after: record.id, order: "oldest" })]);
            if (wanted !== String(record.id)) return;
            const end = exchange.start + BigInt(Math.round(exchange.nanoseconds));
            const found = [...older.records, ...newer.records]
                .filter(({ time }) => BigInt(time) >= exchange.start && BigInt(time) <= end)
                .sort((left, right) => (BigInt(left.time) < BigInt(right.time) ? -1 : 1)).slice(0, mostEvents);
            replaceChildren(place, found.length === 0 ? h("p", { class: "muted" }, t("net.nothingElse"))
                : h("ul", { class: "records" }, found.map((other) => h("li", null, h("a", {
                    class: "entry", href: formatRoute({ screen: "history", params: { sel: String(other.id) } }),
                }, h("span", { class: "offset" }, `+${duration(BigInt(other.time) - exchange.start, language)}`),
                h("span", { class: "picture", "data-kind": other.kind }, icon(other.kind)),
                foreign(cut(other.kind === "event" ? other.tag : other.message ?? other.tag, 120), "tag"))))));
        } catch (error) {
            replaceChildren(place, h("p", { class: "muted" }, error.message));
        }
    }

    return { element, show, clear };
}

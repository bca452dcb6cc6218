// @ts-check
// A complete exchange: outcome, headers and bodies, and what else happened during it.

import { call, messageOf, recordQuery, whole } from "../base/api.js";
import { button, linkButton, quietButton } from "../base/controls.js";
import { copyButton, foreign, h, icon, replaceChildren } from "../base/dom.js";
import { bytes, cut, distance, duration, moment } from "../base/format.js";
import { jsonTree } from "../base/json-tree.js";
import { linkList } from "../base/links.js";
import { badge, factList, fold, hint, longText, paneTop, section } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { curlOf, harFile } from "../export/request-files.js";
import { exchangeOf, isBad, parsedJSON } from "../model/exchange.js";
import { mask } from "../model/record.js";
import { isMark } from "../model/redaction.js";
import { fill } from "../parts/filling.js";

const neighbourhood = 200;
const mostEvents = 50;

export class NetworkDetail {
    /** @type {string | null} the number of the record that was asked for */
    #wanted = null;

    /** @param {PageContext} context @param {() => void} close */
    constructor(context, close) {
        this.context = context;
        this.close = close;
        this.element = h("aside", { class: "pane detail exchange", tabindex: "-1",
            "aria-label": context.t("net.request") });
        this.clear();
    }

    clear() {
        this.#wanted = null;
        this.element.dataset.empty = "true";
        replaceChildren(this.element, hint(this.context.t("net.hint")));
    }

    /** @param {string} id @param {LogRecord} [known] the record, where it is at hand */
    async show(id, known) {
        if (this.#wanted === id) return;
        this.#wanted = id;
        this.element.dataset.empty = "false";
        try {
            const record = known ? await whole(known) : (await call(`records/${id}`)).record;
            const kept = await keptBodies(record);
            if (this.#wanted === id) this.#draw(record, kept);
        } catch (error) {
            if (this.#wanted !== id) return;
            const { t } = this.context;
            replaceChildren(this.element, paneTop(t, t("net.request"), this.close), hint(messageOf(error)));
        }
    }

    /** @param {LogRecord} record @param {KeptBodies} [kept] */
    #draw(record, kept = noBodies) {
        const { t, language } = this.context;
        const exchange = exchangeOf(record);
        const meanwhile = h("div");
        this.element.scrollTop = 0;
        replaceChildren(this.element,
            paneTop(t, h("span", { class: "kindline", "data-kind": "request" }, icon("request"), t("kind.request")),
                this.close),
            h("div", { class: "content" }, heading(this.context, record, exchange), this.#actions(record),
                linkList(this.context, "request", { path: exchange.path, host: exchange.host, method: exchange.method,
                    operation: exchange.operation ?? "", tag: record.tag }),
                section(t("net.address"), h("p", { class: "url" }, foreign(exchange.url))),
                exchange.phases.length > 0 ? section(t("net.took"), factList(exchange.phases.map(([phase, length]) =>
                    [t(`net.phase.${phase}`), duration(length, language)]))) : null,
                this.#side(record, t("net.request"), exchange.request, kept.request),
                this.#side(record, t("net.response"), exchange.response, kept.response),
                section(t("net.meanwhile"), meanwhile)));
        fill(meanwhile, async () => eventList(this.context, await recordsDuring(record, exchange), exchange.start),
            () => this.#wanted === String(record.id));
    }

    /** @param {LogRecord} record */
    #actions(record) {
        const { t } = this.context;
        const copied = t("copy.done");
        return h("div", { class: "actions" },
            copyButton("URL", copied, () => exchangeOf(record).url),
            copyButton("cURL", copied, () => curlOf(exchangeOf(record))),
            copyButton("HAR", copied, () => harFile([record])),
            linkButton("history", t("net.inHistory"), formatRoute({ screen: "history", params: { sel: record.id } })),
            record.masked ? quietButton(t("detail.reveal"), () => this.#reveal(record.id)) : null);
    }

    /** @param {LogRecord} record @param {string} title @param {ExchangeSide} side
     * @param {string | null} kept the body where it is in memory alone */
    #side(record, title, { headers, body, size }, kept) {
        const { t, language } = this.context;
        const isEmpty = headers.length === 0 && body === null && kept === null;
        return section(title,
            isEmpty ? h("p", { class: "muted" }, t("net.notRecorded"),
                size === null ? "" : ` (${bytes(size, language)})`) : null,
            headers.length > 0 ? fold(t("net.headers", { n: headers.length }), h("dl", { class: "facts" },
                headers.map(([name, value]) => [h("dt", null, foreign(name)),
                    h("dd", null, record.masked && isMark(value) ? button("button quiet inline", mask,
                        () => this.#reveal(record.id), { title: t("detail.reveal") }) : longText(t, value))])),
            true) : null,
            body !== null ? bodyView(t, body) : kept === null ? null
                : [bodyView(t, kept), h("p", { class: "muted" }, t("net.inMemory"))]);
    }

    /** @param {Integer} id */
    async #reveal(id) {
        const { record } = await call(`records/${id}?private=show`);
        const kept = await keptBodies(record);
        if (this.#wanted === String(id)) this.#draw(record, kept);
    }
}

/** @typedef {{ request: string | null, response: string | null }} KeptBodies */

/** @type {KeptBodies} */
const noBodies = { request: null, response: null };

/** Bodies that an app keeps in memory, for a request without any in its record; none if they cannot be loaded.
 * @param {LogRecord} record @returns {Promise<KeptBodies>} */
async function keptBodies(record) {
    const { request, response } = exchangeOf(record);
    if (record.span_id === null || request.body !== null || response.body !== null) return noBodies;
    try {
        return await call(`records/${record.id}/bodies`);
    } catch {
        return noBodies;
    }
}

/** @param {PageContext} context @param {LogRecord} record @param {Exchange} exchange */
function heading({ t, language }, record, exchange) {
    return [
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
    ];
}

/** @param {Translate} t @param {string} body */
function bodyView(t, body) {
    const parsed = parsedJSON(body);
    const content = parsed === undefined
        ? h("pre", { class: "sample body" }, longText(t, body))
        : h("div", { class: "tree" }, jsonTree(parsed, t, 2));
    return fold(t("net.body"), [h("div", { class: "actions" },
        copyButton(t("net.copyBody"), t("copy.done"), () => body)), content], true);
}

/** The same session's records within the exchange's time.
 * @param {LogRecord} record @param {Exchange} exchange */
async function recordsDuring(record, exchange) {
    const near = (/** @type {RecordQuery} */ query) =>
        call(`records?${recordQuery({ session: record.session, limit: neighbourhood, ...query })}`);
    const [older, newer] = await Promise.all([
        near({ before: record.id }), near({ after: record.id, order: "oldest" })]);
    const end = exchange.start + BigInt(Math.round(exchange.nanoseconds));
    return [...older.records, ...newer.records]
        .filter(({ time }) => BigInt(time) >= exchange.start && BigInt(time) <= end)
        .sort((left, right) => (BigInt(left.time) < BigInt(right.time) ? -1 : 1)).slice(0, mostEvents);
}

/** @param {PageContext} context @param {LogRecord[]} records @param {bigint} start */
function eventList({ t, language }, records, start) {
    if (records.length === 0) return h("p", { class: "muted" }, t("net.nothingElse"));
    return h("ul", { class: "records" }, records.map((record) => h("li", null, h("a", {
        class: "entry", href: formatRoute({ screen: "history", params: { sel: record.id } }),
    }, h("span", { class: "offset" }, distance(BigInt(record.time) - start, language)),
    h("span", { class: "picture", "data-kind": record.kind }, icon(record.kind)),
    foreign(cut(record.kind === "event" ? record.tag : record.message ?? record.tag, 120), "tag")))));
}

// @ts-check
// An HTTP exchange, by OpenTelemetry's conventions for HTTP spans. Pure.

import { folded, membersOf } from "../base/format.js";
import { joined, quoted } from "./filter.js";

const phases = ["lookup", "connect", "secure", "send", "wait", "receive"];
const headerName = /^http\.(request|response)\.header\.(.+)$/;

/** @param {LogRecord} record @returns {Exchange} */
export function exchangeOf(record) {
    const attributes = membersOf(record.attributes);
    /** @type {(...names: string[]) => string | null} */
    const text = (...names) => {
        const found = names.map((name) => attributes[name]).find((value) => value !== undefined && value !== null);
        return found === undefined ? null : typeof found === "string" ? found : JSON.stringify(found);
    };
    const number = (/** @type {string} */ name) => {
        const value = Number(attributes[name] ?? NaN);
        return Number.isFinite(value) && value >= 0 ? value : null;
    };
    const status = number("http.response.status_code");
    /** @type {(name: "request" | "response") => ExchangeSide} */
    const side = (name) => ({
        headers: headersOf(attributes, name),
        body: text(`daybook.http.${name}.body`, `http.${name}.body.content`, `http.${name}.body`),
        size: number(`http.${name}.body.size`),
    });
    const [request, response] = [side("request"), side("response")];
    const url = text("url.full") ?? "";
    const type = header(response.headers, "content-type");
    return {
        ...located(url),
        method: text("http.request.method") ?? "GET",
        url,
        status: status === 0 ? null : status,
        failure: text("error.type"),
        request,
        response,
        type: type ? type.split(";")[0].trim().toLowerCase() : null,
        operation: text("graphql.operation.name") ?? operationOf(request.body),
        start: BigInt(record.time),
        nanoseconds: Number(record.duration ?? 0),
        phases: phases.flatMap((phase) => {
            const length = number(`daybook.http.timing.${phase}`);
            return length === null ? [] : [[phase, length]];
        }),
    };
}

/** @param {JsonObject} attributes @param {string} side @returns {HeaderList} */
function headersOf(attributes, side) {
    return Object.entries(attributes)
        .flatMap(([name, value]) => {
            const found = headerName.exec(name);
            if (found?.[1] !== side) return [];
            /** @type {HeaderList} */
            const headers = (Array.isArray(value) ? value : [value])
                .map((one) => [found[2].replaceAll("_", "-"), String(one)]);
            return headers;
        })
        .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
}

/** A header's first value, or null.
 * @param {HeaderList} headers @param {string} name */
export function header(headers, name) {
    return headers.find(([own]) => own.toLowerCase() === name)?.[1] ?? null;
}

/** @param {string} url */
function located(url) {
    try {
        const { host, pathname, search } = new URL(url);
        return { host, path: pathname, query: search };
    } catch {
        const [path, query] = url.split(/(?=\?)/);
        return { host: "", path: path ?? "", query: query ?? "" };
    }
}

/** The operation of a GraphQL request, from `operationName` or the query; null for other requests.
 * @param {string | null} body */
export function operationOf(body) {
    const parsed = parsedJSON(body);
    if (parsed === undefined || parsed === null || typeof parsed !== "object") return null;
    // A batch is an array.
    const operations = (Array.isArray(parsed) ? parsed : [parsed])
        .map((one) => {
            if (one === null || typeof one !== "object" || Array.isArray(one)
                || typeof one.query !== "string") return null;
            return typeof one.operationName === "string" && one.operationName !== "" ? one.operationName
                : /\b(?:query|mutation|subscription)\s+([_A-Za-z]\w*)/.exec(one.query)?.[1];
        })
        .filter(Boolean);
    return operations.length > 0 ? operations.join(", ") : null;
}

/** @param {string | null} text @returns {Json | undefined} */
export function parsedJSON(text) {
    if (text === null || !/^\s*[[{]/.test(text)) return undefined;
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}

/** The choices of the type filter. */
export const types = ["json", "image", "text", "other"];

/** @param {string | null} type */
export function typeClass(type) {
    if (type === null) return "other";
    if (/\bjson\b/.test(type)) return "json";
    if (type.startsWith("image/")) return "image";
    return type.startsWith("text/") || /\b(xml|javascript)\b/.test(type) ? "text" : "other";
}

/** `2xx`, …, and `failed` without a response. */
export const statuses = ["2xx", "3xx", "4xx", "5xx", "failed"];

/** @param {Pick<Exchange, "status">} exchange */
export function statusClass({ status }) { return status === null ? "failed" : `${Math.floor(status / 100)}xx`; }

/** @param {Exchange} exchange */
export function isBad(exchange) {
    return exchange.status === null ? exchange.failure !== null : exchange.status >= 400;
}

/** Whether an exchange passes the address's filter; `min` is a size in `kb` or a time in `ms`.
 * @param {Exchange} exchange @param {Params} filter */
export function matches(exchange, { q = "", status = "", type = "", min = "" }) {
    if (status !== "" && !status.split(",").includes(statusClass(exchange))) return false;
    if (type !== "" && typeClass(exchange.type) !== type) return false;
    if (min !== "" && !isAtLeast(exchange, min)) return false;
    const words = folded(q).split(/\s+/).filter(Boolean);
    const text = folded([exchange.method, exchange.url, exchange.operation, exchange.status, exchange.type].join(" "));
    return words.every((word) => text.includes(word));
}

/** The part of the address's filter that a store can search for (see docs/formats/filters.md); `matches` decides.
 * @param {Params} filter */
export function requestFilter({ q = "", status = "", min = "" }) {
    const code = "http.response.status_code";
    // Some senders write it as text.
    const classes = status.split(",").filter(Boolean).map((name) => (name === "failed" ? `(-${code}>=1 -${code}=*)`
        : `(${code}:${name[0]}00..${name[0]}99 OR ${code}=${name[0]}*)`));
    const [, amount, unit] = /^(\d+)(ms|kb)$/.exec(min) ?? [];
    const least = unit === "ms" ? `duration>=${amount}ms`
        : unit === "kb" ? `http.response.body.size>=${Number(amount) * 1024}` : "";
    return joined(...q.split(/\s+/).filter(Boolean).map(quoted), classes.length > 0 ? `(${classes.join(" OR ")})` : "",
        least);
}

/** Sort orders other than arrival. */
export const sorts = ["status", "size", "took"];

/** The sort key, or null for the order of arrival.
 * @param {string | undefined} sort
 * @returns {((exchange: RankedExchange) => number) | null} */
export function rankOf(sort) {
    /** @type {Record<string, (exchange: RankedExchange) => number>} */
    const ranks = {
        status: ({ status }) => status ?? 1_000, size: ({ response }) => response.size ?? -1,
        took: ({ nanoseconds }) => nanoseconds,
    };
    return ranks[sort ?? ""] ?? null;
}

/** Requests sorted, largest first.
 * @template {{ exchange: RankedExchange }} Entry @param {Entry[]} entries
 * @param {string | undefined} sort */
export function sorted(entries, sort) {
    const rank = rankOf(sort);
    return rank ? [...entries].sort((left, right) => rank(right.exchange) - rank(left.exchange)) : entries;
}

/** @param {Exchange} exchange @param {string} min */
function isAtLeast({ nanoseconds, response }, min) {
    const [, amount, unit] = /^(\d+)(ms|kb)$/.exec(min) ?? [];
    if (unit === "ms") return nanoseconds >= Number(amount) * 1e6;
    return unit === "kb" ? (response.size ?? 0) >= Number(amount) * 1024 : true;
}

const burstGap = 2_000_000_000n;

/** A burst ends where nothing was in flight for 2 s. Single requests are scaled to the longest of them, so that their
 * bars compare.
 * @param {TimedExchange[]} exchanges newest first
 * @returns {BurstBar[]} */
export function waterfall(exchanges) {
    /** @type {BurstBar[]} */
    const bars = [];
    /** @type {Set<number>} */
    const alone = new Set();
    for (const { start, end, rows } of burstsOf(exchanges)) {
        const span = Math.max(1, Number(end - start));
        const top = Math.min(...rows);
        if (rows.length === 1) alone.add(top);
        for (const row of rows) {
            const exchange = exchanges[row];
            bars[row] = { left: Number(exchange.start - start) / span, width: exchange.nanoseconds / span, span,
                starts: row === top };
        }
    }
    const longest = [...alone].reduce((most, row) => Math.max(most, bars[row].span), 1);
    for (const row of alone) {
        bars[row].width = bars[row].span / longest;
        bars[row].starts = !alone.has(row - 1);
    }
    return bars;
}

/** The bursts' rows, each with its first start and last end.
 * @param {TimedExchange[]} exchanges */
function burstsOf(exchanges) {
    /** @type {{ start: bigint, end: bigint, rows: number[] }[]} */
    const bursts = [];
    const ordered = exchanges.map((_, row) => row)
        .sort((left, right) => (exchanges[left].start < exchanges[right].start ? -1 : 1));
    for (const row of ordered) {
        const { start, nanoseconds } = exchanges[row];
        const end = start + BigInt(Math.round(nanoseconds));
        const last = bursts.at(-1);
        if (!last || start - last.end > burstGap) bursts.push({ start, end, rows: [row] });
        else {
            last.rows.push(row);
            if (end > last.end) last.end = end;
        }
    }
    return bursts;
}

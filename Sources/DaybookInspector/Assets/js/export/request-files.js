// @ts-check
// Requests for other tools: HAR 1.2 (W3C draft *HTTP Archive (HAR) format*), and a shell command. Pure.

import { milliseconds } from "../base/format.js";
import { exchangeOf, header } from "../model/exchange.js";

/** @param {(readonly [string, string])[]} pairs */
const named = (pairs) => pairs.map(([name, value]) => ({ name, value }));

/** -1 or empty for what was not recorded, as the format requires.
 * @param {LogRecord} record */
function harEntry(record) {
    const exchange = exchangeOf(record);
    const { request, response } = exchange;
    const time = exchange.nanoseconds / 1e6;
    return {
        startedDateTime: new Date(milliseconds(record.time)).toISOString(),
        time,
        request: {
            method: exchange.method, url: exchange.url, httpVersion: "", cookies: [], headers: named(request.headers),
            queryString: named([...new URLSearchParams(exchange.query)]), headersSize: -1, bodySize: request.size ?? -1,
            ...(request.body === null ? {} : { postData: {
                mimeType: header(request.headers, "content-type") ?? "", text: request.body, params: [],
            } }),
        },
        response: {
            status: exchange.status ?? 0, statusText: exchange.failure ?? "", httpVersion: "", cookies: [],
            headers: named(response.headers), redirectURL: header(response.headers, "location") ?? "", headersSize: -1,
            bodySize: response.size ?? -1,
            content: { size: response.size ?? 0, mimeType: exchange.type ?? "",
                ...(response.body === null ? {} : { text: response.body }) },
        },
        cache: {},
        timings: timings(exchange, time),
        _daybook: { id: record.id, uid: record.uid, session: record.session, operation: exchange.operation },
    };
}

/** Measured phases, otherwise all as waiting; in milliseconds, -1 if not applicable.
 * @param {Exchange} exchange @param {number} time */
function timings({ phases }, time) {
    if (phases.length === 0) return { send: 0, wait: time, receive: 0 };
    const milli = (/** @type {string} */ name, /** @type {number} */ without) => {
        const length = phases.find(([phase]) => phase === name)?.[1];
        return length === undefined ? without : length / 1e6;
    };
    return { dns: milli("lookup", -1), connect: milli("connect", -1), ssl: milli("secure", -1), send: milli("send", 0),
        wait: milli("wait", 0), receive: milli("receive", 0) };
}

/** Request records as a file, oldest first as the format recommends.
 * @param {LogRecord[]} records */
export function harFile(records) {
    const entries = records.filter(({ kind }) => kind === "request").map(harEntry)
        .sort((left, right) => (left.startedDateTime < right.startedDateTime ? -1 : 1));
    return JSON.stringify({ log: { version: "1.2", creator: { name: "Daybook", version: "1" }, entries } }, null, 2);
}

/** Quotes for POSIX shells: within single quotes nothing is special.
 * @param {string} text */
function quoted(text) { return `'${text.replaceAll("'", "'\\''")}'`; }

/** Headers that curl sets itself, or that belong to the original connection. */
const left = new Set(["content-length", "host", "connection", "accept-encoding", "traceparent"]);

/** @param {Exchange} exchange */
export function curlOf({ method, url, request }) {
    const lines = [`curl ${quoted(url)}`];
    if (method !== "GET" || request.body !== null) lines.push(`-X ${quoted(method)}`);
    for (const [name, value] of request.headers) {
        if (!left.has(name.toLowerCase())) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
    }
    if (request.body !== null) lines.push(`--data-raw ${quoted(request.body)}`);
    return lines.join(" \\\n  ");
}

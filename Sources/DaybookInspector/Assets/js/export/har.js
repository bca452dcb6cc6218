// Requests as a HAR 1.2 file (W3C draft *HTTP Archive (HAR) format*). Pure.

import { milliseconds } from "../base/format.js";
import { exchangeOf, header } from "../model/exchange.js";

const named = (pairs) => pairs.map(([name, value]) => ({ name, value }));

function queryOf(search) { return named([...new URLSearchParams(search)]); }

/** An entry; what was not recorded is -1 or empty, as the format wants. */
export function harEntry(record) {
    const exchange = exchangeOf(record);
    const { request, response } = exchange;
    const time = exchange.nanoseconds / 1e6;
    return {
        startedDateTime: new Date(milliseconds(record.time)).toISOString(),
        time,
        request: {
            method: exchange.method, url: exchange.url, httpVersion: "", cookies: [], headers: named(request.headers),
            queryString: queryOf(exchange.query), headersSize: -1, bodySize: request.size ?? -1,
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
        timings: { send: 0, wait: time, receive: 0 },
        _daybook: { id: record.id, uid: record.uid, session: record.session, operation: exchange.operation },
    };
}

/** A whole file of request records, oldest first as the format recommends. */
export function harFile(records) {
    const entries = records.filter(({ kind }) => kind === "request").map(harEntry)
        .sort((left, right) => (left.startedDateTime < right.startedDateTime ? -1 : 1));
    return JSON.stringify({ log: { version: "1.2", creator: { name: "Daybook", version: "1" }, entries } }, null, 2);
}

// @ts-check
// The JSON API: see docs/json-api.md.

import { authorization } from "./access.js";

export class ApiError extends Error {
    /** @param {string} code @param {string} message @param {number} status */
    constructor(code, message, status) {
        super(message);
        this.code = code;
        this.status = status;
    }
}

/** The message when there was no response, in the reader's language. */
let offlineWords = "";

/** @param {string} words */
export function sayOffline(words) { offlineWords = words; }

/** The data of a response. `body` is sent as JSON, `text` as it is, both by POST; `token` replaces the stored one.
 * Throws `ApiError`, with the code `offline` if there was no response.
 * @template {string} Path @param {Path} path
 * @param {{ body?: unknown, text?: string, method?: string, token?: string, signal?: AbortSignal }} options
 * @param {RecordQuery} [parameters] those of the address, beside what the path has
 * @returns {Promise<Answer<Path>>} */
export async function call(path, { body, text, method, token, signal } = {}, parameters = {}) {
    const query = recordQuery(parameters);
    const content = body === undefined ? text : JSON.stringify(body);
    return answered(async () => {
        const response = await request(`${path}${query && `?${query}`}`, {
            method: method ?? (content === undefined ? "GET" : "POST"),
            headers: content === undefined ? authorization(token) : {
                ...authorization(token),
                "content-type": body === undefined ? "application/x-ndjson" : "application/json",
            },
            body: content, signal,
        });
        return dataOf(response);
    });
}

/** The events of a server-sent stream until it ends; throws as `call` does. An `EventSource` could not send the header.
 * @param {string} path @param {(data: any) => void} take @param {AbortSignal} signal */
export async function listen(path, take, signal) {
    await answered(async () => {
        const response = await request(path, { headers: authorization(), signal });
        if (!response.ok || response.body === null) return dataOf(response);
        const reader = response.body.getReader();
        const decoder = new TextDecoder();
        let rest = "";
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
            const lines = (rest + decoder.decode(part.value, { stream: true })).split("\n");
            rest = lines.pop() ?? "";
            for (const line of lines) if (line.startsWith("data: ")) take(JSON.parse(line.slice(6)));
        }
    });
}

/** @param {string} path @param {RequestInit} options */
function request(path, options) {
    return fetch(new URL(`api/v1/${path}`, document.baseURI), { credentials: "omit", cache: "no-store", ...options });
}

/** @template Found @param {() => Promise<Found>} ask */
async function answered(ask) {
    try {
        return await ask();
    } catch (error) {
        if (isAbort(error) || error instanceof ApiError) throw error;
        throw new ApiError("offline", offlineWords || messageOf(error), 0);
    }
}

/** @param {Response} response */
async function dataOf(response) {
    const envelope = await response.json();
    if (envelope?.ok === true) return envelope.data;
    const { code, message } = envelope?.error ?? { code: "unknown", message: `status ${response.status}` };
    throw new ApiError(code, message, response.status);
}

/** Whether the page itself cancelled a request.
 * @param {unknown} error */
export function isAbort(error) { return error instanceof Error && error.name === "AbortError"; }

/** @param {unknown} error */
export function messageOf(error) { return error instanceof Error ? error.message : String(error); }

/** @param {unknown} error */
export function asError(error) { return error instanceof Error ? error : new Error(String(error)); }

/** The query string, without what is unset.
 * @param {RecordQuery} parameters */
export function recordQuery(parameters) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
        if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
    }
    return query.toString();
}

const mostParts = 400;

/** A page of records from a store that limits the time and size of an answer: asks until the page is full or everything
 * was searched. `onPart` gets what has been found whenever the store needs more time.
 * @param {(query: RecordQuery) => Promise<RecordPage>} fetch @param {RecordQuery & { limit: number }} query
 * @param {OnPart} [onPart] @returns {Promise<FoundRecords>} */
export async function wholePage(fetch, query, onPart = () => {}) {
    /** @type {LogRecord[]} */
    let records = [];
    let next = query;
    for (let part = 0; ; part += 1) {
        const answer = await fetch(next);
        records = [...records, ...answer.records];
        if (!answer.partial || answer.next === null || records.length >= query.limit || part === mostParts) {
            return { head: answer.head, records };
        }
        onPart(records, answer.progress);
        const place = query.order === "oldest" ? { after: answer.next } : { before: answer.next };
        next = { ...query, ...place, limit: query.limit - records.length };
    }
}

/** Asks for one part after another until there is no more.
 * @template {{ next: Integer | string | null }} Part
 * @param {(from: string) => Promise<Part>} ask gets where to go on; nothing at first
 * @param {(part: Part, from: string) => void} take */
export async function eachPart(ask, take) {
    for (let from = ""; ;) {
        const part = await ask(from);
        take(part, from);
        if (part.next === null) return;
        from = String(part.next);
    }
}

/** @template {"tags" | "losses" | "coverage"} Path @param {Path} path @param {(answer: Answer<Path>) => void} take */
export function eachPage(path, take) { return eachPart((after) => call(path, {}, { after }), take); }

/** The complete record: lists cut long values.
 * @param {LogRecord} record @param {{ signal?: AbortSignal, reveals?: boolean }} [options] */
export async function whole(record, options = {}) {
    if (!record.cut) return record;
    const parameter = options.reveals ? "?private=show" : "";
    return (await call(`records/${record.id}${parameter}`, { signal: options.signal })).record;
}

const exportPage = 1_000;
/** More records than this do not fit into a page's memory. */
const mostExported = 50_000;

/** All records of a filter, complete, newest first, page by page; `progress` gets the count so far. Throws `AbortError`
 * once `signal` is aborted.
 * @param {RecordQuery} filter @param {(count: number) => void} progress @param {AbortSignal} signal
 * @param {(query: RecordQuery) => Promise<RecordPage>} [fetchPage] */
export async function fetchAll(filter, progress, signal, fetchPage = (query) =>
    call(`records?${recordQuery(query)}`, { signal })) {
    /** @type {LogRecord[]} */
    const found = [];
    while (found.length < mostExported) {
        const { records } = await wholePage(fetchPage, { ...filter, before: found.at(-1)?.id, limit: exportPage });
        for (const record of records) found.push(await whole(record, { signal, reveals: filter.private === "show" }));
        progress(found.length);
        if (records.length < exportPage) break;
    }
    return found.slice(0, mostExported);
}

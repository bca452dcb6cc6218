// @ts-check
// The JSON API: see docs/json-api.md.

export class ApiError extends Error {
    /**
     * @param {string} code
     * @param {string} message
     * @param {number} status
     */
    constructor(code, message, status) {
        super(message);
        this.code = code;
        this.status = status;
    }
}

/** What is said where there was no answer, in the reader's language. */
let offlineWords = "";

/** @param {string} words */
export function sayOffline(words) { offlineWords = words; }

/**
 * The data of an answer. `body` is sent as JSON, `text` as it is; both by POST. Throws `ApiError`; code `offline` when
 * there was no answer.
 * @template {string} Path
 * @param {Path} path
 * @param {{ body?: unknown, text?: string, method?: string, signal?: AbortSignal }} options
 * @returns {Promise<Answer<Path>>}
 */
export async function call(path, { body, text, method, signal } = {}) {
    const content = body === undefined ? text : JSON.stringify(body);
    let answer;
    try {
        const response = await fetch(new URL(`api/v1/${path}`, document.baseURI), {
            method: method ?? (content === undefined ? "GET" : "POST"),
            headers: content === undefined ? {}
                : { "content-type": body === undefined ? "application/x-ndjson" : "application/json" },
            body: content,
            credentials: "same-origin",
            cache: "no-store",
            signal,
        });
        answer = { status: response.status, envelope: await response.json() };
    } catch (error) {
        if (isAbort(error)) throw error;
        throw new ApiError("offline", offlineWords || messageOf(error), 0);
    }
    if (answer.envelope?.ok === true) return answer.envelope.data;
    const { code, message } = answer.envelope?.error ?? { code: "unknown", message: `status ${answer.status}` };
    throw new ApiError(code, message, answer.status);
}

/**
 * Whether a request ended because the page itself gave it up.
 * @param {unknown} error
 */
export function isAbort(error) { return error instanceof Error && error.name === "AbortError"; }

/**
 * What went wrong, fit to show.
 * @param {unknown} error
 */
export function messageOf(error) { return error instanceof Error ? error.message : String(error); }

/**
 * The query of a records request, without what is unset.
 * @param {RecordQuery} parameters
 */
export function recordQuery(parameters) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
        if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
    }
    return query.toString();
}

const exportPage = 1_000;
/** A file holds no more records than a page can. */
const mostExported = 50_000;

/**
 * All records of a filter, newest first, page after page; `progress` is told how many there are so far. Throws
 * `AbortError` once `signal` is aborted.
 * @param {RecordQuery} filter
 * @param {(count: number) => void} progress
 * @param {AbortSignal} signal
 * @param {(query: RecordQuery) => Promise<{ records: LogRecord[] }>} [fetchPage]
 */
export async function fetchAll(filter, progress, signal, fetchPage = (query) =>
    call(`records?${recordQuery(query)}`, { signal })) {
    /** @type {LogRecord[]} */
    let found = [];
    while (found.length < mostExported) {
        const { records } = await fetchPage({ ...filter, before: found.at(-1)?.id, limit: exportPage });
        found = [...found, ...records];
        progress(found.length);
        if (records.length < exportPage) break;
    }
    return found.slice(0, mostExported);
}

// The JSON API: see docs/json-api.md.

export class ApiError extends Error {
    constructor(code, message, status) {
        super(message);
        this.code = code;
        this.status = status;
    }
}

/**
 * The data of an answer. `body` is sent as JSON, `text` as it is; both by POST. Throws `ApiError`; code `offline` when
 * there was no answer.
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
        if (error.name === "AbortError") throw error;
        throw new ApiError("offline", String(error.message), 0);
    }
    if (answer.envelope?.ok === true) return answer.envelope.data;
    const { code, message } = answer.envelope?.error ?? { code: "unknown", message: `status ${answer.status}` };
    throw new ApiError(code, message, answer.status);
}

/** The query of a records request, without what is unset. */
export function recordQuery(parameters) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
        if (value !== undefined && value !== null && value !== "") query.set(name, value);
    }
    return query.toString();
}

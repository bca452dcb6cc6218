// A request as a command for a shell. Pure.

/** Quoted for POSIX shells: nothing within single quotes means anything but itself. */
function quoted(text) { return `'${text.replaceAll("'", "'\\''")}'`; }

/** Headers that curl makes itself, or that belong to the recorded connection. */
const left = new Set(["content-length", "host", "connection", "accept-encoding", "traceparent"]);

/** `curl …` for an exchange; see `exchangeOf`. */
export function curlOf({ method, url, request }) {
    const lines = [`curl ${quoted(url)}`];
    if (method !== "GET" || request.body !== null) lines.push(`-X ${quoted(method)}`);
    for (const [name, value] of request.headers) {
        if (!left.has(name.toLowerCase())) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
    }
    if (request.body !== null) lines.push(`--data-raw ${quoted(request.body)}`);
    return lines.join(" \\\n  ");
}

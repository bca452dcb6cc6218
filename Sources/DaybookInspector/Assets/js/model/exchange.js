// An HTTP exchange as it was recorded, by OpenTelemetry's names (semantic conventions, *HTTP spans*). Pure.

const phases = ["lookup", "connect", "secure", "send", "wait", "receive"];
const headerName = /^http\.(request|response)\.header\.(.+)$/;

/** What a request record tells; what it does not is null, headers are `[name, value]` pairs in the order of names. */
export function exchangeOf(record) {
    const attributes = record.attributes !== null && typeof record.attributes === "object" ? record.attributes : {};
    const text = (...names) => {
        const found = names.map((name) => attributes[name]).find((value) => value !== undefined && value !== null);
        return found === undefined ? null : typeof found === "string" ? found : JSON.stringify(found);
    };
    const number = (name) => {
        const value = Number(attributes[name] ?? NaN);
        return Number.isFinite(value) && value >= 0 ? value : null;
    };
    const status = number("http.response.status_code");
    const side = (name) => ({
        headers: headersOf(attributes, name),
        body: text(`daybook.http.${name}.body`, `http.${name}.body.content`, `http.${name}.body`),
        size: number(`http.${name}.body.size`),
    });
    const exchange = {
        method: text("http.request.method") ?? "GET",
        url: text("url.full") ?? "",
        status: status === 0 ? null : status,
        failure: text("error.type"),
        request: side("request"),
        response: side("response"),
        start: BigInt(record.time),
        nanoseconds: Number(record.duration ?? 0),
        phases: phases.map((phase) => [phase, number(`daybook.http.timing.${phase}`)])
            .filter(([, length]) => length !== null),
    };
    const location = located(exchange.url);
    const type = header(exchange.response.headers, "content-type");
    return {
        ...exchange, ...location, type: type ? type.split(";")[0].trim().toLowerCase() : null,
        operation: text("graphql.operation.name") ?? operationOf(exchange.request.body),
    };
}

function headersOf(attributes, side) {
    return Object.entries(attributes)
        .map(([name, value]) => [headerName.exec(name), value])
        .filter(([found]) => found?.[1] === side)
        .flatMap(([found, value]) => (Array.isArray(value) ? value : [value])
            .map((one) => [found[2].replaceAll("_", "-"), String(one)]))
        .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
}

/** A header's first value, or null. */
export function header(headers, name) {
    return headers.find(([own]) => own.toLowerCase() === name)?.[1] ?? null;
}

function located(url) {
    try {
        const { host, pathname, search } = new URL(url);
        return { host, path: pathname, query: search };
    } catch {
        const [path, query] = url.split(/(?=\?)/);
        return { host: "", path: path ?? "", query: query ?? "" };
    }
}

/** The operation that a GraphQL request names, in its `operationName` or in the query itself; null for others. */
export function operationOf(body) {
    const parsed = parsedJSON(body);
    if (parsed === null || typeof parsed !== "object") return null;
    // A batch of operations is an array.
    const operations = (Array.isArray(parsed) ? parsed : [parsed])
        .filter((one) => one !== null && typeof one === "object" && typeof one.query === "string")
        .map((one) => (typeof one.operationName === "string" && one.operationName !== "" ? one.operationName
            : /\b(?:query|mutation|subscription)\s+([_A-Za-z]\w*)/.exec(one.query)?.[1]))
        .filter(Boolean);
    return operations.length > 0 ? operations.join(", ") : null;
}

/** The value of a JSON text, or undefined. */
export function parsedJSON(text) {
    if (text === null || !/^\s*[[{]/.test(text)) return undefined;
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}

/** The classes that the type filter offers. */
export const types = ["json", "image", "text", "other"];

export function typeClass(type) {
    if (type === null) return "other";
    if (/\bjson\b/.test(type)) return "json";
    if (type.startsWith("image/")) return "image";
    return type.startsWith("text/") || /\b(xml|javascript)\b/.test(type) ? "text" : "other";
}

/** `2xx`, …, and `failed` where no answer came. */
export const statuses = ["2xx", "3xx", "4xx", "5xx", "failed"];

export function statusClass({ status }) { return status === null ? "failed" : `${Math.floor(status / 100)}xx`; }

export function isBad(exchange) { return exchange.status === null ? exchange.failure !== null : exchange.status >= 400; }

/** `filter`: `{ q, status, type, min }` as in the address; `min` is the least size in bytes or time in `ms`. */
export function matches(exchange, { q = "", status = "", type = "", min = "" }) {
    if (status !== "" && !status.split(",").includes(statusClass(exchange))) return false;
    if (type !== "" && typeClass(exchange.type) !== type) return false;
    if (min !== "" && !isAtLeast(exchange, min)) return false;
    const words = q.normalize("NFKC").toLowerCase().split(/\s+/).filter(Boolean);
    const text = [exchange.method, exchange.url, exchange.operation ?? "", exchange.status ?? "", exchange.type ?? ""]
        .join(" ").normalize("NFKC").toLowerCase();
    return words.every((word) => text.includes(word));
}

function isAtLeast({ nanoseconds, response }, min) {
    const [, amount, unit] = /^(\d+)(ms|kb)$/.exec(min) ?? [];
    if (unit === "ms") return nanoseconds >= Number(amount) * 1e6;
    return unit === "kb" ? (response.size ?? 0) >= Number(amount) * 1024 : true;
}

const burstGap = 2_000_000_000n;

/**
 * Where each exchange lies in its burst: `{ left, width, starts, span }`, shares of the burst's length, whether it is the
 * burst's first or last row, and the length in nanoseconds. A burst ends where nothing was under way for 2 s. Those that
 * are alone in theirs are shares of the longest of them, so that their bars compare. `exchanges` stand newest first.
 */
export function waterfall(exchanges) {
    const bars = [];
    const ordered = exchanges.map((exchange, index) => ({ exchange, index }))
        .sort((left, right) => (left.exchange.start < right.exchange.start ? -1 : 1));
    const alone = new Set();
    let burst = [];
    let end = null;
    const close = () => {
        if (burst.length === 0) return;
        const from = burst[0].exchange.start;
        const span = Math.max(1, Number(end - from));
        const top = Math.min(...burst.map(({ index }) => index));
        if (burst.length === 1) alone.add(top);
        for (const { exchange, index } of burst) {
            bars[index] = {
                left: Number(exchange.start - from) / span, width: exchange.nanoseconds / span, span,
                starts: index === top,
            };
        }
        burst = [];
    };
    for (const entry of ordered) {
        const { start, nanoseconds } = entry.exchange;
        if (end !== null && start - end > burstGap) {
            close();
            end = null;
        }
        burst.push(entry);
        const own = start + BigInt(Math.round(nanoseconds));
        if (end === null || own > end) end = own;
    }
    close();
    const longest = [...alone].reduce((most, index) => Math.max(most, bars[index].span), 1);
    for (const index of alone) {
        bars[index].width = bars[index].span / longest;
        bars[index].starts = !alone.has(index - 1);
    }
    return bars;
}

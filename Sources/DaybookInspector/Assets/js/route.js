// The address after `#`: what is shown, so that a link shows it to a colleague. Never the token.

export const screens = ["history", "dict", "check", "sql"];

/** `#/dict/a.b?q=x` → `{ screen: "dict", path: ["a.b"], params: { q: "x" } }`. What is unknown is the history. */
export function parseRoute(hash) {
    const [path, query] = split(hash.replace(/^#\/?/, ""), "?");
    const [screen, ...rest] = path.split("/");
    const params = Object.fromEntries(new URLSearchParams(query));
    if (!screens.includes(screen)) return { screen: "history", path: [], params: {} };
    return { screen, path: rest.filter((part) => part !== "").map(decode), params };
}

export function formatRoute({ screen, path = [], params = {} }) {
    const query = new URLSearchParams(
        Object.entries(params).filter(([, value]) => value !== "" && value !== null && value !== undefined));
    const text = [screen, ...path.map(encodeURIComponent)].join("/");
    return `#/${text}${query.size > 0 ? `?${query}` : ""}`;
}

/** The token of `#token=…`, or null. */
export function tokenIn(hash) {
    return /^#token=([0-9a-zA-Z_-]+)$/.exec(hash)?.[1] ?? null;
}

function split(text, separator) {
    const index = text.indexOf(separator);
    return index < 0 ? [text, ""] : [text.slice(0, index), text.slice(index + 1)];
}

function decode(part) {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}

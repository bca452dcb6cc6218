// @ts-check
// The address after `#`: what is shown, so that links can be shared. Never the token.

export const screens = ["history", "net", "dict", "check", "sessions", "sql", "insights", "boards", "releases",
    "alerts"];

/** `#/dict/a.b?q=x` → `{ screen: "dict", path: ["a.b"], params: { q: "x" } }`. Unknown screens lead to the history.
 * @param {string} hash @returns {Route} */
export function parseRoute(hash) {
    const [path, query] = split(hash.replace(/^#\/?/, ""), "?");
    const [screen, ...rest] = path.split("/");
    const params = Object.fromEntries(new URLSearchParams(query));
    if (!screens.includes(screen)) return { screen: "history", path: [], params: {} };
    return { screen, path: rest.filter((part) => part !== "").map(decoded), params };
}

/** @param {Place} place */
export function formatRoute({ screen, path = [], params = {} }) {
    const query = new URLSearchParams(Object.entries(params).flatMap(([name, value]) =>
        value === "" || value === null || value === undefined ? [] : [[name, String(value)]]));
    const text = [screen, ...path.map(encodeURIComponent)].join("/");
    return `#/${text}${String(query) === "" ? "" : `?${query}`}`;
}

/** `#token=…` → the token, no route; `#token=…&at=/check/release` → the token and `#/check/release`. `at=` takes the
 * rest as the route; anything else is dropped, so that a token never stays in the address. Null without a token.
 * @param {string} hash */
export function handedOver(hash) {
    const found = /^#token=([0-9a-zA-Z_-]+)(?:&at=(\/.*)|&.*)?$/.exec(hash);
    return found && { token: found[1], hash: found[2] ? `#${found[2]}` : "" };
}

/** @param {string} text @param {string} separator */
function split(text, separator) {
    const index = text.indexOf(separator);
    return index < 0 ? [text, ""] : [text.slice(0, index), text.slice(index + 1)];
}

/** What is not validly encoded stays as it is.
 * @param {string} part */
export function decoded(part) {
    try {
        return decodeURIComponent(part);
    } catch {
        return part;
    }
}

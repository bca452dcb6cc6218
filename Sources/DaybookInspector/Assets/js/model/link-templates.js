// The team's links: addresses with names in braces, from `daybook.json`. Pure.

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** A path whose numeric and UUID parts are `*`, every one of them, also side by side. */
export function starred(path) {
    return path.split("/").map((part) => (/^\d+$/.test(part) || uuid.test(part) ? "*" : part)).join("/");
}

/**
 * An address from a template: `{name}` is the value as a part of a query, `{path}` keeps its slashes, and `{path*}` is
 * the path with identifiers replaced. null where a name is unknown, or the result is no web address.
 */
export function expanded(template, values) {
    let isKnown = true;
    const text = template.replace(/\{(\w+)(\*?)\}/g, (_, name, star) => {
        const value = values[name];
        if (value === undefined || (star && name !== "path")) isKnown = false;
        return encoded(String(star ? starred(value ?? "") : value ?? ""));
    });
    if (!isKnown) return null;
    try {
        const { protocol, href } = new URL(text);
        return protocol === "https:" || protocol === "http:" ? href : null;
    } catch {
        return null;
    }
}

/** As `encodeURIComponent`, but slashes and stars stay readable: both may stand in a query. */
function encoded(text) { return encodeURIComponent(text).replaceAll("%2F", "/"); }

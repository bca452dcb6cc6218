// @ts-check
// The history's filter as the address holds it. Pure.
//
// Plain parameters narrow: `tag=feed.show`. `not=tag:feed.show,session:…` leaves out; `off=…` remembers filters that are
// switched off, with `-` before those that leave out. Values in both are percent-encoded once more.

import { isOwnTag, withoutOwn } from "./catalog.js";

/**
 * A filter by one value; switched off it stays in the address and does nothing.
 * @typedef {{ name: string, value: string, isNot: boolean, isOff: boolean }} Term
 */

/** What narrows by one value, and may be left out by it. */
export const termNames = ["tag", "session", "installation", "version", "module", "file", "trace"];
const plain = ["q", "kind", "level", ...termNames, "since", "until", "violations", "run"];

/** @param {string | undefined} text */
function listed(text) {
    return (text ?? "").split(",").flatMap((part) => {
        const [, minus, name, value] = /^(-?)(\w+):(.+)$/.exec(part) ?? [];
        if (value === undefined || (!termNames.includes(name) && name !== "kind")) return [];
        return [{ name, value: decoded(value), isNot: minus === "-" }];
    });
}

/** @param {string} text */
function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

/** @param {{ name: string, value: string, minus?: boolean }[]} terms */
function written(terms) {
    return terms.map(({ name, value, minus }) => `${minus ? "-" : ""}${name}:${encodeURIComponent(value)}`).join(",");
}

/**
 * What the API takes of an address's parameters.
 * @param {Params} params
 * @returns {RecordQuery}
 */
export function apiFilter(params) {
    return Object.fromEntries([...plain, "not"].filter((name) => params[name]).map((name) => [name, params[name]]));
}

/**
 * Every filter with one value, those that narrow first.
 * @param {Params} params
 * @returns {Term[]}
 */
export function terms(params) {
    return [
        ...termNames.flatMap((name) => {
            const value = params[name];
            return value ? [{ name, value, isNot: false, isOff: false }] : [];
        }),
        ...listed(params.not).map((term) => ({ ...term, isNot: true, isOff: false })),
        ...listed(params.off).map((term) => ({ ...term, isOff: true })),
    ];
}

/**
 * The parameters for a list of terms, in place of those that `params` has.
 * @param {Params} params
 * @param {Term[]} next
 * @returns {Params}
 */
export function withTerms(params, next) {
    const rest = Object.fromEntries(Object.entries(params).filter(([name]) =>
        !termNames.includes(name) && name !== "not" && name !== "off"));
    const on = next.filter(({ isOff }) => !isOff);
    const off = next.filter(({ isOff }) => isOff).map((term) => ({ ...term, minus: term.isNot }));
    return {
        ...rest,
        // Empty ones take the place of what an address has.
        ...Object.fromEntries(termNames.map((name) => [name, ""])),
        // One value narrows; the last one wins.
        ...Object.fromEntries(on.filter(({ isNot }) => !isNot).map(({ name, value }) => [name, value])),
        not: written(on.filter(({ isNot }) => isNot)),
        off: written(off),
    };
}

/**
 * A filter for exactly one tag, whose stars are no wildcards.
 * @param {string} tag
 */
export function exactTag(tag) { return tag.replaceAll("*", "\\*"); }

/**
 * The parameters with one more term; the same value in another form is replaced.
 * @param {Params} params
 * @param {string} name
 * @param {string} found what a record has
 */
export function adding(params, name, found, isNot = false) {
    const value = name === "tag" ? exactTag(found) : found;
    const others = terms(params).filter((term) => term.name !== name || term.value !== value);
    return withTerms(params, [...others.filter((term) => isNot || term.isNot || term.isOff || term.name !== name),
        { name, value, isNot, isOff: false }]);
}

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

/** @type {Record<string, string>} */
const columns = {
    tag: "tag", session: "session", installation: "installation", module: "module", file: "file", trace: "trace_id",
};
/** @type {Record<string, number>} */
const severity = { debug: 5, info: 9, warning: 13, error: 17, fatal: 21 };

/**
 * The filter as a statement over the table `records`: as in the history, without the collector's own unless a tag asks
 * for them.
 * @param {Params} params
 */
export function filterSQL(params) {
    const least = severity[params.level ?? ""];
    const condition = (/** @type {string} */ name, /** @type {string} */ value) => {
        if (name === "kind") return `kind IN (${value.split(",").map(quoted).join(", ")})`;
        if (name === "version") return `json_extract(context, '$."service.version"') = ${quoted(value)}`;
        if (name === "tag" && value.includes("\\*")) return `tag = ${quoted(value.replaceAll("\\*", "*"))}`;
        if (name === "tag" && value.includes("*")) {
            const stem = value.replace(/\.?\*+$/, "");
            return stem === "" ? "1 = 1" : `(tag = ${quoted(stem)} OR substr(tag, 1, ${stem.length + 1}) = ${quoted(`${stem}.`)})`;
        }
        return `${columns[name]} = ${quoted(value)}`;
    };
    const asksForOwn = terms(params).some(({ name, value, isNot, isOff }) =>
        name === "tag" && !isNot && !isOff && isOwnTag(value));
    const parts = [
        ...(asksForOwn ? [] : [withoutOwn]),
        ...(params.kind ? [condition("kind", params.kind)] : []),
        ...(least ? [`level >= ${least}`] : []),
        ...(params.since ? [`time >= ${BigInt(params.since)}`] : []),
        ...(params.until ? [`time < ${BigInt(params.until)}`] : []),
        ...terms(params).filter(({ isOff }) => !isOff).map(({ name, value, isNot }) =>
            (isNot ? `NOT coalesce(${condition(name, value)}, 0)` : condition(name, value))),
        ...(params.q ? [textCondition(params.q)] : []),
    ];
    return ["SELECT id, datetime(time / 1000000000, 'unixepoch') AS at, kind, tag, message, attributes", "FROM records",
        `WHERE ${parts.join("\n  AND ")}`, "ORDER BY id DESC", "LIMIT 100"].join("\n");
}

/** @param {string} text */
function textCondition(text) {
    const like = `LIKE ${quoted(`%${text.replace(/[\\%_]/g, (mark) => `\\${mark}`)}%`)} ESCAPE '\\'`;
    return `(tag ${like} OR message ${like} OR attributes ${like})`;
}

// @ts-check
// The history's filter in the address. Pure. `filter=` is in the language of docs/formats/filters.md: the API parses
// it, the page only writes terms and recombines parsed parts. `off=` keeps the parts that are switched off.

import { decoded } from "../base/route.js";
import { withoutOwn } from "./catalog.js";

/** Parameters that mean the same as a term of the filter. */
const single = ["tag", "session", "installation", "version", "module", "file", "trace"];
const plain = ["filter", "kind", "level", "since", "until", "violations", "run"];

/** @type {ReadFilter} what the API answers to no filter */
export const noFilter = { parts: [], alternatives: false, names: [], taken: [], own: false, sql: null, error: null };

/** The address's parameters for the API.
 * @param {Params} params @returns {RecordQuery} */
export function apiFilter(params) {
    return Object.fromEntries(plain.filter((name) => params[name])
        .map((name) => [name, name === "since" || name === "until" ? time(params[name] ?? "") : params[name]]));
}

/** RFC 3339, because the API would take few digits (a time near 1970) for another unit.
 * @param {string} digits */
function time(digits) {
    if (!/^-?\d{1,17}$/.test(digits)) return digits;
    const fraction = ((BigInt(digits) % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
    const seconds = Number((BigInt(digits) - fraction) / 1_000_000_000n);
    return `${new Date(seconds * 1_000).toISOString().slice(0, -5)}.${String(fraction).padStart(9, "0")}Z`;
}

/** Turns parameters such as `tag=feed.show` into terms of `filter=`.
 * @param {Params} params @returns {Params} */
export function normalised(params) {
    const given = single.flatMap((name) => {
        const value = params[name];
        return value ? [name === "tag" ? `tag=${pattern(value)}` : term(name, value)] : [];
    });
    if (given.length === 0) return params;
    const rest = Object.fromEntries(Object.entries(params).filter(([name]) => !single.includes(name)));
    return { ...rest, filter: joined(params.filter ?? "", ...given) };
}

/** A link's tag: stars are wildcards unless escaped.
 * @param {string} tag */
function pattern(tag) {
    const isPattern = /(^|[^\\])\*/.test(tag);
    return isPattern && /^[\p{L}\p{N}_.*-]+$/u.test(tag) ? tag : written(tag.replaceAll("\\*", "*"));
}

/** A tag whose stars are no wildcards.
 * @param {string} tag */
export function exactTag(tag) { return tag.replaceAll("*", "\\*"); }

/** @param {string} text */
export function quoted(text) {
    const marks = /** @type {Record<string, string>} */ ({ "\n": "\\n", "\r": "\\r", "\t": "\\t" });
    return `"${text.replace(/["\\\n\r\t]/g, (mark) => marks[mark] ?? `\\${mark}`)}"`;
}

/** A value in filter syntax, quoted if it could be mistaken for something else.
 * @param {unknown} value */
export function written(value) {
    if (typeof value !== "string") return String(value);
    // An integer that JavaScript would round comes as text.
    if (/^-?\d{16,19}$/.test(value)) return value;
    const isPlain = /^[\p{L}_](?:[\p{L}\p{N}_-]|\.(?!\.))*$/u.test(value) && !["true", "false", "null"].includes(value);
    return isPlain ? value : quoted(value);
}

/** A column's name in filter syntax, quoted if it is a built-in name.
 * @param {string} name
 * @param {string[]} known the names that have a meaning of their own, and beginnings of names, which end with a dot */
export function writtenColumn(name, known) {
    const lower = name.toLowerCase();
    const isTaken = known.some((one) => (one.endsWith(".") ? lower.startsWith(one) : lower === one));
    return /^[\p{L}_$][\p{L}\p{N}_$.-]*$/u.test(name) && !isTaken ? name : quoted(name);
}

/** @param {string} name as a filter has it
 * @param {unknown} value */
export function term(name, value) { return `${name}=${written(value)}`; }

/** Filters that must all match; `OR` is put in parentheses.
 * @param {...string} texts */
export function joined(...texts) {
    const given = texts.filter((text) => text !== "");
    return given.length === 1 ? given[0]
        : given.map((text) => (/\sOR\s/.test(text) && !/^-?\(.*\)$/.test(text) ? `(${text})` : text)).join(" ");
}

/** The filter with a term added. `only` replaces terms of the same name.
 * @param {ReadFilter} read what the API says of the filter
 * @param {string} name as a filter has it
 * @param {unknown} value @param {Narrowing} how */
export function adding(read, name, value, how) {
    const { parts } = read;
    const isSame = (/** @type {FilterPart} */ part) => part.name === name && part.negated === (how === "not");
    const same = how === ">=" || how === "<=" ? undefined : parts.filter(isSame).at(-1);
    const texts = how === "only" ? parts.filter((part) => !isSame(part)).map((part) => part.text)
        : parts.map((part) => part.text);
    if (how === ">=" || how === "<=") texts.push(`${name}${how}${written(value)}`);
    else if (how === "only" || same === undefined) texts.push(`${how === "not" ? "-" : ""}${term(name, value)}`);
    // A value is not added twice.
    else if (!same.text.endsWith(`=${written(value)}`) && !same.text.endsWith(`,${written(value)}`)) {
        texts[parts.indexOf(same)] = `${same.text},${written(value)}`;
    }
    return joined(...texts);
}

/** The filter with a part replaced or removed.
 * @param {ReadFilter} read @param {number} index @param {string} [text] */
export function replacing(read, index, text = "") {
    return joined(...read.parts.map((part, place) => (place === index ? text : part.text)));
}

/** @param {FilterPart} part */
export function turned({ text, negated }) {
    const positive = /^(?:-|NOT\s+)(?<rest>.*)$/su.exec(text)?.groups?.rest;
    if (negated && positive) return positive;
    return /\sOR\s/.test(text) || negated ? `-(${text})` : `-${text}`;
}

/** The parts that are switched off.
 * @param {Params} params */
export function switchedOff(params) {
    return (params.off ?? "").split(",").filter((part) => part !== "").map(decoded);
}

/** For the address.
 * @param {string[]} parts */
export function offText(parts) { return parts.map(encodeURIComponent).join(","); }

/** The filter without its times.
 * @param {ReadFilter} read */
export function timeless(read) {
    return joined(...read.parts.filter(({ name }) => !["last", "after", "before", "time"].includes(name ?? ""))
        .map(({ text }) => text));
}

/** @param {string} text */
const literal = (text) => `'${text.replaceAll("'", "''")}'`;

/** @type {Record<string, number>} */
const severity = { debug: 5, info: 9, warning: 13, error: 17, fatal: 21 };

/** The filter as a statement over `records`; without the collector's own records unless it names them.
 * @param {Params} params @param {ReadFilter} read what the API says of its filter */
export function filterSQL(params, read) {
    const least = severity[params.level ?? ""];
    const parts = [
        ...(read.own ? [] : [withoutOwn]),
        ...(params.kind ? [`kind IN (${params.kind.split(",").map(literal).join(", ")})`] : []),
        ...(least ? [`level >= ${least}`] : []),
        ...(params.since ? [`time >= ${BigInt(params.since)}`] : []),
        ...(params.until ? [`time < ${BigInt(params.until)}`] : []),
        ...(read.sql ? [read.sql] : []),
    ];
    return ["SELECT id, datetime(time / 1000000000, 'unixepoch') AS at, kind, tag, message, attributes", "FROM records",
        ...(parts.length > 0 ? [`WHERE ${parts.join("\n  AND ")}`] : []), "ORDER BY id DESC", "LIMIT 100"].join("\n");
}

/** The chosen ones, as an address has them, with one switched on or off.
 * @param {readonly string[]} all @param {string | undefined} chosen @param {string} one */
export function toggled(all, chosen, one) {
    const active = new Set((chosen ?? "").split(","));
    if (!active.delete(one)) active.add(one);
    return all.filter((name) => active.has(name)).join(",");
}

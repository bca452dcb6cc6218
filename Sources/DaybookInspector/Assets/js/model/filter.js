// @ts-check
// The history's filter as the address holds it. Pure.
//
// `filter=` is in the language of docs/formats/filters.md, which the API reads: the page writes terms and puts together
// what the API has taken apart, and reads nothing itself. `off=` remembers parts that are switched off.

import { decoded } from "../base/route.js";
import { withoutOwn } from "./catalog.js";

/** What an address may narrow by on its own: the same as a term of the filter. */
const single = ["tag", "session", "installation", "version", "module", "file", "trace"];
const plain = ["filter", "kind", "level", "since", "until", "violations", "run"];

/** @type {ReadFilter} what the API answers to no filter */
export const noFilter = { parts: [], alternatives: false, names: [], taken: [], own: false, sql: null, error: null };

/** What the API takes of an address's parameters.
 * @param {Params} params @returns {RecordQuery} */
export function apiFilter(params) {
    return Object.fromEntries(plain.filter((name) => params[name])
        .map((name) => [name, name === "since" || name === "until" ? time(params[name] ?? "") : params[name]]));
}

/** A time in nanoseconds as the API takes it, which would read the few digits of one near 1970 as another unit's.
 * @param {string} digits */
function time(digits) {
    if (!/^-?\d{1,17}$/.test(digits)) return digits;
    const fraction = ((BigInt(digits) % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
    const seconds = Number((BigInt(digits) - fraction) / 1_000_000_000n);
    return `${new Date(seconds * 1_000).toISOString().slice(0, -5)}.${String(fraction).padStart(9, "0")}Z`;
}

/** The parameters with what links ask for on its own as terms of the filter: `tag=feed.show` beside `filter=`.
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

/** A tag of a link, where stars are wildcards unless a backslash stands before them.
 * @param {string} tag */
function pattern(tag) {
    const isPattern = /(^|[^\\])\*/.test(tag);
    return isPattern && /^[\p{L}\p{N}_.*-]+$/u.test(tag) ? tag : written(tag.replaceAll("\\*", "*"));
}

/** A filter for exactly one tag, whose stars are no wildcards.
 * @param {string} tag */
export function exactTag(tag) { return tag.replaceAll("*", "\\*"); }

/** A text between quotation marks.
 * @param {string} text */
export function quoted(text) {
    const marks = /** @type {Record<string, string>} */ ({ "\n": "\\n", "\r": "\\r", "\t": "\\t" });
    return `"${text.replace(/["\\\n\r\t]/g, (mark) => marks[mark] ?? `\\${mark}`)}"`;
}

/** A value as a filter asks for exactly it: a text that could be taken for something else stands between quotation
 * marks.
 * @param {unknown} value */
export function written(value) {
    if (typeof value !== "string") return String(value);
    // A whole number that JavaScript would round comes as a text.
    if (/^-?\d{16,19}$/.test(value)) return value;
    const isPlain = /^[\p{L}_](?:[\p{L}\p{N}_-]|\.(?!\.))*$/u.test(value) && !["true", "false", "null"].includes(value);
    return isPlain ? value : quoted(value);
}

/** A column's name as a filter has it: one that Daybook has a meaning for stands between quotation marks.
 * @param {string} name
 * @param {string[]} known the names that have a meaning of their own, and beginnings of names, which end with a dot */
export function writtenColumn(name, known) {
    const lower = name.toLowerCase();
    const isTaken = known.some((one) => (one.endsWith(".") ? lower.startsWith(one) : lower === one));
    return /^[\p{L}_$][\p{L}\p{N}_$.-]*$/u.test(name) && !isTaken ? name : quoted(name);
}

/** That something is this value.
 * @param {string} name as a filter has it
 * @param {unknown} value */
export function term(name, value) { return `${name}=${written(value)}`; }

/** Filters that all narrow. Beside others `OR` wants parentheses.
 * @param {...string} texts */
export function joined(...texts) {
    const given = texts.filter((text) => text !== "");
    return given.length === 1 ? given[0]
        : given.map((text) => (/\sOR\s/.test(text) && !/^-?\(.*\)$/.test(text) ? `(${text})` : text)).join(" ");
}

/** The filter with a term more. What has the same name and narrows gives way to it.
 * @param {ReadFilter} read what the API says of the filter
 * @param {string} name as a filter has it
 * @param {unknown} value @param {"only" | "also" | "not" | ">=" | "<="} how */
export function adding(read, name, value, how) {
    const { parts } = read;
    const isSame = (/** @type {FilterPart} */ part) => part.name === name && part.negated === (how === "not");
    const same = how === ">=" || how === "<=" ? undefined : parts.filter(isSame).at(-1);
    const texts = how === "only" ? parts.filter((part) => !isSame(part)).map((part) => part.text)
        : parts.map((part) => part.text);
    if (how === ">=" || how === "<=") texts.push(`${name}${how}${written(value)}`);
    else if (how === "only" || same === undefined) texts.push(`${how === "not" ? "-" : ""}${term(name, value)}`);
    // Values that are asked for twice are asked for once.
    else if (!same.text.endsWith(`=${written(value)}`) && !same.text.endsWith(`,${written(value)}`)) {
        texts[parts.indexOf(same)] = `${same.text},${written(value)}`;
    }
    return joined(...texts);
}

/** The filter with another part in the place of one; without it where there is none.
 * @param {ReadFilter} read @param {number} index @param {string} [text] */
export function replacing(read, index, text = "") {
    return joined(...read.parts.map((part, place) => (place === index ? text : part.text)));
}

/** The opposite of a part.
 * @param {FilterPart} part */
export function turned({ text, negated }) {
    const positive = /^(?:-|NOT\s+)(?<rest>.*)$/su.exec(text)?.groups?.rest;
    if (negated && positive) return positive;
    return /\sOR\s/.test(text) || negated ? `-(${text})` : `-${text}`;
}

/** Parts that are switched off.
 * @param {Params} params */
export function switchedOff(params) {
    return (params.off ?? "").split(",").filter((part) => part !== "").map(decoded);
}

/** The same as a parameter of the address.
 * @param {string[]} parts */
export function offText(parts) { return parts.map(encodeURIComponent).join(","); }

/** The filter without what says when.
 * @param {ReadFilter} read */
export function timeless(read) {
    return joined(...read.parts.filter(({ name }) => !["last", "after", "before", "time"].includes(name ?? ""))
        .map(({ text }) => text));
}

/** @param {string} text */
const literal = (text) => `'${text.replaceAll("'", "''")}'`;

/** @type {Record<string, number>} */
const severity = { debug: 5, info: 9, warning: 13, error: 17, fatal: 21 };

/** The filter as a statement over the table `records`: as in the history, without the collector's own unless a tag asks
 * for them.
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

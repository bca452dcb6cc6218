// @ts-check
// Records as files: one function from records to text per format. Pure.

import { clockTime, membersOf, milliseconds } from "../base/format.js";
import { isError } from "../model/record.js";
import { harFile } from "./request-files.js";

/** One record per line, as `daybook export` writes it.
 * @param {LogRecord[]} records */
export function ndjson(records) {
    return records.map(({ id, uid, time, kind, level, duration, violations: _, masked: __, ...rest }) =>
        `${JSON.stringify({
        id, uid, time: instant(time), kind, level: levelOf(level), ...known(rest),
        ...(duration === null || duration === undefined ? {} : { duration: Number(duration) }),
    })}\n`).join("");
}

/** OpenTelemetry's words; other severity numbers stay numbers. */
/** @type {Record<number, string>} */
const words = { 1: "trace", 5: "debug", 9: "info", 13: "warning", 17: "error", 21: "fatal" };

/** @param {number} level */
function levelOf(level) { return words[level] ?? level; }

/** Without null members, except the message.
 * @param {object} members */
function known(members) {
    return Object.fromEntries(Object.entries(members).filter(([name, value]) => value !== null || name === "message"));
}

/** RFC 3339 with nanoseconds, which `Date` cannot represent.
 * @param {Nanoseconds} nanoseconds */
export function instant(nanoseconds) {
    const whole = new Date(milliseconds(nanoseconds)).toISOString().slice(0, 19);
    const fraction = String(((BigInt(nanoseconds) % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n);
    return `${whole}.${fraction.padStart(9, "0")}Z`;
}

/** @type {(keyof LogRecord)[]} */
const envelope = ["id", "time", "kind", "level", "tag", "message", "session", "installation", "module", "duration"];

/** Comma-separated (RFC 4180) with a column per attribute, for spreadsheets: text that would run as a formula is
 * escaped, as the page says; `daybook query --format csv` keeps values as they are.
 * @param {LogRecord[]} records */
export function csv(records) {
    const names = [...new Set(records.flatMap(({ attributes }) => Object.keys(membersOf(attributes))))];
    /** @type {string[]} */
    const taken = envelope;
    const header = [...taken, ...names.map((name) => (taken.includes(name) ? `attribute.${name}` : name))];
    const rows = records.map((record) => [
        ...envelope.map((name) => (name === "time" ? instant(record.time) : name === "level" ? levelOf(record.level)
            : record[name])),
        ...names.map((name) => membersOf(record.attributes)[name]),
    ]);
    return table(header, rows);
}

/** @param {string[]} header @param {unknown[][]} rows */
export function table(header, rows) {
    return [header, ...rows].map((row) => `${row.map(cell).join(",")}\n`).join("");
}

/** Empty for null, `""` for an empty text. An apostrophe disarms what a spreadsheet would run as a formula (OWASP, *CSV
 * injection*).
 * @param {unknown} value */
export function cell(value) {
    if (value === null || value === undefined) return "";
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const isFormula = /^[=+\-@\t\r\n＝＋－＠]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text);
    const safe = isFormula ? `'${text}` : text;
    return text === "" || /[",\r\n]/.test(safe) || isFormula ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A table for an issue or a chat; text cannot break out of its cell.
 * @param {LogRecord[]} records */
export function markdown(records) {
    const lines = records.map((record) => [
        `#${record.id}`, clockTime(record.time), record.kind, record.tag,
        [record.message, ...Object.entries(membersOf(record.attributes)).map(([name, value]) =>
            `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)].filter(Boolean).join(", "),
    ]);
    return [
        "| # | time | kind | name | |", "|---|---|---|---|---|",
        ...lines.map((cells) => `| ${cells.map((text) => (text === "" ? "" : code(text))).join(" | ")} |`), "",
    ].join("\n");
}

/** Any text as inline code in a cell, so that links and mentions stay inert. Parsers disagree about a backslash before
 * a bar.
 * @param {string} text */
export function code(text) {
    const line = printable(text);
    const fence = "`".repeat(Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length)) + 1);
    const padded = /^`|`$|^ .*? $/.test(line) ? ` ${line} ` : line;
    return `${fence}${padded}${fence}`.replace(/(\\?)\|/g, (_, slash) => (slash ? "\\\\u{7c}" : "\\|"));
}

/** One line; characters that end lines, reorder text or are invisible are escaped, as in `daybook tail`.
 * @param {string} text */
function printable(text) {
    return text.replace(steering, (mark, place) => {
        const isSpelt = /[\u200C\u200D]/.test(mark) && isForeign(text[place - 1]) && isForeign(text[place + 1]);
        return isSpelt ? mark : `\\u{${mark.codePointAt(0)?.toString(16)}}`;
    });
}

const steering = new RegExp("[\\0-\\x1F\\x7F-\\x9F\\xAD\\u061C\\u200B-\\u200F\\u2028-\\u202E\\u2060-\\u206F\\uFEFF"
    + "\\uFFF9-\\uFFFB\\uFFFE\\uFFFF\\u{E0000}-\\u{E007F}]", "gu");

/** Whether a joiner next to this character may be part of the spelling.
 * @param {string | undefined} unit */
function isForeign(unit) { return unit !== undefined && unit > "\x7F" && unit.search(steering) < 0; }

/** JUnit XML with a test per record; errors are failures, for CI to show.
 * @param {LogRecord[]} records */
export function junit(records) {
    const cases = records.map((record) => {
        const isFailure = isError(record);
        const open = `    <testcase classname="${xml(record.tag)}" name="#${xml(String(record.id))}" time="${
            Number(record.duration ?? 0) / 1e9}"`;
        if (!isFailure) return `${open}/>`;
        const attributes = membersOf(record.attributes);
        const words = record.message ?? attributes["exception.message"] ?? record.tag;
        const detail = xml(JSON.stringify(attributes));
        return [`${open}>`, `      <failure message="${xml(String(words))}">${detail}</failure>`,
            "    </testcase>"].join("\n");
    });
    const failures = cases.filter((one) => one.includes("<failure")).length;
    return [
        '<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>",
        `  <testsuite name="daybook" tests="${cases.length}" failures="${failures}">`, ...cases, "  </testsuite>",
        "</testsuites>", "",
    ].join("\n");
}

/** Escapes for XML 1.0, without the characters that it forbids even as references.
 * @param {string} text */
export function xml(text) {
    return printable(text).replace(/[\uD800-\uDFFF]/gu, "\uFFFD")
        .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Each format's name, extension, media type and writer.
 * @type {Record<string, { name: string, extension: string, type: string, write: (records: LogRecord[]) => string }>} */
export const formats = {
    ndjson: { name: "NDJSON", extension: "ndjson", type: "application/x-ndjson", write: ndjson },
    csv: { name: "CSV", extension: "csv", type: "text/csv", write: csv },
    har: { name: "HAR", extension: "har", type: "application/json", write: harFile },
    markdown: { name: "Markdown", extension: "md", type: "text/markdown", write: markdown },
    junit: { name: "JUnit", extension: "xml", type: "application/xml", write: junit },
};

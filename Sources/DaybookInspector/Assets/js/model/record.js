// @ts-check
// A record's parameters, compared with its definition and with another record. Pure.

import { errorLevel } from "../base/format.js";
import { isOwnTag } from "./catalog.js";

/** In place of a private value until it is revealed. */
export const mask = "••••";

/** The attributes in which a sender lists private names, whatever the definitions say. */
const privateLists = ["daybook.private", "daybook.private.common"];
/** Shown with the source, not as a parameter. */
const callColumn = "code.column.number";

/** The event's parameters in the definition's order, then undefined ones.
 * @param {LogRecord} record @param {Catalog} catalog @returns {Parameter[]} */
export function ownParameters(record, catalog) {
    const attributes = objectOf(record.attributes);
    const hidden = toldPrivate(record);
    const defined = record.kind === "event" ? catalog.find(record.tag) : undefined;
    const columns = defined?.columns ?? [];
    const names = new Set(columns.map((column) => column.name));
    /** @type {Parameter[]} */
    const own = columns
        .filter((column) => !column.obsolete || attributes[column.name] !== undefined)
        .map((column) => {
            const value = attributes[column.name];
            const isThere = value !== undefined && value !== null;
            return { name: column.name, column, value, isPrivate: isHidden(column.name, column, hidden),
                state: isThere ? "value" : column.optional ? "absent" : "missing" };
        });
    /** @type {Parameter[]} */
    const extra = Object.keys(attributes)
        .filter((name) => !names.has(name) && !catalog.commonNames.has(name) && !privateLists.includes(name)
            && (name !== callColumn || record.file === null))
        .map((name) => ({ name, column: null, value: attributes[name], isPrivate: isHidden(name, null, hidden),
            state: defined ? "extra" : "value" }));
    return [...own, ...extra];
}

/** Parameters common to all records: the context, and common columns among the attributes.
 * @param {LogRecord} record @param {Catalog} catalog @returns {Parameter[]} */
export function commonParameters(record, catalog) {
    const attributes = objectOf(record.attributes);
    const columns = new Map(catalog.common.map((column) => [column.name, column]));
    const own = new Set(catalog.find(record.tag)?.columns.map((column) => column.name));
    const all = { ...objectOf(record.context) };
    for (const name of Object.keys(attributes)) {
        if (columns.has(name) && !own.has(name)) all[name] = attributes[name];
    }
    const hidden = toldPrivate(record);
    return Object.entries(all).filter(([name]) => !privateLists.includes(name)).map(([name, value]) => {
        const column = columns.get(name) ?? null;
        return { name, column, value, isPrivate: isHidden(name, column, hidden), state: "value" };
    });
}

/** The names that the sender calls private.
 * @param {LogRecord} record */
function toldPrivate(record) {
    const lists = [objectOf(record.attributes), objectOf(record.context)]
        .flatMap((values) => privateLists.map((list) => values[list]));
    /** @type {Set<Json>} */
    const names = new Set();
    for (const list of lists) if (Array.isArray(list)) for (const name of list) names.add(name);
    return names;
}

/** @param {string} name @param {ColumnDefinition | null} column @param {Set<Json>} told */
function isHidden(name, column, told) { return column?.classification === "private" || told.has(name); }

/** Whether an event is undefined although there are definitions.
 * @param {LogRecord} record @param {Catalog} catalog */
export function isUndefinedEvent(record, catalog) {
    return record.kind === "event" && !catalog.isEmpty && !catalog.find(record.tag) && !isOwnTag(record.tag);
}

const technical = /^((daybook\.)?http|url|server|client|network|otel|user_agent|span|graphql)\./;

/** A request in a row: `name` (method and path), `status` (null without a response), `failure`, and the parameters that
 * OpenTelemetry's conventions do not define.
 * @param {LogRecord} record @param {Catalog} catalog */
export function requestSummary(record, catalog) {
    const attributes = objectOf(record.attributes);
    const status = attributes["http.response.status_code"];
    const own = [attributes["http.request.method"], pathOf(attributes["url.full"])].filter(Boolean).join(" ");
    return {
        name: record.message || own || record.tag,
        status: typeof status === "number" ? status : null,
        failure: attributes["error.type"] ?? null,
        parameters: ownParameters(record, catalog)
            .filter(({ name }) => !technical.test(name) && name !== "error.type"),
    };
}

/** @param {Json | undefined} url */
function pathOf(url) {
    return typeof url === "string" ? url.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/[?#].*$/, "") || "/" : "";
}

/** Whether a record happened before the one that arrived before it.
 * @param {LogRecord} record @param {LogRecord | undefined} older */
export function isLate(record, older) {
    return older !== undefined && BigInt(record.time) < BigInt(older.time);
}

/** Attributes that are not JSON come as text, and are shown under an empty name.
 * @param {Json | undefined} value @returns {JsonObject} */
function objectOf(value) {
    if (value === null || value === undefined) return {};
    if (typeof value === "object" && !Array.isArray(value)) return value;
    return { "": value };
}

/** A parameter that differs between two records; undefined or null if one of them lacks it.
 * @typedef {{ name: string, before: Json | undefined, after: Json | undefined, isPrivate: boolean }} Change */

/** @param {LogRecord} before @param {LogRecord} after @param {Catalog} catalog
 * @param {typeof ownParameters} parametersOf @returns {Change[]} */
function changedParameters(before, after, catalog, parametersOf) {
    const old = new Map(parametersOf(before, catalog).map((parameter) => [parameter.name, parameter]));
    const now = new Map(parametersOf(after, catalog).map((parameter) => [parameter.name, parameter]));
    return [...new Set([...now.keys(), ...old.keys()])]
        .map((name) => ({ name, left: old.get(name), right: now.get(name) }))
        .filter(({ left, right }) => writtenValue(left) !== writtenValue(right))
        .map(({ name, left, right }) => ({ name, before: left?.value, after: right?.value,
            isPrivate: Boolean(left?.isPrivate || right?.isPrivate) }));
}

/** @param {Parameter | undefined} parameter */
function writtenValue(parameter) {
    return parameter?.state === "value" || parameter?.state === "extra" ? JSON.stringify(parameter.value) : undefined;
}

/** @param {LogRecord} before @param {LogRecord} after @param {Catalog} catalog */
export function changedNames(before, after, catalog) {
    return new Set(changedParameters(before, after, catalog, ownParameters).map(({ name }) => name));
}

/** The differences between two records of a name, own parameters first.
 * @param {LogRecord} before @param {LogRecord} after @param {Catalog} catalog */
export function difference(before, after, catalog) {
    return [ownParameters, commonParameters].flatMap((parametersOf) =>
        changedParameters(before, after, catalog, parametersOf));
}

/** @param {LogRecord} record */
export function isError({ kind, level }) { return kind === "error" || level >= errorLevel; }

/** Where in the source a record was made, or null.
 * @param {LogRecord} record */
export function sourceOf({ file, line, attributes }) {
    if (!file) return null;
    const column = objectOf(attributes)[callColumn];
    return `${file}${line ? `:${line}${column === undefined ? "" : `:${column}`}` : ""}`;
}

/** Violations that the page describes in the reader's language. */
export const violationKinds = ["undefined_event", "obsolete_event", "missing_column", "undefined_column",
    "obsolete_column", "wrong_type", "out_of_range", "too_long", "undeclared_value", "sensitive_in_clear",
    "unreadable"];

/** A violation in the reader's language, with names and values in code spans; unknown kinds keep the collector's
 * message.
 * @param {Translate} t @param {Violation} violation */
export function violationText(t, { kind, column, expected, found, message }) {
    const isTold = ["wrong_type", "out_of_range", "too_long", "undeclared_value"].includes(kind);
    if (!violationKinds.includes(kind) || (isTold && expected === null)) return message;
    // A type is described in English; the value itself is shown elsewhere.
    const cameInstead = isTold && found !== null && kind !== "wrong_type" ? t("violation.found", { found }) : "";
    return t(`violation.${kind}`, { column: column ?? "", expected: expected ?? "" }) + cameInstead;
}

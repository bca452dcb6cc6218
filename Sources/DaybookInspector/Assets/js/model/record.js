// A record's parameters against its definition. Pure.

import { isOwnTag } from "./catalog.js";

/** By these attributes a sender tells which values are private, whatever the definitions here say. */
const privateLists = ["daybook.private", "daybook.private.common"];

/**
 * The event's own parameters in the definition's order, then those that no definition names.
 * `state`: `value`, `absent` (optional), `missing` (required), `extra` (not defined).
 */
export function ownParameters(record, catalog) {
    const attributes = objectOf(record.attributes);
    const hidden = toldPrivate(record);
    const defined = record.kind === "event" ? catalog.find(record.tag) : undefined;
    const columns = defined?.columns ?? [];
    const names = new Set(columns.map((column) => column.name));
    const own = columns
        .filter((column) => !column.obsolete || attributes[column.name] !== undefined)
        .map((column) => {
            const value = attributes[column.name];
            const isThere = value !== undefined && value !== null;
            return { name: column.name, column, value, isPrivate: isHidden(column.name, column, hidden),
                state: isThere ? "value" : column.optional ? "absent" : "missing" };
        });
    const extra = Object.keys(attributes)
        .filter((name) => !names.has(name) && !catalog.commonNames.has(name) && !privateLists.includes(name))
        .map((name) => ({ name, column: null, value: attributes[name], isPrivate: isHidden(name, null, hidden),
            state: defined ? "extra" : "value" }));
    return [...own, ...extra];
}

/** The parameters that every record has: the context, and common columns that a sender put among its attributes. */
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

/** The names that the record's sender calls private. */
function toldPrivate(record) {
    const lists = [objectOf(record.attributes), objectOf(record.context)]
        .flatMap((values) => privateLists.map((list) => values[list]));
    return new Set(lists.filter(Array.isArray).flat());
}

function isHidden(name, column, told) { return column?.classification === "private" || told.has(name); }

/** Whether an event's tag has no definition, where there are definitions at all. */
export function isUndefinedEvent(record, catalog) {
    return record.kind === "event" && !catalog.isEmpty && !catalog.find(record.tag) && !isOwnTag(record.tag);
}

/** The names of a record's values that the definitions, or its sender, call private. */
export function hiddenNames(record, catalog) {
    return new Set([...ownParameters(record, catalog), ...commonParameters(record, catalog)]
        .filter((parameter) => parameter.isPrivate).map((parameter) => parameter.name));
}

/** The record with private values replaced, for showing and copying. */
export function masked(record, catalog, mask) {
    const hidden = hiddenNames(record, catalog);
    if (hidden.size === 0) return record;
    const hide = (object) => Object.fromEntries(
        Object.entries(objectOf(object)).map(([name, value]) => [name, hidden.has(name) ? mask : value]));
    return { ...record, attributes: hide(record.attributes), context: hide(record.context) };
}

const technical = /^((daybook\.)?http|url|server|client|network|otel|user_agent|span|graphql)\./;

/**
 * What a row tells of a request: `name` (method and path), `status` (a number, or null where no answer came), `failure`
 * (what went wrong instead), and the parameters that are not the exchange's own by OpenTelemetry's conventions.
 */
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

function pathOf(url) {
    return typeof url === "string" ? url.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/[?#].*$/, "") || "/" : "";
}

/** Whether a record happened before the one that arrived before it. */
export function isLate(record, older) {
    return older !== undefined && BigInt(record.time) < BigInt(older.time);
}

/** Attributes that could not be read as JSON come as text: shown under one name. */
function objectOf(value) {
    if (value === null || value === undefined) return {};
    if (typeof value === "object" && !Array.isArray(value)) return value;
    return { "": value };
}

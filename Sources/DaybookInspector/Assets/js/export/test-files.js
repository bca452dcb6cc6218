// Marked records as a test: a fixture that `daybook verify` reads, and a checklist that these records pass. Pure.

import { ownParameters } from "../model/record.js";

/** Names as checklists take them; others are left out of tests. */
const columnName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const tagName = /^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)+$/;

/** Looks like a value that is another one in the next run. */
function varies(value) {
    return typeof value === "string" && (/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value)
        || /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value));
}

/** A value as a checklist writes it; null where it cannot be written. */
function literal(value) {
    if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return String(value);
    return typeof value === "string" && !/["\\\n\r`]/.test(value) && value.length <= 200 ? `"${value}"` : null;
}

/**
 * A checklist in which every event of `records` (oldest first) is an item in its order, with a test for each parameter
 * that had one value throughout and would have it again. Private parameters are not among the tests.
 */
export function checklistOf(records, name, catalog) {
    const groups = new Map();
    for (const record of records) {
        if (record.kind !== "event" || !tagName.test(record.tag)) continue;
        const group = groups.get(record.tag) ?? { tag: record.tag, records: [] };
        group.records.push(record);
        groups.set(record.tag, group);
    }
    const items = [...groups.values()].flatMap(({ tag, records: same }, index) => [
        `${index + 1}. [ ] ${tag}${same.length > 1 ? ` at least ${same.length}` : ""}`, ...tests(same, catalog)
            .map((test) => `    - ${test}`)]);
    return [`# ${name}`, "", "## recorded", "", ...items, ""].join("\n");
}

function tests(records, catalog) {
    const own = ownParameters(records[0], catalog).filter(({ name, state, column }) => columnName.test(name)
        && (state === "value" || state === "extra") && column?.classification !== "private"
        && column?.classification !== "sensitive");
    return own.flatMap(({ name, value }) => {
        const isConstant = records.every(({ attributes }) => JSON.stringify(attributes[name]) === JSON.stringify(value));
        const text = literal(value);
        if (isConstant && text !== null && !varies(value)) return [`${name} = ${text}`];
        return records.every(({ attributes }) => attributes[name] !== undefined && attributes[name] !== null)
            ? [`${name} exists`] : [];
    });
}

/**
 * The records as a fixture: `{"event": [{parameter: value}]}`, with a matcher in the place of what varies or is private.
 */
export function fixtureOf(records, catalog) {
    const fixture = {};
    for (const record of records) {
        if (record.kind !== "event") continue;
        const parameters = ownParameters(record, catalog).filter(({ state }) => state === "value" || state === "extra");
        (fixture[record.tag] ??= []).push(Object.fromEntries(parameters.map(({ name, value, column }) =>
            [name, column?.classification === "private" || column?.classification === "sensitive" ? "@any"
                : !varies(value) ? value : /T/.test(value) ? "@timestamp" : "@uuid"])));
    }
    return `${JSON.stringify(fixture, null, 2)}\n`;
}

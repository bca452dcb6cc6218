// @ts-check
// Marked records as a test: a fixture for `daybook verify`, and a checklist that these records pass. Pure.

import { membersOf } from "../base/format.js";
import { ownParameters } from "../model/record.js";
import { isMark } from "../model/redaction.js";

/** Names that checklists accept; others are left out. */
const columnName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const tagName = /^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)+$/;

/** Whether the value probably differs on the next run.
 * @param {Json | undefined} value @returns {value is string} */
function varies(value) {
    return typeof value === "string" && (/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value)
        || /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value));
}

/** The value in a checklist's syntax; null if it has none.
 * @param {Json | undefined} value */
function literal(value) {
    if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return String(value);
    return typeof value === "string" && !/["\\\n\r`]/.test(value) && value.length <= 200 ? `"${value}"` : null;
}

/** A checklist with the events as items in order, immediate repeats in one. Each parameter with a constant, repeatable
 * value becomes a test; private ones do not.
 * @param {LogRecord[]} records oldest first
 * @param {string} name @param {Catalog} catalog */
export function checklistOf(records, name, catalog) {
    /** @type {{ tag: string, count: number }[]} */
    const groups = [];
    /** @type {Map<string, LogRecord[]>} */
    const byTag = new Map();
    for (const record of records) {
        if (record.kind !== "event" || !tagName.test(record.tag)) continue;
        const last = groups.at(-1);
        if (last?.tag === record.tag) last.count += 1;
        else groups.push({ tag: record.tag, count: 1 });
        const same = byTag.get(record.tag);
        if (same) same.push(record);
        else byTag.set(record.tag, [record]);
    }
    // An item's tests apply to all of the event's records, not only to those that meet the item.
    const items = groups.flatMap(({ tag, count }, index) => [
        `${index + 1}. [ ] ${tag}${count > 1 ? ` at least ${count}` : ""}`,
        ...tests(byTag.get(tag) ?? [], catalog).map((test) => `    - ${test}`)]);
    return [`# ${name}`, "", "## recorded", "", ...items, ""].join("\n");
}

/** @param {LogRecord[]} records @param {Catalog} catalog */
function tests(records, catalog) {
    const own = ownParameters(records[0], catalog).filter((parameter) => columnName.test(parameter.name)
        && isThere(parameter) && !isSecret(parameter));
    return own.flatMap(({ name, value }) => {
        /** @type {(Json | undefined)[]} */
        const values = records.map(({ attributes }) => membersOf(attributes)[name]);
        const isConstant = values.every((one) => JSON.stringify(one) === JSON.stringify(value));
        const text = literal(value);
        if (isConstant && text !== null && !varies(value)) return [`${name} = ${text}`];
        return values.every((one) => one !== undefined && one !== null) ? [`${name} exists`] : [];
    });
}

/** @param {Parameter} parameter */
function isThere({ state }) { return state === "value" || state === "extra"; }

/** @param {Parameter} parameter */
function isSecret({ column, value, isPrivate }) {
    return isPrivate || isMark(value) || column?.classification === "sensitive";
}

/** The records as a fixture: `{"event": [{parameter: value}]}`, with matchers for values that vary or are private.
 * @param {LogRecord[]} records @param {Catalog} catalog */
export function fixtureOf(records, catalog) {
    /** @type {Record<string, JsonObject[]>} */
    const fixture = {};
    for (const record of records) {
        if (record.kind !== "event") continue;
        const parameters = ownParameters(record, catalog).filter(isThere);
        (fixture[record.tag] ??= []).push(Object.fromEntries(parameters.map((parameter) => {
            const { name, value = null } = parameter;
            return [name, isSecret(parameter) ? "@any"
                : !varies(value) ? value : /T/.test(value) ? "@timestamp" : "@uuid"];
        })));
    }
    return `${JSON.stringify(fixture, null, 2)}\n`;
}

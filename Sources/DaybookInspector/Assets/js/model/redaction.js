// @ts-check
// What the collector masked, and what the page leaves out on top. The collector alone decides what is masked: records
// come without private values and credentials unless they are asked for with `private=show`. Pure.

/** What stands in the place of a private value. */
export const privateMark = "[private]";
/** What stands in the place of a credential. */
const credentialMark = "[redacted]";

/** Whether a value was masked, or was replaced before it was stored.
 * @param {Json | undefined} value */
export function isMark(value) { return value === privateMark || value === credentialMark; }

const bodyName = /^(daybook\.)?http\.(request|response)\.body(\.content)?$/;

/** The record without the bodies of its exchange.
 * @param {LogRecord} record @returns {LogRecord} */
export function withoutBodies(record) {
    const strip = (/** @type {Json} */ object) => {
        if (object === null || typeof object !== "object" || Array.isArray(object)) return object;
        return Object.fromEntries(Object.entries(object).map(([name, value]) =>
            [name, bodyName.test(name) && value !== null ? credentialMark : value]));
    };
    return { ...record, attributes: strip(record.attributes), context: strip(record.context) };
}

/** How many values are replaced in the records.
 * @param {LogRecord[]} records */
export function markCount(records) {
    return records.reduce((sum, { message, attributes, context }) => {
        const text = JSON.stringify([message, attributes, context]);
        return sum + [privateMark, credentialMark].reduce((count, mark) => count + text.split(mark).length - 1, 0);
    }, 0);
}

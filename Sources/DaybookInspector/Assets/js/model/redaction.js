// @ts-check
// Masked values, and bodies that the page leaves out. Only the collector masks: private values and credentials are
// masked unless requested with `private=show`. Pure.

/** In place of a private value. */
export const privateMark = "[private]";
/** In place of a credential. */
const credentialMark = "[redacted]";

/** Whether a value was masked, or replaced before it was stored.
 * @param {Json | undefined} value */
export function isMark(value) { return value === privateMark || value === credentialMark; }

const bodyName = /^(daybook\.)?http\.(request|response)\.body(\.content)?$/;

/** @param {LogRecord} record @returns {LogRecord} */
export function withoutBodies(record) {
    const strip = (/** @type {Json} */ object) => {
        if (object === null || typeof object !== "object" || Array.isArray(object)) return object;
        return Object.fromEntries(Object.entries(object).map(([name, value]) =>
            [name, bodyName.test(name) && value !== null ? credentialMark : value]));
    };
    return { ...record, attributes: strip(record.attributes), context: strip(record.context) };
}

/** How many values are masked in the records.
 * @param {LogRecord[]} records */
export function markCount(records) {
    return records.reduce((sum, { message, attributes, context }) => {
        const text = JSON.stringify([message, attributes, context]);
        return sum + [privateMark, credentialMark].reduce((count, mark) => count + text.split(mark).length - 1, 0);
    }, 0);
}

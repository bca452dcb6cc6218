// @ts-check
// How far a checklist is. Pure.

/**
 * What knows the manual items that a person has ticked.
 * @typedef {{ has(checklist: Checklist, scenario: Scenario, item: ChecklistItem): boolean }} Ticks
 */
/**
 * The same, and what takes a tick.
 * @typedef {Ticks & {
 *     set(checklist: Checklist, scenario: Scenario, item: ChecklistItem, isTicked: boolean): void,
 * }} TickBook
 */
/** @typedef {{ done: number, failed: number, all: number }} Share of the items */

/**
 * @param {Checklist} checklist
 * @param {Scenario} scenario
 * @param {ChecklistItem} item
 * @param {Ticks} ticks
 */
export function isDone(checklist, scenario, item, ticks) {
    return item.state === "manual" ? ticks.has(checklist, scenario, item) : item.state === "ok";
}

/**
 * @param {Checklist} checklist
 * @param {Ticks} ticks
 * @returns {Share}
 */
export function progress(checklist, ticks) {
    const found = { done: 0, failed: 0, all: 0 };
    for (const scenario of checklist.scenarios) {
        for (const item of scenario.items) {
            // What is not for this persona is nobody's task.
            if (item.state === "not_applicable") continue;
            found.all += 1;
            if (isDone(checklist, scenario, item, ticks)) found.done += 1;
            if (item.state === "failed") found.failed += 1;
        }
    }
    return found;
}

/**
 * The history's parameters that show an item's records: the only one, or those of its pattern; null for none.
 * @param {ChecklistItem} item
 * @returns {Params | null}
 */
export function recordsOf({ matches, records, pattern }) {
    if (Number(matches) === 1 && records.length > 0) return { sel: String(records[0].id) };
    return pattern !== null && Number(matches) > 0 ? filterOf(pattern) : null;
}

/**
 * The tag itself, or a search for what precedes the star.
 * @param {string} pattern
 * @returns {Params}
 */
function filterOf(pattern) {
    const star = pattern.indexOf("*");
    if (star < 0) return { tag: pattern };
    return star === 0 ? {} : { q: pattern.slice(0, star) };
}

/**
 * A reason's text cut at the records it names: `["got 2, first ", 7, ""]` of `got 2, first #7`.
 * @param {string} reason
 */
export function namedRecords(reason) {
    return reason.split(/#(\d+)\b/).map((part, index) => (index % 2 === 1 ? Number(part) : part));
}

/**
 * An item's reason with private values replaced.
 * @param {ChecklistItem} item
 * @param {(tag: string, column: string) => boolean} isPrivate
 * @param {string} by
 */
export function maskedReason({ reason, records }, isPrivate, by) {
    let text = reason;
    for (const { tag, values } of records) {
        for (const { column, value } of values) {
            if (value === null || !isPrivate(tag, column)) continue;
            // The engine writes texts in quotation marks; integers beyond 2⁵³ come as texts and are written without.
            for (const written of [`"${value}"`, String(value)]) {
                text = text.replaceAll(`${column} = ${written}`, `${column} = ${by}`);
            }
        }
    }
    return text;
}

// @ts-check
// How far a checklist is. Pure.

/** What knows the manual items that a person has ticked.
 * @typedef {{ has(checklist: Checklist, scenario: Scenario, item: ChecklistItem): boolean }} Ticks */
/**
 * The same, and what takes a tick.
 * @typedef {Ticks & {
 *     set(checklist: Checklist, scenario: Scenario, item: ChecklistItem, isTicked: boolean): void,
 * }} TickBook
 */
/** @typedef {{ done: number, failed: number, all: number }} Share of the items */

/** @param {Checklist} checklist @param {Scenario} scenario @param {ChecklistItem} item @param {Ticks} ticks */
export function isDone(checklist, scenario, item, ticks) {
    return item.state === "manual" ? ticks.has(checklist, scenario, item) : item.state === "ok";
}

/** Whether nothing of it was judged, so that nothing can have passed.
 * @param {Checklist} checklist */
export function isUnjudged({ result }) { return result === "nothing_judged"; }

/** Names an item, as a sign-off does; 0 is the scenario as a whole.
 * @param {Scenario} scenario @param {string} item */
export function itemKey(scenario, item) { return `${scenario.id}/${item}`; }

/** What somebody has to answer for before a sign-off: what is not ok, and what nobody has ticked.
 * @param {Checklist} checklist @param {Ticks} ticks
 * @returns {{ key: string, text: string, reason: string, phrases: readonly Phrase[] }[]} */
export function openItems(checklist, ticks) {
    return checklist.scenarios.flatMap((scenario) => [
        ...(scenario.problem ? [{ key: itemKey(scenario, "0"), text: scenario.title, reason: scenario.problem,
            phrases: scenario.phrases }] : []),
        ...scenario.items.filter((item) => item.state !== "not_applicable" && !isDone(checklist, scenario, item, ticks))
            .map((item) => ({ key: itemKey(scenario, item.id), text: item.text, reason: item.reason ?? "",
                phrases: item.phrases })),
    ]);
}

/** @param {Checklist} checklist @param {Ticks} ticks @returns {Share} */
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
        if (scenario.problem && !isUnjudged(checklist)) found.failed += 1;
    }
    return found;
}

/** The history's parameters that show an item's records: the only one, or those of its pattern among the records that
 * the checklist is judged over; null for none.
 * @param {Pick<ChecklistItem, "matches" | "records" | "pattern">} item
 * @param {Pick<Checklist, "run" | "judging">} over @returns {Params | null} */
export function recordsOf({ matches, records, pattern }, { run, judging }) {
    if (Number(matches) === 1 && records.length > 0) return { sel: String(records[0].id) };
    if (pattern === null || Number(matches) === 0) return null;
    if (run) return { ...filterOf(pattern), run: String(run.id) };
    const { installation, session, version } = judging;
    return { ...filterOf(pattern), ...Object.fromEntries(Object.entries({ installation, session, version })
        .flatMap(([name, value]) => (value === null ? [] : [[name, value]]))) };
}

/** The pattern itself, which the history takes as an item does; all records for that of all.
 * @param {string} pattern @returns {Params} */
function filterOf(pattern) { return pattern === "**" ? {} : { tag: pattern }; }

/** A reason's text cut at the records it names: `["got 2, first ", 7, ""]` of `got 2, first #7`.
 * @param {string} reason */
export function namedRecords(reason) {
    return reason.split(/#(\d+)\b/).map((part, index) => (index % 2 === 1 ? Number(part) : part));
}

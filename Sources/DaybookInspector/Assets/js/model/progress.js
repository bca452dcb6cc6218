// @ts-check
// How far a checklist is. Pure.

/** @param {Checklist} checklist @param {Scenario} scenario @param {ChecklistItem} item @param {Ticks} ticks */
export function isDone(checklist, scenario, item, ticks) {
    return item.state === "manual" ? ticks.has(checklist, scenario, item) : item.state === "ok";
}

/** Whether nothing was judged: then nothing has passed.
 * @param {Checklist} checklist */
export function isUnjudged({ result }) { return result === "nothing_judged"; }

/** An item's name in a sign-off; 0 is the scenario itself.
 * @param {Scenario} scenario @param {string} item */
export function itemKey(scenario, item) { return `${scenario.id}/${item}`; }

/** What a sign-off must give a reason for: what is not ok or not ticked.
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

/** @param {Checklist} checklist @param {Ticks} ticks @returns {ItemShare} */
export function progress(checklist, ticks) {
    const found = { done: 0, failed: 0, all: 0 };
    for (const scenario of checklist.scenarios) {
        for (const item of scenario.items) {
            // Items of other personas do not count.
            if (item.state === "not_applicable") continue;
            found.all += 1;
            if (isDone(checklist, scenario, item, ticks)) found.done += 1;
            if (item.state === "failed") found.failed += 1;
        }
        if (scenario.problem && !isUnjudged(checklist)) found.failed += 1;
    }
    return found;
}

/** The history's parameters for an item's records: the only record, or those of the item's pattern among the judged
 * ones; null for none.
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

/** The history takes patterns as items do; none means all records.
 * @param {string} pattern @returns {Params} */
function filterOf(pattern) { return pattern === "**" ? {} : { tag: pattern }; }

/** Splits a reason at the records it names: `got 2, first #7` → `["got 2, first ", 7, ""]`.
 * @param {string} reason */
export function namedRecords(reason) {
    return reason.split(/#(\d+)\b/).map((part, index) => (index % 2 === 1 ? Number(part) : part));
}

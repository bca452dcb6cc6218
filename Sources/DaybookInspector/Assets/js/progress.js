// How far a checklist is. Pure; `ticks.has(checklist, scenario, item)` knows the manual items.

export function isDone(checklist, scenario, item, ticks) {
    return item.state === "manual" ? ticks.has(checklist, scenario, item) : item.state === "ok";
}

export function progress(checklist, ticks) {
    let done = 0;
    let all = 0;
    for (const scenario of checklist.scenarios) {
        for (const item of scenario.items) {
            all += 1;
            if (isDone(checklist, scenario, item, ticks)) done += 1;
        }
    }
    return { done, all };
}

/** The history's filter that shows the records of a pattern: the tag itself, or a search for what precedes the star. */
export function recordsOf(pattern) {
    const star = pattern.indexOf("*");
    if (star < 0) return { tag: pattern };
    return star === 0 ? {} : { q: pattern.slice(0, star) };
}

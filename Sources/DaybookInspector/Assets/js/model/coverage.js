// How far each event has come: defined, on a checklist, seen, and in which versions. Pure.

const longestVersions = 6;

/** The app versions that events came from, the newest first. */
export function versionsOf(tags) {
    const all = new Set(tags.flatMap(({ kind, tag, versions }) => (kind === "event" && !tag.startsWith("daybook.")
        ? versions.map(({ version }) => version).filter((version) => version !== null) : [])));
    const order = new Intl.Collator("en", { numeric: true });
    return [...all].sort((left, right) => order.compare(right, left)).slice(0, longestVersions);
}

/** How often a tag was seen by version; `summaries` are all of the tag's. */
export function seenIn(summaries, version) {
    return summaries.flatMap(({ versions }) => versions).filter((one) => one.version === version)
        .reduce((sum, { count }) => sum + Number(count), 0);
}

const worst = ["failed", "waiting", "not_judged", "ok", "not_applicable"];

/** The worst state of the items that name each tag: tag → `{ state, checklist }`; items with a star name none. */
export function checkedTags(checklists) {
    const found = new Map();
    for (const checklist of checklists) {
        for (const { pattern, state } of checklist.scenarios.flatMap(({ items }) => items)) {
            if (pattern === null || pattern.includes("*")) continue;
            const known = found.get(pattern);
            if (!known || worst.indexOf(state) < worst.indexOf(known.state)) found.set(pattern, { state, checklist: checklist.id });
        }
    }
    return found;
}

// Violations counted. Pure.

/** `[{ tag, kind, column, message, count }]` of records, the most frequent first; the message is the first one's. */
export function grouped(records) {
    const groups = new Map();
    for (const { tag, violations = [] } of records) {
        for (const { kind, column, message } of violations) {
            const key = JSON.stringify([tag, kind, column ?? null]);
            const known = groups.get(key);
            if (known) known.count += 1;
            else groups.set(key, { tag, kind, column: column ?? null, message, count: 1 });
        }
    }
    return [...groups.values()].sort((left, right) => right.count - left.count);
}

// @ts-check
// Completions: tables and views, their columns, event names in quotes, and keywords. Pure.

const words = ["SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "COUNT(*)", "DISTINCT", "JOIN", "LEFT JOIN",
    "ON", "AND", "OR", "NOT", "IN", "BETWEEN", "LIKE", "IS NULL", "IS NOT NULL", "CASE", "WHEN", "THEN", "ELSE", "END",
    "AS", "DESC", "ASC", "HAVING", "WITH", "UNION ALL", "MIN", "MAX", "SUM", "AVG", "OVER", "PARTITION BY", "COALESCE",
    "CAST"];
const most = 8;

/** @param {string} text the statement
 * @param {number} caret @param {SQLTable[]} tables @param {string[]} tags names of events
 * @returns {{ start: number, entries: Suggestion[] }} from where on the text becomes an entry */
export function suggestions(text, caret, tables, tags) {
    const before = text.slice(0, caret);
    const quoted = /'([^']*)$/.exec(before);
    // After an odd number of quotes a text is open.
    if (quoted && (before.match(/'/g)?.length ?? 0) % 2 === 1) {
        return { start: caret - quoted[1].length,
            entries: matching(quoted[1], tags.map((name) => ({ text: name, kind: "event" }))) };
    }
    const word = /[\p{L}_][\p{L}\p{N}_]*$/u.exec(before)?.[0] ?? "";
    const start = caret - word.length;
    if (word === "" && !/(?:from|join|select|where|by|and|,|\.)\s*$/i.test(before)) return { start, entries: [] };
    const names = new Set(text.toLowerCase().match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []);
    const used = tables.filter((table) => names.has(table.name.toLowerCase())
        && table.name.toLowerCase() !== word.toLowerCase());
    /** @type {Suggestion[]} */
    const columns = (used.length > 0 ? used : tables.slice(0, 1)).flatMap((table) =>
        table.columns.map((column) => ({ text: column.name, kind: /** @type {"column"} */ ("column") })));
    /** @type {Suggestion[]} */
    const views = tables.map((table) => ({ text: table.name, kind: "table" }));
    /** @type {Suggestion[]} */
    const keywords = words.map((name) => ({ text: name, kind: "word" }));
    const namesTable = /(?:from|join)\s+[\p{L}\p{N}_]*$/iu.test(before);
    return { start, entries: matching(word, namesTable ? [...views, ...keywords]
        : [...columns, ...(word === "" ? [] : [...views, ...keywords])]) };
}

/** Matches at the start, then at the start of a part; each once, without the word itself.
 * @param {string} word @param {Suggestion[]} entries */
function matching(word, entries) {
    const wanted = word.toLowerCase();
    const begin = entries.filter(({ text }) => text.toLowerCase().startsWith(wanted));
    const within = wanted.length < 2 ? [] : entries.filter(({ text }) =>
        text.toLowerCase().split(/[._ ]/).slice(1).some((part) => part.startsWith(wanted)));
    /** @type {Map<string, Suggestion>} */
    const found = new Map();
    for (const entry of [...begin, ...within]) {
        if (entry.text.toLowerCase() !== wanted && !found.has(entry.text)) found.set(entry.text, entry);
    }
    return [...found.values()].slice(0, most);
}

// @ts-check
// The text of a checklist being edited. Lines move as a whole; every other byte stays. Pure.

const numbered = /^(\s*)(\d+)([.)]\s)/;

/** A new checklist that the parser accepts. */
export function emptyText() { return `# ${newHeading}\n\n## scenario\n\n`; }

/** The heading until there is a name. */
export const newHeading = "new_checklist";

/** The heading, or empty.
 * @param {string} markdown */
function headingOf(markdown) { return /^#[ \t]+(.*?)[ \t]*#*[ \t]*$/m.exec(markdown)?.[1] ?? ""; }

/** A file name (without extension) from the heading.
 * @param {string} markdown */
export function nameOf(markdown) {
    return headingOf(markdown).replace(/[^\p{Alphabetic}\p{N}_. -]+/gu, "-").replace(/^[-. ]+|[-. ]+$/g, "")
        || "checklist";
}

/** Changes the heading if it is still `before`.
 * @param {string} markdown @param {string} before @param {string} after */
export function withHeading(markdown, before, after) {
    return headingOf(markdown) === before ? markdown.replace(/^#[ \t]+.*$/m, () => `# ${after}`) : markdown;
}

/** A checklist's file name, without extension.
 * @param {string} name as somebody wrote it */
export function fileName(name) { return name.trim().replace(/\.(?:md|markdown|txt)$/i, "").trim(); }

/** Moves an item; `to` is a position in the current list, or its end.
 * @param {string} markdown @param {OutlineScenario[]} scenarios @param {ItemPosition} from @param {ItemPosition} to */
export function moved(markdown, scenarios, from, to) {
    const item = scenarios[from.scenario].items[from.item];
    const isSame = from.scenario === to.scenario && (to.item === from.item || to.item === from.item + 1);
    if (isSame) return markdown;
    const lines = linesOf(markdown);
    const block = lines.slice(item.line - 1, item.end);
    const numbers = numbersOf(lines, scenarios[from.scenario].items);
    const { place, isApart } = placeOf(lines, scenarios, to);
    const gap = isApart ? [block[0].endsWith("\r") ? "\r" : ""] : [];
    const length = item.end - item.line + 1;
    const others = [...lines.slice(0, item.line - 1), ...lines.slice(item.end)];
    const start = place > item.line - 1 ? place - length : place;
    others.splice(start, 0, ...gap, ...block);
    if (from.scenario === to.scenario) renumber(others, numbers);
    return others.join("\n");
}

/** Removes an item with everything nested in it.
 * @param {string} markdown @param {OutlineScenario[]} scenarios @param {ItemPosition} position */
export function removed(markdown, scenarios, { scenario, item }) {
    const { line, end } = scenarios[scenario].items[item];
    const lines = linesOf(markdown);
    lines.splice(line - 1, end - line + 1);
    return lines.join("\n");
}

/** Adds an item at the end of a scenario, or of the text if there is none.
 * @param {string} markdown @param {OutlineScenario[]} scenarios @param {number} scenario @param {string} item */
export function added(markdown, scenarios, scenario, item) {
    const lines = linesOf(markdown);
    const { place, isApart } = placeOf(lines, scenarios, { scenario, item: scenarios[scenario]?.items.length ?? 0 });
    const end = markdown.includes("\r\n") ? "\r" : "";
    const words = `- [ ] ${item.trim().replace(/\s+/g, " ")}${end}`;
    const isLast = place >= lines.length || (place === lines.length - 1 && lines[place] === "");
    lines.splice(place, 0, ...(isApart ? [end] : []), words);
    return lines.join("\n") + (isLast && lines.at(-1) !== "" ? "\n" : "");
}

/** @param {string} markdown */
function linesOf(markdown) { return markdown.split("\n"); }

/** Where to insert lines, and whether a blank one goes first.
 * @param {string[]} lines @param {OutlineScenario[]} scenarios @param {ItemPosition} to */
function placeOf(lines, scenarios, { scenario, item }) {
    const items = scenarios[scenario]?.items ?? [];
    if (item < items.length) return { place: items[item].line - 1, isApart: false };
    const last = items.at(-1);
    if (last) return { place: last.end, isApart: numbered.test(lines[last.line - 1]) };
    let place = scenario + 1 < scenarios.length ? scenarios[scenario + 1].line - 1 : lines.length;
    while (place > 0 && lines[place - 1].trim() === "") place -= 1;
    return { place, isApart: true };
}

/** The numbered items' lines and numbers, in order.
 * @param {string[]} lines @param {OutlineItem[]} items */
function numbersOf(lines, items) {
    return items.flatMap(({ line }) => {
        const found = numbered.exec(lines[line - 1]);
        return found ? [{ text: lines[line - 1], number: found[2] }] : [];
    });
}

/** Restores the numbers by position, so that they count down the list again.
 * @param {string[]} lines @param {{ text: string, number: string }[]} numbers */
function renumber(lines, numbers) {
    const known = new Set(numbers.map(({ text }) => text));
    let next = 0;
    for (const [index, line] of lines.entries()) {
        if (!known.has(line) || next >= numbers.length) continue;
        lines[index] = line.replace(numbered, `$1${numbers[next].number}$3`);
        next += 1;
    }
}

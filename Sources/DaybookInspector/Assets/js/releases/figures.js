// @ts-check
// The figures of a release that have routes of their own: how many records and errors, violations, and what the checklists
// say. Each is counted to its end, part by part, so that it is the number that the linked screen shows.

import { call, eachPart, recordQuery } from "../base/api.js";
import { errorLevel } from "../base/format.js";
import { ViolationTally } from "../model/violation-tally.js";

/** How many records a version has, and how many of them are errors, as the history counts them.
 * @param {string} version @param {AbortSignal} signal
 * @param {(query: RecordQuery) => Promise<FacetCounts>} [fetchPart] replaced in tests */
export async function recordFigures(version, signal, fetchPart = (query) => call(`facets?${recordQuery(query)}`, { signal })) {
    let [records, errors] = [0, 0];
    await eachPart((before) => fetchPart({ fields: "level", limit: 1_000, version, before }), ({ values }) => {
        for (const { value, count } of values.level ?? []) {
            records += Number(count);
            if (Number(value) >= errorLevel) errors += Number(count);
        }
    });
    return { records, errors };
}

/** How many records of a version violate their definitions.
 * @param {string} version @param {number} head @param {AbortSignal} signal */
export async function violationFigure(version, head, signal) {
    const tally = new ViolationTally({ version }, (query) => call(`violations?${recordQuery(query)}`, { signal }));
    await tally.count(head, performance.now(), () => {});
    return tally.records;
}

/** How often a name comes of a thousand records of its version; null where there are none.
 * @param {Integer} count @param {number} all */
export function share(count, all) { return all === 0 ? null : Number(count) / all * 1_000; }

/** How a name stands between two versions: by what there is, and else by its share.
 * @param {ReleaseName} name @param {number} all how many the newer version has
 * @param {number} allBefore
 * @returns {{ state: "new" | "missing" | "more" | "less" | "same", factor: number | null }} */
export function change({ count, before }, all, allBefore) {
    if (Number(before) === 0) return { state: "new", factor: null };
    if (Number(count) === 0) return { state: "missing", factor: null };
    const factor = (share(count, all) ?? 0) / (share(before, allBefore) ?? 1);
    // A handful says nothing about a share.
    const isSure = Number(count) + Number(before) >= 20;
    return { state: isSure && factor >= 1.5 ? "more" : isSure && factor <= 1 / 1.5 ? "less" : "same", factor };
}

// @ts-check
// A release's records, errors and violations. Each is counted to the end, so that it matches the linked screen.

import { call, eachPart, recordQuery } from "../base/api.js";
import { errorLevel } from "../base/format.js";
import { ViolationTally } from "../model/violation-tally.js";

/** A version's records and errors, as the history counts them.
 * @param {string} version @param {AbortSignal} signal
 * @param {FetchFacets} [fetchPart] replaced in tests */
export async function recordFigures(version, signal,
    fetchPart = (query) => call(`facets?${recordQuery(query)}`, { signal })) {
    let [records, errors] = [0, 0];
    await eachPart((before) => fetchPart({ fields: "level", limit: 1_000, version, before }), ({ values }) => {
        for (const { value, count } of values.level ?? []) {
            records += Number(count);
            if (Number(value) >= errorLevel) errors += Number(count);
        }
    });
    return { records, errors };
}

/** @param {string} version @param {number} head @param {AbortSignal} signal */
export async function violationFigure(version, head, signal) {
    const tally = new ViolationTally({ version }, (query) => call(`violations?${recordQuery(query)}`, { signal }));
    await tally.count(head, performance.now(), () => {});
    return tally.records;
}

/** Occurrences per thousand records of the version; null without records.
 * @param {Integer} count @param {number} all */
export function share(count, all) { return all === 0 ? null : Number(count) / all * 1_000; }

/** How a name's share has changed between two versions.
 * @param {ReleaseName} name @param {number} all how many the newer version has
 * @param {number} allBefore
 * @returns {{ state: "new" | "missing" | "more" | "less" | "same", factor: number | null }} */
export function change({ count, before }, all, allBefore) {
    if (Number(before) === 0) return { state: "new", factor: null };
    if (Number(count) === 0) return { state: "missing", factor: null };
    const factor = (share(count, all) ?? 0) / (share(before, allBefore) ?? 1);
    // A few occurrences say nothing about a share.
    const isSure = Number(count) + Number(before) >= 20;
    return { state: isSure && factor >= 1.5 ? "more" : isSure && factor <= 1 / 1.5 ? "less" : "same", factor };
}

// @ts-check
// Measurements in lanes: a group per name, with its figures. Pure.

import { errorLevel } from "../base/format.js";

/** The value below which a share of sorted numbers lies (nearest rank).
 * @param {number[]} sorted @param {number} share */
export function percentile(sorted, share) {
    if (sorted.length === 0) return 0;
    return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))];
}

/** Spans and requests by name, the largest total first.
 * @param {LogRecord[]} records @returns {LaneGroup[]} */
export function lanes(records) {
    /** @type {Map<string, { name: string, kind: Kind, items: LaneItem[] }>} */
    const groups = new Map();
    for (const record of records) {
        if (record.duration === null || record.duration === undefined) continue;
        const name = record.message || record.tag;
        const key = `${record.kind} ${name}`;
        let group = groups.get(key);
        if (!group) groups.set(key, group = { name, kind: record.kind, items: [] });
        group.items.push({ record, ...spanOf(record), lane: 0 });
    }
    return [...groups.values()].map((group) => {
        const durations = group.items.map(({ record }) => Number(record.duration)).sort((left, right) => left - right);
        const items = group.items.sort((left, right) => left.start - right.start);
        return {
            ...group, items, depth: pack(items), count: items.length,
            errors: items.filter(({ record }) => record.level >= errorLevel).length,
            p50: percentile(durations, 0.5), p95: percentile(durations, 0.95), max: durations[durations.length - 1],
            total: durations.reduce((sum, one) => sum + one, 0),
        };
    }).sort((left, right) => right.total - left.total);
}

/** When a record began and ended.
 * @param {LogRecord} record */
export function spanOf({ time, duration }) {
    const start = Number(BigInt(time));
    return { start, end: start + Number(duration ?? 0) };
}

/** Puts each item into the first free lane; returns the number of lanes.
 * @param {LaneItem[]} items */
function pack(items) {
    /** @type {number[]} */
    const ends = [];
    for (const item of items) {
        const free = ends.findIndex((end) => end <= item.start);
        item.lane = free < 0 ? ends.length : free;
        ends[item.lane] = item.end;
    }
    return Math.max(1, ends.length);
}

/** About `wanted` round marks between two times in nanoseconds.
 * @param {number} start @param {number} end */
export function axis(start, end, wanted = 6) {
    const rough = Math.max(1, (end - start) / wanted);
    const seconds = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400];
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = rough < 1e9 ? [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? 10 * power
        : (seconds.find((one) => one * 1e9 >= rough) ?? Math.ceil(rough / 86_400e9) * 86_400) * 1e9;
    const marks = [];
    for (let mark = Math.ceil(start / step) * step; mark <= end && marks.length < 50; mark += step) marks.push(mark);
    return { step, marks };
}

/** The records with plausible times, or all if there are none.
 * @template {{ implausible: boolean }} Timed @param {Timed[]} records */
export function plausible(records) {
    const found = records.filter(({ implausible }) => !implausible);
    return found.length > 0 ? found : records;
}

/** The initial view: the latest stretch (with a measurement, if there is one) without a gap of 10 s, at most `most`
 * nanoseconds. Null if there are no records.
 * @param {LogRecord[]} records */
export function latestStretch(records, most = 60e9) {
    const all = plausible(records).map((record) => ({ ...spanOf(record),
        isMeasured: record.duration !== null && record.duration !== undefined }))
        .sort((left, right) => right.start - left.start);
    if (all.length === 0) return null;
    const spans = all.slice(Math.max(0, all.findIndex(({ isMeasured }) => isMeasured)));
    const end = Math.max(...spans.slice(0, 200).map((span) => span.end));
    let start = spans[0].start;
    for (const span of spans) {
        if (start - span.end > 10e9 || end - span.start > most) break;
        start = Math.min(start, span.start);
    }
    const margin = Math.max(1e6, (end - start) * 0.03);
    return { start: start - margin, end: end + margin };
}

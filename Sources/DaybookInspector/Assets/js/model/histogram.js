// @ts-check
// A volume over time, which a large store counts in parts.

/** Counts to the end, on the scale of the first part.
 * @param {FetchHistogram} fetch @param {RecordQuery} query
 * @param {(sum: Histogram, isLast: boolean) => void} [told] hears of the sum so far after each part */
export async function wholeHistogram(fetch, query, told = () => {}) {
    let part = await fetch(query);
    let sum = part;
    told(sum, part.next === null);
    while (part.next !== null) {
        const { start, width, buckets, next } = part;
        part = await fetch({ ...query, start, width, buckets, before: next });
        const counts = { ...sum.counts };
        for (const [key, numbers] of Object.entries(part.counts)) counts[key] = summed(counts[key], numbers);
        sum = { ...sum, counts, others: summed(sum.others, part.others) };
        told(sum, part.next === null);
    }
    return sum;
}

/** @param {number[]} left @param {number[]} right */
export function summed(left = [], right = []) {
    const [longer, shorter] = left.length < right.length ? [right, left] : [left, right];
    return longer.map((number, index) => number + (shorter[index] ?? 0));
}

// All records of a filter, for a file: page after page, with progress, and never more than a page can hold.

import { call, recordQuery } from "../base/api.js";

const pageSize = 1_000;
export const mostExported = 50_000;

/** Newest first; `progress` is told how many there are so far. Throws `AbortError` once `signal` is aborted. */
export async function fetchAll(filter, progress, signal, fetchPage = (query) =>
    call(`records?${recordQuery(query)}`, { signal })) {
    let found = [];
    while (found.length < mostExported) {
        const { records } = await fetchPage({ ...filter, before: found.at(-1)?.id, limit: pageSize });
        found = [...found, ...records];
        progress(found.length);
        if (records.length < pageSize) break;
    }
    return found.slice(0, mostExported);
}

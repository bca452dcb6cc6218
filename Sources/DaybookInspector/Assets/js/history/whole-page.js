// A page of records from a store that answers within a time limit, perhaps in parts.

const mostParts = 400;

/**
 * Asks until the page is full or everything was looked at: `{ head, records }`. `onPart(records, progress)` is told what
 * has been found whenever the store asks for more time.
 */
export async function wholePage(fetch, query, onPart = () => {}) {
    let records = [];
    let next = query;
    for (let part = 0; ; part += 1) {
        const answer = await fetch(next);
        records = [...records, ...answer.records];
        if (!answer.partial || answer.next === null || records.length >= query.limit || part === mostParts) {
            return { head: answer.head, records };
        }
        onPart(records, answer.progress);
        const place = query.order === "oldest" ? { after: answer.next } : { before: answer.next };
        next = { ...query, ...place, limit: query.limit - records.length };
    }
}

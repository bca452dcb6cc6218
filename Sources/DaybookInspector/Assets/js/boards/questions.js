// @ts-check
// A board's statements run a few at a time: the collector runs two at once, and others wait for it too.

import { call, isAbort } from "../base/api.js";

const atOnce = 2;

/** Runs statements in order, a few at once, until all are answered or `signal` is aborted; `told` is called when each
 * begins and when it is answered.
 * @param {string[]} statements
 * @param {(index: number, state: { answer?: SQLAnswer, failure?: unknown }) => void} told without either: it runs now
 * @param {AbortSignal} signal
 * @param {(sql: string, signal: AbortSignal) => Promise<SQLAnswer>} [ask] replaced in tests */
export async function askAll(statements, told, signal, ask = (sql, signal) => call("sql", { body: { sql }, signal })) {
    let next = 0;
    const worker = async () => {
        while (next < statements.length && !signal.aborted) {
            const index = next;
            next += 1;
            told(index, {});
            try {
                const answer = await ask(statements[index], signal);
                if (!signal.aborted) told(index, { answer });
            } catch (failure) {
                if (!signal.aborted && !isAbort(failure)) told(index, { failure });
            }
        }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, statements.length) }, worker));
}

const addressed = /^(?:(?:filter|kind|level|tag|session|installation|version|module|file|trace|since|until|violations|run)=[^&\s]*(?:&|$))+$/;
const start = /^(?:[^\s?]*#)?\/?(?:history)?\?/;

/** The history for a saved filter, which is an address or a filter's text. `BoardFilter.swift` tells them apart in the
 * same way.
 * @param {string} filter */
export function filterAddress(filter) {
    const text = filter.replace(start, "");
    const isAddress = text !== filter || addressed.test(text);
    return `#/history?${isAddress ? text : new URLSearchParams({ filter: text })}`;
}

// @ts-check
// The people behind sessions: the tester of a run, and the user that records name. Both are looked up in records, so
// that every store agrees and masking applies (decision 70).

import { ApiError, call, recordQuery, wholePage } from "../base/api.js";
import { folded } from "../base/format.js";
import { term } from "../model/filter.js";
import { privateMark } from "../model/redaction.js";

/** The columns that name a user: the team's own first, then OpenTelemetry's. */
const userColumns = ["user_id", "user.id", "enduser.id"];
/** Requests at a time. */
const lanes = 4;
const mostWords = 4;
const mostOfUser = 100;

/**
 * The API; replaced in tests.
 * @typedef {object} PeopleSource
 * @property {FetchRecords} records
 * @property {FetchFacets} facets
 * @property {(query: RecordQuery) => Promise<SessionSummary[]>} sessions
 */

/** @type {PeopleSource} */
const collector = {
    records: (query) => wholePage((part) => call(`records?${recordQuery(part)}`), query),
    facets: (query) => call(`facets?${recordQuery(query)}`),
    sessions: async (query) => (await call(`sessions?${recordQuery(query)}`)).sessions,
};

/** Whether some of a session's records belong to the run. A run over everybody names nobody.
 * @param {StoredRun} run @param {SessionSummary} session */
function isMadeIn(run, session) {
    if (run.session !== null) return run.session === session.session;
    return run.installation !== null && run.installation === session.installation
        && BigInt(session.last_time) >= BigInt(run.started)
        && (run.finished === null || BigInt(session.first_time) <= BigInt(run.finished));
}

/** @param {SessionSummary} session @param {StoredRun[]} runs the latest first */
export function testerOf(session, runs) {
    return runs.find((run) => run.tester !== null && isMadeIn(run, session))?.tester ?? null;
}

/** The user in a session's latest record; null if there is none, or it is private.
 * @param {SessionSummary} session @returns {Promise<User | null>} */
export async function userOf({ session }, source = collector) {
    const filter = userColumns.map((column) => `has:${column}`).join(" OR ");
    const [record] = (await source.records({ session, filter, limit: 1 })).records;
    if (!record) return null;
    for (const members of [record.context, record.attributes]) {
        for (const column of userColumns) {
            const value = /** @type {JsonObject | null} */ (typeof members === "object" ? members : null)?.[column];
            if ((typeof value === "string" || typeof value === "number") && value !== "" && value !== privateMark) {
                return { column, name: String(value) };
            }
        }
    }
    return null;
}

/** The users of sessions, a few at a time; `told` is called for each.
 * @param {SessionSummary[]} sessions @param {(session: SessionSummary, user: User | null) => void} told
 * @param {() => boolean} goesOn */
export async function usersOf(sessions, told, goesOn, source = collector) {
    const waiting = [...sessions];
    await Promise.all(Array.from({ length: lanes }, async () => {
        for (let next = waiting.shift(); next && goesOn(); next = waiting.shift()) {
            told(next, await userOf(next, source));
        }
    }));
}

/** A term for a user, who may be recorded as a number or as text.
 * @param {string} column @param {string} name */
export function userTerm(column, name) { return /^\d+$/.test(name) ? `${column}=${name}` : term(column, name); }

/** The sessions with this user; null if no user column may be searched.
 * @param {string[]} columns of users; those that are private are taken out
 * @param {string} name @param {Integer | null} before @param {PeopleSource} source
 * @returns {Promise<FacetCounts | null>} */
async function sessionsOf(columns, name, before, source) {
    while (columns.length > 0) {
        const filter = columns.map((column) => userTerm(column, name)).join(" OR ");
        try {
            return await source.facets({ filter, fields: "session", limit: mostOfUser, before });
        } catch (error) {
            const hidden = columns.findIndex((column) => error instanceof ApiError
                && error.message.includes(`“${column}” is private`));
            if (hidden < 0) throw error;
            columns.splice(hidden, 1);
        }
    }
    return null;
}

/** The sessions that a search finds by people, in the whole store: one word is part of a tester's name or a complete,
 * public user name; the others are testers too, or match the session itself. `found` gets some at a time, `progress`
 * how far the search for users is. Resolves to the user columns that were not searched, because they are private.
 * @param {string} search @param {StoredRun[]} runs
 * @param {{ found: (sessions: SessionSummary[]) => void, progress: (progress: Progress | null) => void,
 *     goesOn: () => boolean }} told
 * @returns {Promise<string[]>} */
export async function searchPeople(search, runs, { found, progress, goesOn }, source = collector) {
    const words = search.split(/\s+/).filter((word) => word !== "");
    if (words.length === 0 || words.length > mostWords) return [];
    for (const run of runs) {
        const rest = words.filter((word) => !folded(run.tester ?? "").includes(folded(word)));
        if (rest.length === words.length || (run.session === null && run.installation === null)) continue;
        const sessions = await source.sessions({ session: run.session,
            installation: run.session ? null : run.installation, search: rest.join(" "), limit: 1_000 });
        if (!goesOn()) return [];
        found(sessions.filter((session) => isMadeIn(run, session)));
    }
    const columns = [...userColumns];
    for (const [index, word] of words.entries()) {
        const rest = words.filter((_, other) => other !== index).join(" ");
        for (let before = /** @type {Integer | null} */ (null); ;) {
            const part = await sessionsOf(columns, word, before, source);
            if (part === null) {
                progress(null);
                return userColumns;
            }
            for (const { value } of part.values.session ?? []) {
                if (!goesOn()) return [];
                found(await source.sessions({ session: value, search: rest, limit: 1 }));
            }
            if (!goesOn()) return [];
            progress(part.next === null ? null : part.progress);
            if (part.next === null) break;
            before = part.next;
        }
    }
    return userColumns.filter((column) => !columns.includes(column));
}

import assert from "node:assert/strict";
import test from "node:test";
import { ApiError } from "../../Sources/DaybookInspector/Assets/js/base/api.js";
import { searchPeople, testerOf, userOf, userTerm, usersOf } from "../../Sources/DaybookInspector/Assets/js/sessions/people.js";

const session = (id, more = {}) => ({ session: id, installation: "i-1", version: "4.12.0", device: "Phone", count: 3, errors: 0,
    first_time: "1000", last_time: "2000", ...more });
const run = (tester, more = {}) => ({ id: 1, tester, installation: "i-1", session: null, version: null, started: "500",
    finished: null, ...more });

test("a session's tester is that of the latest run on its device at its time", () => {
    const one = session("s-1");
    assert.equal(testerOf(one, [run("Boris"), run("Aya")]), "Boris");
    assert.equal(testerOf(one, [run("Boris", { started: "2001" }), run("Aya")]), "Aya");
    assert.equal(testerOf(one, [run("Boris", { finished: "999" })]), null);
    assert.equal(testerOf(one, [run("Boris", { installation: "i-2" })]), null);
    assert.equal(testerOf(one, [run(null), run("Aya", { session: "s-1", installation: null })]), "Aya");
    assert.equal(testerOf(one, [run("Boris", { session: "s-2" })]), null);
    // A run for all installations identifies nobody.
    assert.equal(testerOf(one, [run("Boris", { installation: null })]), null);
});

test("a session's user is what its latest record says, and nobody where that is private", async () => {
    const asked = [];
    const source = (record) => ({ records: async (query) => {
        asked.push(query);
        return { head: 1, records: record ? [record] : [] };
    } });
    const user = (context, attributes = {}) => userOf(session("s-1"), source({ context, attributes }));
    assert.deepEqual(await user({ "enduser.id": "x", user_id: 42 }), { column: "user_id", name: "42" });
    assert.deepEqual(await user({}, { "user.id": "aya" }), { column: "user.id", name: "aya" });
    assert.equal(await user({ user_id: "[private]" }), null);
    assert.equal(await userOf(session("s-1"), source(null)), null);
    assert.deepEqual(asked[0], { session: "s-1", filter: "has:user_id OR has:user.id OR has:enduser.id", limit: 1 });
});

test("a user is asked for as a number and as a text", () => {
    assert.equal(userTerm("user_id", "42"), "user_id=42");
    assert.equal(userTerm("user.id", "aya"), "user.id=aya");
    assert.equal(userTerm("user.id", "a b"), 'user.id="a b"');
});

test("users are asked for a few at a time, and no more once the list has changed", async () => {
    let [atOnce, most] = [0, 0];
    const source = { records: async () => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        await new Promise((done) => { setImmediate(done); });
        atOnce -= 1;
        return { head: 1, records: [] };
    } };
    const told = [];
    await usersOf(Array.from({ length: 20 }, (_, index) => session(`s-${index}`)), ({ session: id }) => told.push(id),
        () => told.length < 8, source);
    assert.ok(told.length >= 8 && told.length < 20, String(told.length));
    assert.equal(most, 4);
});

test("a search finds sessions by tester and by user, with the other words in the session, in every part of the store", async () => {
    const asked = [];
    const all = [session("s-1"), session("s-2", { installation: "i-2" }), session("s-3", { installation: "i-3", device: "Tablet" })];
    const source = {
        sessions: async (query) => {
            asked.push(query);
            return all.filter((one) => (!query.session || one.session === query.session)
                && (!query.installation || one.installation === query.installation)
                && (!query.search || one.device.toLowerCase().includes(query.search)));
        },
        // The third part of the store knows the user.
        facets: async ({ before, filter }) => {
            const part = before === null ? 3 : Number(before);
            const found = part === 1 && filter.includes("user_id=aya") ? [{ value: "s-3", count: 1 }] : [];
            return { values: { session: found }, next: part === 1 ? null : part - 1, progress: { done: 4 - part, total: 3 } };
        },
    };
    const search = async (text, runs) => {
        const found = new Set();
        const progress = [];
        await searchPeople(text, runs, { found: (some) => some.forEach((one) => found.add(one.session)),
            progress: (one) => progress.push(one?.done ?? null), goesOn: () => true }, source);
        return { found: [...found].sort(), progress };
    };
    const runs = [run("Aya Sato", { installation: "i-2" })];
    assert.deepEqual(await search("aya", runs), { found: ["s-2", "s-3"], progress: [1, 2, null] });
    assert.deepEqual((await search("aya tablet", runs)).found, ["s-3"]);
    assert.deepEqual((await search("nobody", runs)).found, []);
    assert.deepEqual((await search(" ", runs)).progress, []);
    // Private columns are not queried, the others are.
    const refusing = (hidden) => ({ ...source, facets: async (query) => {
        const column = hidden.find((one) => ` ${query.filter}`.includes(` ${one}=`));
        if (column) throw new ApiError("bad_request", `filter: “${column}” is private: leave it out.`, 400);
        return source.facets({ ...query, filter: `user_id=${query.filter.split("=").at(-1)}` });
    } });
    const masked = async (hidden) => {
        const progress = [];
        const unsearched = await searchPeople("aya", [], { found: () => {}, progress: (one) => progress.push(one?.done ?? null),
            goesOn: () => true }, refusing(hidden));
        return { progress, unsearched };
    };
    assert.deepEqual(await masked([]), { progress: [1, 2, null], unsearched: [] });
    assert.deepEqual(await masked(["user_id"]), { progress: [1, 2, null], unsearched: ["user_id"] });
    const everyName = ["user_id", "user.id", "enduser.id"];
    assert.deepEqual(await masked(everyName), { progress: [null], unsearched: everyName });
    assert.ok(asked.some(({ installation, search: rest }) => installation === "i-2" && rest === ""));
});

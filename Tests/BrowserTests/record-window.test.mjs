import assert from "node:assert/strict";
import test from "node:test";
import { byTime, RecordWindow } from "../../Sources/DaybookInspector/Assets/js/history/record-window.js";

/** A server with the records `1…head` that pass `matches`, answering as docs/json-api.md says. */
function server(head, matches = () => true) {
    const state = { head, requests: [], fails: false };
    state.fetchPage = async ({ after = 0, before = Infinity, order = "newest", limit }) => {
        state.requests.push({ after, before, order, limit });
        if (state.fails) throw new Error("offline");
        const records = [];
        const last = Math.min(before - 1, state.head);
        if (order === "newest") for (let id = last; id > after
            && records.length < limit; id -= 1) { if (matches(id)) records.push({ id }); }
        else for (let id = after + 1; id <= last && records.length < limit; id += 1) if (matches(id)) records.push({ id });
        return { head: state.head, records };
    };
    return state;
}

async function opened(head, matches) {
    const store = server(head, matches);
    const changes = [];
    const list = new RecordWindow(store.fetchPage, (shift) => changes.push(shift));
    await list.reload();
    return { store, list, changes };
}

test("the newest page comes first and the whole is known", async () => {
    const { list } = await opened(1_000_000);
    assert.equal(list.at(0).id, 1_000_000);
    assert.equal(list.total, 1_000_000);
});

test("a list shorter than a page knows its end", async () => {
    const { list } = await opened(3);
    assert.equal(list.total, 3);
    assert.equal(list.reachesEnd, true);
});

test("an empty store is loaded, with nothing in it", async () => {
    const { list, store } = await opened(0);
    assert.equal(list.loaded, true);
    assert.equal(list.total, 0);
    store.head = 2;
    await list.pull();
    assert.deepEqual(list.rows.map((row) => row.id), [2, 1]);
});

test("scrolling down loads the next page without a gap", async () => {
    const { list } = await opened(10_000);
    await list.ensure(150, 180);
    for (let position = 0; position < 400; position += 1) assert.equal(list.at(position).id, 10_000 - position);
});

test("a jump loads the place that was asked for", async () => {
    const { list } = await opened(1_000_000);
    await list.ensure(500_000, 500_040);
    assert.equal(list.at(500_000).id, 500_000);
    await list.ensure(999_960, 999_999);
    assert.equal(list.at(999_999).id, 1);
    assert.equal(list.total, 1_000_000);
});

test("going back up from a jump joins the top exactly", async () => {
    const { list } = await opened(2_000);
    await list.ensure(1_000, 1_030);
    for (let position = 1_000; position >= 0; position -= 50) await list.ensure(position, position + 30);
    assert.equal(list.start, 0);
    assert.equal(list.at(0).id, 2_000);
    assert.equal(list.at(777).id, 2_000 - 777);
});

test("arrivals come in at the top only when pulled", async () => {
    const { list, store } = await opened(1_000);
    store.head = 1_005;
    await list.ensure(0, 30);
    assert.equal(list.at(0).id, 1_000);
    await list.pull();
    assert.equal(list.at(0).id, 1_005);
    assert.equal(list.at(5).id, 1_000);
});

test("arrivals never move a reader who is elsewhere", async () => {
    const { list, store } = await opened(100_000);
    await list.ensure(50_000, 50_030);
    const reading = list.at(50_010).id;
    store.head = 100_700;
    await list.pull();
    await list.ensure(50_120, 50_150);
    assert.equal(list.at(50_010).id, reading);
});

test("a flood of arrivals starts over at the newest page", async () => {
    const { list, store } = await opened(1_000);
    store.head = 9_000;
    await list.pull();
    assert.equal(list.at(0).id, 9_000);
    assert.equal(list.total, 9_000);
});

test("a filter's total is an estimate that its end makes exact", async () => {
    const { list } = await opened(100_000, (id) => id % 10 === 0);
    assert.ok(Math.abs(list.total - 10_000) < 200);
    await list.ensure(9_900, 9_999);
    for (let turn = 0; turn < 5; turn += 1) await list.ensure(list.total - 40, list.total - 1);
    assert.equal(list.reachesEnd, true);
    assert.equal(list.rows.at(-1).id, 10);
});

test("climbing a filtered list to its top says how far the view moved", async () => {
    // Dense at the new end and sparse at the old one, so that the estimate is wrong.
    const { list, changes } = await opened(20_000, (id) => id > 15_000 || id % 50 === 0);
    await list.ensure(12_000, 12_030);
    let position = list.start;
    for (let turn = 0; turn < 200 && !(list.start === 0 && list.at(0).id === 20_000); turn += 1) {
        const anchor = list.at(position)?.id;
        const seen = changes.length;
        await list.ensure(position, position + 30);
        for (const shift of changes.slice(seen)) position += shift;
        if (anchor !== undefined) assert.equal(list.at(position).id, anchor, "the row in view stays the same row");
        position = Math.max(0, position - 60);
    }
    assert.equal(list.start, 0);
    assert.equal(list.at(0).id, 20_000);
});

test("memory stays bounded however far one scrolls", async () => {
    const { list } = await opened(100_000);
    for (let position = 0; position < 20_000; position += 100) await list.ensure(position, position + 30);
    assert.ok(list.rows.length <= 4_000);
    assert.equal(list.at(19_900).id, 100_000 - 19_900);
});

test("a record is found by its number, and one that the filter hides is not", async () => {
    const { list } = await opened(50_000, (id) => id % 2 === 0);
    assert.ok(await list.locate(20_000) >= 0);
    assert.equal(list.rows[0].id, 20_000);
    assert.equal(await list.locate(20_001), -1);
});

test("after a failure the rows stay and nothing is asked until a retry", async () => {
    const { list, store } = await opened(10_000);
    store.fails = true;
    await list.ensure(180, 210);
    assert.equal(list.error.message, "offline");
    assert.equal(list.at(0).id, 10_000);
    const count = store.requests.length;
    await list.ensure(180, 210);
    assert.equal(store.requests.length, count);
    store.fails = false;
    await list.retry();
    await list.ensure(180, 210);
    assert.equal(list.error, null);
    assert.equal(list.at(210).id, 9_790);
});

test("an answer to an old filter is thrown away", async () => {
    const store = server(100);
    let release;
    const gate = new Promise((resolve) => { release = resolve; });
    let isFirst = true;
    const list = new RecordWindow(async (parameters) => {
        if (isFirst) {
            isFirst = false;
            await gate;
            return { head: 100, records: [{ id: 1 }] };
        }
        return store.fetchPage(parameters);
    }, () => {});
    const old = list.reload();
    await list.reload();
    release();
    await old;
    assert.equal(list.at(0).id, 100);
});

/** A list whose requests the test answers; `answers` has the pending ones in order. */
async function slow(head) {
    const store = server(head);
    const answers = [];
    let isSlow = false;
    const list = new RecordWindow((query) => (isSlow
        ? new Promise((done) => { answers.push(() => done(store.fetchPage(query))); }) : store.fetchPage(query)), () => {});
    await list.reload();
    isSlow = true;
    const turn = () => new Promise((done) => { setImmediate(done); });
    /** Answers pending requests until there are none. */
    const answerAll = async () => {
        for (await turn(); answers.length > 0; await turn()) answers.shift()();
    };
    return { list, store, answers, answerAll };
}

test("a record that is looked for while arrivals are pulled leaves no gap", async () => {
    const { list, store, answerAll } = await slow(50_000);
    store.head = 50_005;
    const pulled = list.pull();
    const found = list.locate(20_000);
    await answerAll();
    await pulled;
    assert.equal(list.at(await found).id, 20_000);
    list.rows.forEach((row, index) => assert.equal(row.id, list.rows[0].id - index));
});

test("a record that is looked for while the next page comes leaves no gap", async () => {
    const { list, answerAll } = await slow(50_000);
    const extended = list.ensure(150, 180);
    const found = list.locate(20_000);
    await answerAll();
    await extended;
    assert.equal(list.at(await found).id, 20_000);
    list.rows.forEach((row, index) => assert.equal(row.id, list.rows[0].id - index));
});

test("a record that is looked for while the list begins anew is found in the new list", async () => {
    const { list, answers, answerAll } = await slow(50_000);
    const begun = list.reload();
    const found = list.locate(49_990);
    assert.equal(answers.length, 1);
    await answerAll();
    await begun;
    assert.equal(await found, 10);
    assert.equal(list.start, 0);
});

test("a new start while another request is under way has the last word", async () => {
    const { list, store, answers, answerAll } = await slow(1_000);
    const pulled = list.pull();
    const begun = list.reload();
    store.head = 1_003;
    answers.pop()();
    await begun;
    await answerAll();
    await pulled;
    assert.equal(list.at(0).id, 1_003);
    assert.equal(list.isBusy, false);
});

/** A server whose records have their own times, answering as docs/json-api.md says of `sort=time`. */
function timedServer(times) {
    const state = { times };
    const records = () => state.times.map((time, index) => ({ id: index + 1, time: String(BigInt(time) * 1_000_000n) }));
    const compare = (left, right) => Number(BigInt(left.time) - BigInt(right.time)) || left.id - right.id;
    const place = (text) => {
        const [time, id] = String(text).split(".");
        return { time, id: Number(id) };
    };
    state.find = async (id) => records()[id - 1] ?? null;
    state.fetchPage = async ({ after, before, arrived_after = 0, arrived_before = Infinity, order = "newest", limit, sort }) => {
        assert.equal(sort, "time");
        const found = records().filter((record) => record.id > arrived_after && record.id < arrived_before
            && (!before || compare(record, place(before)) < 0) && (!after || compare(record, place(after)) > 0))
            .sort((left, right) => (order === "newest" ? -1 : 1) * compare(left, right));
        return { head: state.times.length, records: found.slice(0, limit) };
    };
    return state;
}

async function openedByTime(times) {
    const store = timedServer(times);
    const list = new RecordWindow(store.fetchPage, () => {}, () => {}, store.find);
    list.order = byTime;
    await list.reload();
    const sorted = () => times.map((time, index) => [time, index + 1])
        .sort(([one, left], [other, right]) => other - one || right - left).map(([, id]) => id);
    return { store, list, sorted };
}

test("by time, what came in blocks is mixed, without a gap while one scrolls", async () => {
    const { list, sorted } = await openedByTime(Array.from({ length: 2_000 }, (_, index) => (index % 1_000) * 10));
    for (let first = 0; first < 1_900; first += 100) await list.ensure(first, first + 50);
    assert.deepEqual(list.rows.map(({ id }) => id).slice(0, 1_900), sorted().slice(0, 1_900));
    assert.equal(list.start, 0);
});

test("by time, arrivals take their places among the loaded rows and come once", async () => {
    const times = Array.from({ length: 500 }, (_, index) => index * 10);
    const { list, sorted } = await openedByTime(times);
    times.push(4_905, 5_000, 3);
    await list.pull();
    assert.deepEqual(list.rows.map(({ id }) => id), sorted().slice(0, 202));
    await list.pull();
    await list.ensure(150, 201);
    assert.equal(new Set(list.rows.map(({ id }) => id)).size, list.rows.length);
    assert.deepEqual(list.rows.map(({ id }) => id), sorted().filter((id) => id !== 503).slice(0, list.rows.length));
});

test("by time, a far place and a record are found, and the list has an end", async () => {
    const { list, sorted } = await openedByTime(Array.from({ length: 5_000 }, (_, index) => (index * 7_919 % 5_000) * 1_000));
    assert.ok(list.total > 3_000 && list.total <= 5_000, String(list.total));
    await list.ensure(2_500, 2_530);
    assert.ok(Math.abs(sorted().indexOf(list.at(2_500).id) - 2_500) < 200);
    const position = await list.locate(sorted()[4_000]);
    assert.equal(list.at(position).id, sorted()[4_000]);
    await list.ensure(list.total - 30, list.total - 1);
    await list.ensure(list.total - 30, list.total - 1);
    assert.equal(list.rows.at(-1).id, sorted().at(-1));
});

import assert from "node:assert/strict";
import test from "node:test";
import { askAll, filterAddress } from "../../Sources/DaybookInspector/Assets/js/boards/questions.js";
import { fileName } from "../../Sources/DaybookInspector/Assets/js/parts/save-dialog.js";
import { asAnswer, breakDown } from "../../Sources/DaybookInspector/Assets/js/history/breakdown.js";
import { change, recordFigures } from "../../Sources/DaybookInspector/Assets/js/releases/figures.js";

test("a board's statements are asked two at a time, each told when it begins and ends", async () => {
    const told = [];
    let [running, most] = [0, 0];
    await askAll(["a", "b", "c", "d", "e"], (index, state) => told.push([index, Object.keys(state)[0] ?? "runs"]), new AbortController().signal,
        async (sql) => {
            most = Math.max(most, running += 1);
            await Promise.resolve();
            running -= 1;
            if (sql === "c") throw new Error("no such table");
            return { columns: [], rows: [], truncated: false, masked: false, milliseconds: 0 };
        });
    assert.equal(most, 2);
    assert.deepEqual(told.filter(([, state]) => state === "answer").map(([index]) => index).sort(), [0, 1, 3, 4]);
    assert.deepEqual(told.filter(([, state]) => state === "failure"), [[2, "failure"]]);
    assert.equal(told.filter(([, state]) => state === "runs").length, 5);
});

test("nothing is asked or told once a board was left", async () => {
    const leaving = new AbortController();
    const asked = [];
    await askAll(["a", "b", "c", "d"], () => {}, leaving.signal, async (sql) => {
        asked.push(sql);
        leaving.abort();
        throw new Error("late");
    });
    assert.deepEqual(asked, ["a"]);
});

test("a saved filter leads to the history, by its address or by its text", () => {
    assert.equal(filterAddress("tag=recipe_search.no_results"), "#/history?tag=recipe_search.no_results");
    assert.equal(filterAddress("#/history?tag=a.b&level=error"), "#/history?tag=a.b&level=error");
    assert.equal(filterAddress("order=popular level>=error"), "#/history?filter=order%3Dpopular+level%3E%3Derror");
    assert.equal(filterAddress("order=popular"), "#/history?filter=order%3Dpopular");
    for (const start of ["?", "history?", "#/history?", "/?", "https://logs.example/#/history?"]) {
        assert.equal(filterAddress(`${start}filter=level%3E%3Derror&sort=time`), "#/history?filter=level%3E%3Derror&sort=time");
    }
    assert.equal(filterAddress("filter=a%3Db&kind=error"), "#/history?filter=a%3Db&kind=error");
    // What is no address of a history is a filter.
    for (const text of ["q=boom", "not=a", "message:what?", "url=https://a.b/c?d=e"]) {
        assert.equal(filterAddress(text), `#/history?${new URLSearchParams({ filter: text })}`);
    }
});

test("a board's name becomes a file's", () => {
    assert.equal(fileName("Search, by day!"), "search_by_day");
    assert.equal(fileName("検索 の 成功"), "検索_の_成功");
    assert.equal(fileName("../x"), "x");
    assert.equal(fileName("…"), "");
});

/** Records in three buckets as a store would count them, a part for each half. */
function store(records) {
    const matching = ({ before, version, tag }) => records.filter((one) => one.id < before
        && (version === undefined || one.version === version) && (tag === undefined || one.tag === tag));
    const asked = [];
    return { asked,
        async histogram(query) {
            asked.push(query);
            const edge = query.before > 4 ? 4 : 0;
            const counts = {};
            const others = [0, 0, 0];
            for (const one of matching(query).filter(({ id }) => id >= edge)) {
                const key = String(one[query.by]);
                if (query.values && !JSON.parse(query.values).includes(key)) {
                    others[one.bucket] += 1;
                    continue;
                }
                counts[key] ??= [0, 0, 0];
                counts[key][one.bucket] += 1;
            }
            return { start: "0", width: "60000000000", buckets: 3, counts, others, next: edge === 4 ? 4 : null, progress: { done: 0, total: 0 } };
        },
        async facets(query) {
            const edge = query.before > 4 ? 4 : 0;
            const sums = {};
            for (const one of matching(query).filter(({ id }) => id >= edge)) {
                if (one[query.fields]) sums[one[query.fields]] = (sums[one[query.fields]] ?? 0) + 1;
            }
            return { values: { [query.fields]: Object.entries(sums).map(([value, count]) => ({ value, count })) }, next: edge === 4 ? 4 : null };
        } };
}

const records = Array.from({ length: 40 }, (_, index) => ({ id: index + 1, bucket: index % 3, level: index % 4 === 0 ? 17 : 9, tag: "a",
    version: index % 10 === 9 ? undefined : `v${index % 10}` }));

test("a broken-down volume counts every record once, the rest under a name of its own", async () => {
    const { histogram, facets, asked } = store(records);
    const { counts } = await breakDown({}, "version", 40, "others", histogram, facets);
    assert.equal(counts.size, 8);
    const sums = [0, 1, 2].map((bucket) => [...counts.values()].reduce((sum, numbers) => sum + numbers[bucket], 0));
    assert.deepEqual(sums, [0, 1, 2].map((bucket) => records.filter((one) => one.bucket === bucket).length));
    assert.equal(counts.get("others").reduce((sum, number) => sum + number, 0), 12);
    // Records that arrive meanwhile are in no part.
    assert.ok(asked.every(({ before }) => before <= 41));
});

test("levels are counted by name, and a filter by the field itself is one series", async () => {
    const { histogram, facets } = store(records);
    const byLevel = await breakDown({}, "level", 40, "others", histogram, facets);
    assert.deepEqual([...byLevel.counts.keys()], ["info", "error"]);
    assert.equal(byLevel.counts.get("error").reduce((sum, number) => sum + number, 0), 10);
    const narrowed = await breakDown({ version: "v1" }, "version", 40, "others", histogram, facets);
    assert.deepEqual([...narrowed.counts].map(([name, numbers]) => [name, numbers.reduce((sum, number) => sum + number, 0)]), [["v1", 4]]);
    const answer = asAnswer(byLevel, ["時刻", "レベル", "記録数"]);
    assert.deepEqual(answer.columns, ["時刻", "レベル", "記録数"]);
    assert.equal(answer.rows.length, 6);
    assert.match(String(answer.rows[0][0]), /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
});

test("a release's figures are added up part by part, and shares tell more from less", async () => {
    const parts = [{ values: { level: [{ value: "9", count: 10 }, { value: "17", count: 2 }] }, next: 7 },
        { values: { level: [{ value: "21", count: 1 }, { value: "0", count: 3 }] }, next: null }];
    const asked = [];
    assert.deepEqual(await recordFigures("4.12.0", new AbortController().signal, async (query) => {
        asked.push(query.before);
        return parts[asked.length - 1];
    }), { records: 16, errors: 3 });
    assert.deepEqual(asked, ["", "7"]);
    const name = { tag: "a", kind: "event" };
    assert.equal(change({ ...name, count: 3, before: 0 }, 100, 100).state, "new");
    assert.equal(change({ ...name, count: 0, before: 3 }, 100, 100).state, "missing");
    // Half the records of half the people are the same rate.
    assert.deepEqual(change({ ...name, count: 50, before: 100 }, 500, 1_000), { state: "same", factor: 1 });
    assert.equal(change({ ...name, count: 20, before: 100 }, 500, 1_000).state, "less");
    assert.equal(change({ ...name, count: 90, before: 100 }, 500, 1_000).state, "more");
    assert.equal(change({ ...name, count: 4, before: 1 }, 500, 1_000).state, "same");
});

import assert from "node:assert/strict";
import test from "node:test";
import { Latest } from "../../Sources/DaybookInspector/Assets/js/model/latest.js";
import { curlOf, harFile } from "../../Sources/DaybookInspector/Assets/js/export/request-files.js";
import { expanded, starred } from "../../Sources/DaybookInspector/Assets/js/base/links.js";
import { exchangeOf, matches, operationOf, statusClass, typeClass,
    waterfall, requestFilter, sorted } from "../../Sources/DaybookInspector/Assets/js/model/exchange.js";

const record = (attributes, more = {}) => ({
    id: 7, uid: "s-7", kind: "request", tag: "app.network", message: null, time: "1795166531204000000",
    duration: "231000000", session: "s1", context: {}, attributes, ...more,
});
const menu = record({
    "http.request.method": "POST", "url.full": "https://api.example:8443/graphql?v=2",
    "http.response.status_code": 200, "http.response.body.size": 4_200,
    "http.request.header.content-type": ["application/json"], "http.request.header.x_team": "it's us",
    "http.response.header.content-type": ["application/json; charset=utf-8"],
    "daybook.http.request.body": '{"operationName":null,"query":"query WeeklyMenu($n: Int!) { menu }"}',
    "http.response.body.content": '{"data":{}}',
});

test("what can be asked of a store is asked over everything", () => {
    assert.equal(requestFilter({}), "");
    assert.equal(requestFilter({ q: 'menu "a', status: "2xx,failed", min: "500ms", type: "image" }),
        '"menu" "\\"a" ((http.response.status_code:200..299 OR http.response.status_code=2*)'
            + " OR (-http.response.status_code>=1 -http.response.status_code=*)) duration>=500ms");
    assert.equal(requestFilter({ min: "100kb" }), "http.response.body.size>=102400");
});

test("requests are sorted by a figure, the largest first", () => {
    const entry = (status, size, nanoseconds) => ({ exchange: { status, nanoseconds, response: { size } } });
    const all = [entry(200, 5, 3), entry(null, null, 9), entry(500, 7, 1)];
    assert.deepEqual(sorted(all, "took").map((one) => all.indexOf(one)), [1, 0, 2]);
    assert.deepEqual(sorted(all, "size").map((one) => all.indexOf(one)), [2, 0, 1]);
    assert.deepEqual(sorted(all, "status").map((one) => all.indexOf(one)), [1, 2, 0]);
    assert.equal(sorted(all, undefined), all);
});

test("an exchange is read by OpenTelemetry's names", () => {
    const exchange = exchangeOf(menu);
    assert.deepEqual([exchange.method, exchange.host, exchange.path, exchange.query, exchange.status, exchange.type],
        ["POST", "api.example:8443", "/graphql", "?v=2", 200, "application/json"]);
    assert.deepEqual(exchange.request.headers, [["content-type", "application/json"], ["x-team", "it's us"]]);
    assert.equal(exchange.operation, "WeeklyMenu");
    assert.equal(exchange.response.body, '{"data":{}}');
    assert.equal(exchange.response.size, 4_200);
});

test("an exchange without an answer, without an address or without attributes is still one", () => {
    const failed = exchangeOf(record({ "error.type": "timeout", "url.full": "/relative?x=1" }));
    assert.deepEqual([failed.status, failed.failure, failed.path, failed.query], [null, "timeout", "/relative", "?x=1"]);
    assert.equal(statusClass(failed), "failed");
    assert.equal(exchangeOf(record(null)).method, "GET");
});

test("GraphQL operations are found by name, in the query, and in a batch", () => {
    assert.equal(operationOf('{"operationName":"A","query":"query B { x }"}'), "A");
    assert.equal(operationOf('[{"query":"mutation Save { x }"},{"query":"{ anonymous }"},{"query":"query C{y}"}]'), "Save, C");
    for (const body of [null, "", "not json", '{"query":7}', "[1,null]", '{"q":"query A { x }"}']) {
        assert.equal(operationOf(body), null);
    }
});

test("filters look at status, type, size, time and words", () => {
    const exchange = exchangeOf(menu);
    for (const filter of [{}, { status: "2xx,4xx" }, { type: "json" }, { min: "200ms" }, { min: "4kb" },
        { q: "weeklymenu post" }, { q: "ＧＲＡＰＨＱＬ" }]) assert.equal(matches(exchange, filter), true, JSON.stringify(filter));
    for (const filter of [{ status: "5xx" }, { type: "image" }, { min: "300ms" }, { min: "5kb" }, { q: "weekly get" }]) {
        assert.equal(matches(exchange, filter), false, JSON.stringify(filter));
    }
    assert.deepEqual(["application/problem+json", "image/png", "text/html", "application/xml", "font/woff2", null]
        .map(typeClass), ["json", "image", "text", "text", "other", "other"]);
});

test("a waterfall measures each burst by itself", () => {
    const at = (start, milliseconds) => ({ start: BigInt(start) * 1_000_000n, nanoseconds: milliseconds * 1e6 });
    // Newest first; the last two are one burst, since the second began within 2 s of the first's end.
    const bars = waterfall([at(20_000, 100), at(3_000, 1_000), at(0, 1_000)]);
    assert.deepEqual(bars.map(({ starts }) => starts), [true, true, false]);
    assert.deepEqual(bars[0], { left: 0, width: 1, span: 1e8, starts: true });
    assert.deepEqual([bars[1].left, bars[1].width, bars[2].left, bars[2].width], [0.75, 0.25, 0, 0.25]);
    assert.deepEqual(waterfall([]), []);
    // Single requests are compared with each other, without a line between them.
    const lone = waterfall([at(90_000, 100), at(60_000, 400), at(30_000, 200), at(200, 100), at(0, 100)]);
    assert.deepEqual(lone.map(({ width }) => width), [0.25, 1, 0.5, 1 / 3, 1 / 3]);
    assert.deepEqual(lone.map(({ starts }) => starts), [true, false, false, true, false]);
});

test("a command for a shell quotes whatever came", () => {
    assert.equal(curlOf(exchangeOf(menu)), [
        "curl 'https://api.example:8443/graphql?v=2'", "-X 'POST'", "-H 'content-type: application/json'",
        "-H 'x-team: it'\\''s us'",
        `--data-raw '{"operationName":null,"query":"query WeeklyMenu($n: Int!) { menu }"}'`,
    ].join(" \\\n  "));
    const evil = exchangeOf(record({ "http.request.method": "GET; rm", "url.full": "https://a.example/'$(id)`" }));
    assert.equal(curlOf(evil), "curl 'https://a.example/'\\''$(id)`' \\\n  -X 'GET; rm'");
});

test("a HAR file has the version, the entries oldest first, and says what was not recorded", () => {
    const older = record({ "http.request.method": "GET", "url.full": "https://a.example/x?a=1&a=%20" },
        { time: "1795166530204000000" });
    const { log } = JSON.parse(harFile([menu, older, { ...menu, kind: "event" }]));
    assert.equal(log.version, "1.2");
    assert.deepEqual(log.entries.map(({ request }) => request.method), ["GET", "POST"]);
    const [first, second] = log.entries;
    assert.deepEqual(first.request.queryString, [{ name: "a", value: "1" }, { name: "a", value: " " }]);
    assert.deepEqual([first.response.status, first.response.bodySize, first.request.postData], [0, -1, undefined]);
    assert.equal(second.request.postData.mimeType, "application/json");
    assert.equal(second.response.content.text, '{"data":{}}');
    assert.equal(second.time, 231);
    assert.deepEqual(second.timings, { send: 0, wait: 231, receive: 0 });
    const measured = record({ "daybook.http.timing.wait": 2_000_000, "daybook.http.timing.lookup": 500_000 });
    assert.deepEqual(JSON.parse(harFile([measured])).log.entries[0].timings,
        { dns: 0.5, connect: -1, ssl: -1, send: 0, wait: 2, receive: 0 });
    assert.match(second.startedDateTime, /^2026-11-20T\d\d:22:11\.204Z$/);
});

test("the team's links replace numbers and UUIDs of a path, each of them, and stay web addresses", () => {
    assert.equal(starred("/12/34/"), "/*/*/");
    assert.equal(starred("/users/0E984725-C51C-4BF4-9960-E1C80E27ABA0/v2"), "/users/*/v2");
    assert.equal(expanded("https://code.example/search?q={path*}", { path: "/12/34/" }),
        "https://code.example/search?q=/*/*/");
    assert.equal(expanded("https://bi.example/?q={category}+{event}", { category: "a b&c", event: "検索" }),
        "https://bi.example/?q=a%20b%26c+%E6%A4%9C%E7%B4%A2");
    for (const template of ["javascript:alert({event})", "{event}", "https://a.example/{nothing}", "data:,{event}"]) {
        assert.equal(expanded(template, { event: "javascript:x" }), null);
    }
});

test("the latest records grow at both ends and stay bounded", async () => {
    let head = 1_200;
    const page = async ({ before = Infinity, after = 0, order, limit }) => {
        const ids = Array.from({ length: head }, (_, index) => index + 1).filter((id) => id > after && id < before);
        if (order !== "oldest") ids.reverse();
        return { head, records: ids.slice(0, limit).map((id) => ({ id })) };
    };
    const latest = new Latest({}, { most: 1_100 }, page);
    await latest.load();
    assert.deepEqual([latest.records.length, latest.records[0].id, latest.canExtend], [500, 1_200, true]);
    head = 1_203;
    assert.equal(await latest.pull(), 3);
    assert.deepEqual(latest.records.slice(0, 4).map(({ id }) => id), [1_203, 1_202, 1_201, 1_200]);
    await latest.extend();
    await latest.extend();
    assert.deepEqual([latest.records.length, latest.records.at(-1).id, latest.canExtend], [1_100, 104, false]);
});

/** That many requests, answered page by page; with `isSlow` an answer waits until released. */
function requests(count, figure = (id) => id) {
    const state = { head: count, waiting: [], isSlow: false };
    state.page = async ({ before = Infinity, after = 0, order = "newest", limit }) => {
        if (state.isSlow) await new Promise((done) => { state.waiting.push(done); });
        const all = Array.from({ length: state.head }, (_, index) => state.head - index).filter((id) => id < before && id > after);
        if (order === "oldest") all.reverse();
        return { head: state.head, records: all.slice(0, limit).map((id) => ({ id, figure: figure(id) })) };
    };
    return state;
}

async function wholly(latest) {
    await latest.load();
    while (latest.canExtend) await latest.extend();
}

test("of ranked requests the greatest of all are held, however old they are", async () => {
    const store = requests(2_600, (id) => (id * 7_919) % 2_600);
    const latest = new Latest({}, { most: 100, rank: ({ figure }) => figure }, store.page);
    await wholly(latest);
    assert.deepEqual([latest.found, latest.reachesEnd, latest.records.length], [2_600, true, 100]);
    assert.deepEqual(latest.records.map(({ figure }) => figure).sort((left, right) => right - left),
        Array.from({ length: 100 }, (_, index) => 2_599 - index));
    assert.ok(latest.records.every(({ id }, index) => index === 0 || id < latest.records[index - 1].id), "newest first");
    store.head = 2_601;
    await latest.pull();
    assert.equal(latest.found, 2_601);
});

test("what no store can ask for is looked for in all of them, page after page", async () => {
    const latest = new Latest({}, { passes: ({ id }) => id % 1_000 === 7 }, requests(4_200).page);
    await wholly(latest);
    assert.deepEqual([latest.records.map(({ id }) => id), latest.found, latest.reachesEnd],
        [[4_007, 3_007, 2_007, 1_007, 7], 5, true]);
});

test("a page that is asked for while arrivals are taken in waits for them", async () => {
    const store = requests(1_200);
    const latest = new Latest({}, {}, store.page);
    await latest.load();
    [store.head, store.isSlow] = [1_202, true];
    const work = [latest.pull(), latest.extend(), latest.pull(), latest.pull()];
    const turn = () => new Promise((done) => { setImmediate(done); });
    await turn();
    assert.equal(store.waiting.length, 1);
    // More arrive while the first are pending: the waiting request takes them in, without one for each.
    store.head = 1_203;
    for (let asked = 0; store.waiting.length > 0; await turn()) {
        store.waiting.shift()();
        asked += 1;
        assert.ok(asked <= 3);
    }
    await Promise.all(work);
    assert.deepEqual(latest.records.map(({ id }) => id), Array.from({ length: 1_003 }, (_, index) => 1_203 - index));
});

test("after a failure the next page is asked for all the same", async () => {
    const store = requests(1_200);
    let fails = true;
    const latest = new Latest({}, {}, (query) => (query.before && fails ? Promise.reject(new Error("offline")) : store.page(query)));
    await latest.load();
    await assert.rejects(latest.extend());
    fails = false;
    await latest.extend();
    assert.equal(latest.records.length, 1_000);
});

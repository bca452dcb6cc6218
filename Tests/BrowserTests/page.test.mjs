import assert from "node:assert/strict";
import test from "node:test";
import { Catalog, readyQuery, undefinedTags } from "../../Sources/DaybookInspector/Assets/js/model/catalog.js";
import { ago, bytes, clockTime, cut, duration, folded, levelName, milliseconds, moment,
    shortMoment, typedText, valueText } from "../../Sources/DaybookInspector/Assets/js/base/format.js";
import { bindKeys } from "../../Sources/DaybookInspector/Assets/js/base/keys.js";
import { firstChoice } from "../../Sources/DaybookInspector/Assets/js/checklist/judging.js";
import { isUnjudged, namedRecords, openItems, progress, recordsOf } from "../../Sources/DaybookInspector/Assets/js/model/progress.js";
import { commonParameters, isLate, isUndefinedEvent,
    ownParameters, requestSummary, sourceOf, violationText } from "../../Sources/DaybookInspector/Assets/js/model/record.js";
import { formatRoute, handedOver, parseRoute } from "../../Sources/DaybookInspector/Assets/js/base/route.js";
import { merged } from "../../Sources/DaybookInspector/Assets/js/model/tags.js";

const column = (name, more = {}) => ({
    name, type: "string", optional: false, obsolete: false, classification: "plain", notes: [], values: [], ...more,
});
const catalog = new Catalog({
    common: [column("user_id", { notes: ["未ログインでは無い"], values: [{ value: "guest", description: "ゲスト" }] })],
    categories: [{
        name: "search", description: "レシピ検索", columns: [column("screen")],
        events: [
            {
                name: "run", tag: "search.run", description: "検索したとき", obsolete: false, location: "search.md:3:1",
                columns: [column("keyword", { notes: ["ｷｰﾜｰﾄﾞ"] }), column("page", { optional: true }),
                    column("mail", { optional: true, classification: "private" }),
                    column("old", { obsolete: true })],
            },
            { name: "tap", tag: "search.tap", description: "Tapped", obsolete: true, location: "search.md:9:1",
                columns: [] },
        ],
    }],
});
const event = (attributes, more = {}) => ({ kind: "event", tag: "search.run", attributes, context: {}, ...more });

test("own parameters follow the definition, with absent, missing and undefined ones told apart", () => {
    const parameters = ownParameters(event({ extra: 1, keyword: "egg", user_id: 3 }), catalog);
    assert.deepEqual(parameters.map(({ name, state }) => [name, state]),
        [["screen", "missing"], ["keyword", "value"], ["page", "absent"], ["mail", "absent"], ["extra", "extra"]]);
});

test("an obsolete parameter shows only where it was sent", () => {
    assert.ok(ownParameters(event({ old: "x" }), catalog).some(({ name }) => name === "old"));
});

test("common parameters come from the context and from attributes that are common columns", () => {
    assert.deepEqual(commonParameters(event({ user_id: 3 }, { context: { os: "iOS" } }), catalog)
        .map(({ name, value }) => [name, value]),
        [["os", "iOS"], ["user_id", 3]]);
});

test("attributes that are no object are shown whole", () => {
    assert.deepEqual(ownParameters({ kind: "message", tag: "x", attributes: "{broken" }, catalog)
        .map(({ value }) => value), ["{broken"]);
});

test("a request's row tells the exchange, not its machinery", () => {
    const request = (attributes, message = null) => ({ kind: "request", tag: "app.network", message, attributes });
    const answered = request({ "http.request.method": "GET", "url.full": "https://a.example/recipes/7?q=x",
        "http.response.status_code": 404, "span.kind": "client", retry: 1 }, "GET /recipes/*");
    const { parameters, ...told } = requestSummary(answered, catalog);
    assert.deepEqual(told, { name: "GET /recipes/*", status: 404, failure: null });
    assert.deepEqual(parameters.map(({ name }) => name), ["retry"]);
    assert.equal(requestSummary({ ...answered, message: null }, catalog).name, "GET /recipes/7");
    const failed = requestSummary(request({ "error.type": "timeout", "url.full": 3 }), catalog);
    assert.deepEqual([failed.name, failed.status, failed.failure], ["app.network", null, "timeout"]);
});

test("a record is late where its time lies before that of an earlier arrival", () => {
    const at = (time) => ({ time });
    assert.equal(isLate(at("1795166531204999998"), at("1795166531204999999")), true);
    assert.equal(isLate(at("1795166531204999999"), at("1795166531204999999")), false);
    assert.equal(isLate(at("1"), undefined), false);
});

test("only events are undefined, and only where there are definitions", () => {
    assert.equal(isUndefinedEvent(event({}, { tag: "search.rum" }), catalog), true);
    assert.equal(isUndefinedEvent({ kind: "message", tag: "search.rum" }, catalog), false);
    assert.equal(isUndefinedEvent(event({}, { tag: "a.b" }), new Catalog({ common: [], categories: [] })), false);
    assert.deepEqual(undefinedTags(catalog, [{ tag: "a.b", kind: "event" }, { tag: "search.run", kind: "event" },
        { tag: "c", kind: "message" }]).map(({ tag }) => tag), ["a.b"]);
});

test("the column of a call stands with its source, and among the attributes of what has none", () => {
    const message = { kind: "message", tag: "app", file: "App/A.swift", line: 4, attributes: { "code.column.number": 9, n: 1 } };
    assert.equal(sourceOf(message), "App/A.swift:4:9");
    assert.equal(sourceOf({ ...message, attributes: {} }), "App/A.swift:4");
    assert.deepEqual(ownParameters(message, catalog).map(({ name }) => name), ["n"]);
    assert.deepEqual(ownParameters({ ...message, file: null }, catalog).map(({ name }) => name), ["code.column.number", "n"]);
});

test("violations are told in the reader's words, from their codes and values", () => {
    const t = (key, values) => `${key} ${JSON.stringify(values)}`;
    const wrong = { kind: "too_long", column: "q", expected: "8", found: "12", message: "English" };
    assert.equal(violationText(t, wrong), 'violation.too_long {"column":"q","expected":"8"}violation.found {"found":"12"}');
    assert.equal(violationText(t, { ...wrong, kind: "missing_column", expected: null, found: null }),
        'violation.missing_column {"column":"q","expected":""}');
    assert.equal(violationText(t, { ...wrong, kind: "of_tomorrow" }), "English");
    assert.equal(violationText(t, { ...wrong, expected: null }), "English");
});

test("the dictionary is searched in any language and any width of letters", () => {
    const found = (query) => catalog.search(query).flatMap(({ events }) => events.map(({ name }) => name));
    assert.deepEqual(found("検索した"), ["run"]);
    assert.deepEqual(found("キーワード"), ["run"]);
    assert.deepEqual(found("ＴＡＰ"), ["tap"]);
    assert.deepEqual(found("レシピ"), ["run", "tap"]);
    assert.deepEqual(found("search keyword"), ["run"]);
    assert.deepEqual(found("borscht"), []);
});

test("hiragana and katakana find each other", () => {
    const found = (query) => catalog.search(query).flatMap(({ events }) => events.map(({ name }) => name));
    assert.deepEqual(found("れしぴ"), ["run", "tap"]);
    assert.deepEqual(found("きーわーど"), ["run"]);
    assert.deepEqual(found("ﾚｼﾋﾟ けんさく"), []);
});

test("the common parameters are found by name, note and value", () => {
    const found = (query) => catalog.searchCommon(query).map(({ name }) => name);
    assert.deepEqual(found("未ログイン"), ["user_id"]);
    assert.deepEqual(found("げすと USER"), ["user_id"]);
    assert.deepEqual([found("keyword"), found(""), found("  ")], [[], [], []]);
});

test("a ready query asks the typed view and quotes what it names", () => {
    const plain = { event: { view: "search__run" }, columns: [column("order"), column("old", { obsolete: true })] };
    assert.equal(readyQuery(plain),
        'SELECT _time, "order", _session\nFROM search__run\nORDER BY _id DESC\nLIMIT 100');
    const odd = { event: { view: "a__it's" }, columns: [column('na"me')] };
    assert.match(readyQuery(odd), /SELECT _time, "na""me", _session\nFROM "a__it's"/);
});

test("a ready query leaves the naming of long columns to the view", () => {
    const long = { event: { view: "a__b" }, columns: [column("列".repeat(22))] };
    assert.match(readyQuery(long), /^SELECT \*\nFROM a__b\n/);
});

test("routes go to an address and back", () => {
    for (const route of [
        { screen: "history", path: [], params: { q: "a&b=c #ü", kind: "event,error" } },
        { screen: "dict", path: ["検索.a/b"], params: {} },
        { screen: "sql", path: [], params: { sql: "SELECT 1\n-- %" } },
    ]) assert.deepEqual(parseRoute(formatRoute(route)), route);
});

test("an address that is none leads to the history", () => {
    for (const hash of ["", "#", "#/nowhere/x", "#token=abc"]) assert.equal(parseRoute(hash).screen, "history");
    assert.deepEqual(parseRoute("#/dict/%E0%A4%A").path, ["%E0%A4%A"]);
});

test("the token is read from the whole fragment only", () => {
    assert.deepEqual(handedOver("#token=0123abcd"), { token: "0123abcd", hash: "" });
    for (const hash of ["", "#/history?q=token=1", "#/history?q=#token=1", "#token="]) {
        assert.equal(handedOver(hash), null);
    }
});

test("an address hands over a route behind the token", () => {
    const given = handedOver("#token=0123abcd&at=/history?q=a%26b&kind=event");
    assert.deepEqual(given, { token: "0123abcd", hash: "#/history?q=a%26b&kind=event" });
    assert.deepEqual(parseRoute(given.hash).params, { q: "a&b", kind: "event" });
    for (const rest of ["&at=", "&at=check", "&at=https://elsewhere.example/", "&next=/sql", "&"]) {
        assert.deepEqual(handedOver(`#token=1${rest}`), { token: "1", hash: "" });
    }
});

test("times keep their milliseconds beyond what a double holds", () => {
    assert.equal(milliseconds("1795166531204999999"), 1_795_166_531_204);
    assert.match(clockTime("1795166531204999999"), /^\d\d:\d\d:11\.204$/);
    assert.match(ago("1795166531204999999", 1_795_166_531_204 + 180_000, "en"), /3 min/);
});

test("durations take the unit that reads best", () => {
    assert.deepEqual(["800", "1500", "3710000", "231000000", "1500000000", "141000000000", "9000000000000"]
        .map((one) => duration(one)),
        ["800 ns", "1.5 µs", "3.71 ms", "231 ms", "1.5 s", "2 min 21 s", "2 h 30 min"]);
    assert.deepEqual(["1500", "96500000000", "3712000000000"].map((one) => duration(one, "ru")),
        ["1,5 мкс", "1 мин 36 с", "1 ч 1 мин"]);
    assert.equal(duration("96500000000", "ja"), "1 分 36 秒");
});

test("sizes take the unit that reads best", () => {
    assert.deepEqual([999, 4_200, 84_600, 718_000, 1_500_000].map((one) => bytes(one)),
        ["999 B", "4.2 kB", "84.6 kB", "718 kB", "1.5 MB"]);
    assert.equal(bytes(4_200, "ru"), "4,2 кБ");
});

test("a moment is a day and a time, and its year stands where it is not the reader's own", () => {
    const noon = String(new Date(2026, 10, 22, 12, 33, 1).getTime() * 1e6);
    assert.equal(moment(noon, "en"), "Sun, Nov 22, 2026, 12:33:01.000");
    assert.equal(moment(noon, "ja"), "2026年11月22日(日) 12:33:01.000");
    assert.equal(shortMoment(noon, new Date(2026, 11, 1).getTime(), "en"), "Sun, Nov 22, 12:33");
    assert.equal(shortMoment(noon, new Date(2027, 0, 1).getTime(), "en"), "Nov 22, 2026, 12:33");
});

test("values are one line of text, cut between whole characters", () => {
    assert.equal(valueText({ a: [1, null] }), '{"a":[1,null]}');
    assert.equal(cut("ab🍳cd", 3), "ab…");
    assert.equal(cut("short", 10), "short");
});

test("words compare across widths and cases", () => {
    assert.equal(folded("ＡＢＣｱ"), folded("abcア"));
});

test("severities take OpenTelemetry's names", () => {
    assert.deepEqual([0, 1, 8, 9, 13, 17, 21, 24, 99].map(levelName),
        ["info", "trace", "debug", "info", "warning", "error", "fatal", "fatal", "info"]);
});

test("progress counts what was seen and what was ticked", () => {
    const checklist = { scenarios: [{ items: [{ state: "ok" }, { state: "waiting" }, { state: "manual", id: 1 },
        { state: "manual", id: 2 }, { state: "failed" }, { state: "not_judged" }] }] };
    assert.deepEqual(progress(checklist, { has: (_, __, item) => item.id === 2 }), { done: 2, failed: 1, all: 6 });
});

test("what was not judged is neither failed nor done", () => {
    const scenarios = [{ id: "feed", problem: "nothing judged", items: [{ state: "manual", id: 1 }] }];
    const ticks = { has: () => true };
    assert.deepEqual(progress({ result: "nothing_judged", scenarios }, ticks), { done: 1, failed: 0, all: 1 });
    assert.deepEqual(progress({ result: "failed", scenarios }, ticks), { done: 1, failed: 1, all: 1 });
    assert.equal(isUnjudged({ result: "nothing_judged" }), true);
    assert.equal(isUnjudged({ result: "passed" }), false);
    assert.deepEqual(openItems({ scenarios: scenarios.map((own) => ({ ...own, title: "feed" })) }, ticks).map(({ key }) => key),
        ["feed/0"]);
});

test("an item leads to its one record, to the records of its pattern among those that are judged, or nowhere", () => {
    const records = [{ id: 7 }];
    const all = { run: null, judging: { installation: null, session: null, version: null } };
    assert.deepEqual(recordsOf({ pattern: "feed.show", matches: 1, records }, all), { sel: "7" });
    assert.deepEqual(recordsOf({ pattern: "feed.show", matches: 2, records }, all), { tag: "feed.show" });
    assert.deepEqual(recordsOf({ pattern: "feed.**", matches: 2, records }, all), { tag: "feed.**" });
    assert.deepEqual(recordsOf({ pattern: "**", matches: 2, records }, all), {});
    assert.equal(recordsOf({ pattern: "feed.show", matches: 0, records: [] }, all), null);
    const version = { run: null, judging: { installation: null, session: null, version: "4.12" } };
    assert.deepEqual(recordsOf({ pattern: "feed.show", matches: 2, records }, version), { tag: "feed.show", version: "4.12" });
    assert.deepEqual(recordsOf({ pattern: "feed.show", matches: 2, records }, { ...version, run: { id: 12 } }),
        { tag: "feed.show", run: "12" });
});

test("what is open needs a reason: items that are not ok, steps that nobody ticked, scenarios that failed", () => {
    const checklist = { scenarios: [{ id: "feed", title: "feed", problem: "wrong persona", items: [
        { id: "1", text: "a.b", state: "ok" }, { id: "2", text: "a.c", state: "waiting", reason: "got none" },
        { id: "3", text: "look", state: "manual" }, { id: "4", text: "ticked", state: "manual" },
        { id: "5", text: "a.d", state: "not_applicable" }, { id: "6", text: "a.e", state: "not_judged", reason: "?" }] }] };
    assert.deepEqual(openItems(checklist, { has: (_, __, item) => item.id === "4" }).map(({ key }) => key),
        ["feed/0", "feed/2", "feed/3", "feed/6"]);
});

test("the newest of several versions is judged where nobody has chosen", () => {
    assert.deepEqual(firstChoice(["2", "1"]), { version: "2" });
    assert.deepEqual(firstChoice(["2"]), {});
    assert.deepEqual(firstChoice([]), {});
});

test("a text that looks like a number is told from the number", () => {
    assert.deepEqual(["30", 30, "true", true, "null", null, "3a", "x"].map(typedText),
        ['"30"', "30", '"true"', "true", '"null"', "null", "3a", "x"]);
});

test("the records that a reason names are told apart from its words", () => {
    assert.deepEqual(namedRecords("#12: seen"), ["", 12, ": seen"]);
    assert.deepEqual(namedRecords("got 0; near miss #7 feed.tap_artcle"), ["got 0; near miss ", 7, " feed.tap_artcle"]);
    assert.deepEqual(namedRecords("got 2"), ["got 2"]);
});

test("summaries of one tag with several kinds add up", () => {
    const tags = merged([
        { tag: "a", kind: "event", count: 2, first_time: "1795166531204999999", last_time: "1795166531205000000",
            versions: [{ version: "4.12", count: 2 }] },
        { tag: "a", kind: "message", count: 3, first_time: "1795166531204999998", last_time: "1795166531204999999",
            versions: [{ version: null, count: 3 }] },
    ]);
    assert.equal(tags.get("a").count, 5);
    assert.equal(tags.get("a").first_time, "1795166531204999998");
    assert.equal(tags.get("a").last_time, "1795166531205000000");
    assert.deepEqual(tags.get("a").versions, [{ version: "4.12", count: 2 }, { version: null, count: 3 }]);
});

test("keys are off in fields, while composing and with a modifier", () => {
    globalThis.Element = class {
        constructor(isField) { this.isField = isField; }
        matches() { return this.isField; }
        closest() { return null; }
    };
    const listeners = {};
    const done = [];
    bindKeys({ addEventListener: (name, given) => { listeners[name] = given; } },
        { j: "next", "g h": "history", Escape: "close" },
        { next: () => done.push("next"), history: () => done.push("history"), close: () => done.push("close") });
    const press = (key, more = {}) => listeners.keydown({ key, preventDefault() {}, target: new Element(false), ...more });
    press("j");
    press("j", { target: new Element(true) });
    press("j", { isComposing: true });
    press("j", { ctrlKey: true });
    press("Escape", { target: new Element(true) });
    press("g");
    press("h");
    press("h");
    press("g");
    press("x");
    press("h");
    press("g");
    press("Shift");
    press("h");
    press("g");
    listeners.pointerdown({});
    press("h");
    assert.deepEqual(done, ["next", "close", "history", "history"]);
    delete globalThis.Element;
});

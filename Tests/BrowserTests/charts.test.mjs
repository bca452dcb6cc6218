import assert from "node:assert/strict";
import test from "node:test";
import { canDraw, chartData, chooseColumns, figures, mostSeries } from "../../Sources/DaybookInspector/Assets/js/charts/data.js";
import { paramsOf, settingsOf } from "../../Sources/DaybookInspector/Assets/js/charts/picker.js";
import { roundStep, timeOf, timeTicks, valueScale } from "../../Sources/DaybookInspector/Assets/js/charts/scale.js";
import { areaPath, layout, linePath, reading, stacked } from "../../Sources/DaybookInspector/Assets/js/charts/shapes.js";

const form = { width: 640, height: 280, language: "en" };

test("an axis begins at zero, ends on round values and holds all of them", () => {
    assert.deepEqual(valueScale([3, 17, 42]).ticks, [0, 10, 20, 30, 40, 50]);
    assert.deepEqual(valueScale([0.05, 0.29], 3).ticks, [0, 0.1, 0.2, 0.3]);
    assert.deepEqual(valueScale([-7, 12], 4).ticks, [-10, -5, 0, 5, 10, 15]);
    assert.deepEqual(valueScale([-3]).ticks.slice(-1), [0]);
    assert.deepEqual(valueScale([]).ticks, [0, 0.2, 0.4, 0.6, 0.8, 1]);
    assert.ok(valueScale([1e308, -1e308]).ticks.every(Number.isFinite));
    assert.equal(roundStep(60, 3), 20);
    assert.equal(roundStep(61, 3), 50);
});

test("times are read from dates, months, moments and nanoseconds, and from nothing else", () => {
    assert.equal(timeOf("2026-11-20"), Date.UTC(2026, 10, 20));
    assert.equal(timeOf("2026-11"), Date.UTC(2026, 10, 1));
    assert.equal(timeOf("2026-11-20 10:00"), Date.UTC(2026, 10, 20, 10));
    assert.equal(timeOf("2026-11-20T10:02:11.204Z"), Date.UTC(2026, 10, 20, 10, 2, 11));
    assert.equal(timeOf("2026-11-20 10:02:11+00"), Date.UTC(2026, 10, 20, 10, 2, 11));
    assert.equal(timeOf("1795166531204000000"), 1795166531204);
    for (const cell of ["4.12.0", "2026-13-01", "20261120", "2026", "12:00", 42, null, { hex: "00" }]) assert.equal(timeOf(cell), null, String(cell));
});

test("times are marked by days, hours or months, as many as there is room for", () => {
    const texts = (from, to, most, year = 2026) => timeTicks(Date.parse(from), Date.parse(to), most, "en", Date.UTC(year, 5)).map(({ text }) => text);
    assert.deepEqual(texts("2026-11-18T00:00Z", "2026-11-20T00:00Z", 4), ["Nov 18", "12:00", "Nov 19", "12:00", "Nov 20"]);
    assert.deepEqual(texts("2026-11-18T00:00Z", "2026-11-19T00:00Z", 2, 2027), ["Nov 18, 2026", "12:00", "Nov 19, 2026"]);
    assert.deepEqual(texts("2026-11-20T10:00Z", "2026-11-20T10:00:20Z", 4), ["10:00:00", "10:00:05", "10:00:10", "10:00:15", "10:00:20"]);
    assert.deepEqual(texts("2026-01-10T00:00Z", "2026-07-20T00:00Z", 4), ["Mar 2026", "May 2026", "Jul 2026"]);
    assert.deepEqual(timeTicks(0, NaN, 4, "en"), []);
});

const byVersion = { columns: ["day", "version", "n"], rows: [
    ["2026-11-20", "4.12.0", 5], ["2026-11-19", "4.11.3", 7], ["2026-11-20", "4.11.3", 2], ["2026-11-20", "4.12.0", 1]] };

test("columns are chosen by type: times along, numbers as values, repeating texts as series", () => {
    assert.deepEqual(chooseColumns(byVersion), { x: 0, y: [2], series: 1 });
    assert.deepEqual(chooseColumns({ columns: ["tag", "n"], rows: [["a", 1], ["b", 2]] }), { x: 0, y: [1], series: -1 });
    assert.deepEqual(chooseColumns({ columns: ["position", "taps"], rows: [[0, 4], [1, 2]] }), { x: 0, y: [1], series: -1 });
    assert.deepEqual(chooseColumns({ columns: ["n"], rows: [[4]] }), { x: -1, y: [0], series: -1 });
    assert.deepEqual(chooseColumns(byVersion, { x: "version", y: "n", series: "day" }), { x: 1, y: [2], series: 0 });
    // A column that the result lacks is chosen as if none had been named.
    assert.deepEqual(chooseColumns(byVersion, { x: "gone" }), { x: 0, y: [2], series: 1 });
    assert.equal(canDraw({ columns: ["tag"], rows: [["a"]] }), false);
});

test("places rise along times, and rows of one place and series are added up", () => {
    const data = chartData(byVersion);
    assert.deepEqual(data.x.labels, ["2026-11-19", "2026-11-20"]);
    assert.deepEqual(data.series, [{ name: "4.12.0", values: [null, 6] }, { name: "4.11.3", values: [7, 2] }]);
    assert.equal(reading(data, 1, "en"), "2026-11-20: 4.12.0 6, 4.11.3 2");
    assert.equal(reading(data, 0, "en"), "2026-11-19: 4.12.0 –, 4.11.3 7");
});

test("more series than can be told apart are counted, and the largest are kept", () => {
    const rows = Array.from({ length: 12 }, (_, index) => [["2026-11-19", `v${index}`, index], ["2026-11-20", `v${index}`, index]]).flat();
    const data = chartData({ columns: ["day", "version", "n"], rows });
    assert.equal(data.series.length, mostSeries);
    assert.equal(data.hidden.series, 4);
    assert.deepEqual(data.series.map(({ name }) => name), ["v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11"]);
});

test("names stand beside lying bars, as many as a page can show", () => {
    const rows = Array.from({ length: 70 }, (_, index) => [`event.${index}`, index]);
    const data = chartData({ columns: ["tag", "n"], rows });
    assert.equal(data.hidden.places, 10);
    const shown = layout(data, "bar", form);
    assert.equal(shown.isUpright, false);
    assert.equal(shown.shapes.filter(({ role }) => role === "bar").length, 60);
    assert.equal(shown.words.filter(({ role }) => role === "name").length, 60);
});

test("lines break where a value is missing, and areas and bars lie upon each other", () => {
    assert.equal(linePath([{ x: 0, y: 1 }, { x: 2, y: 3.456 }, null, { x: 4, y: 5 }]), "M0 1L2 3.46M4 5");
    assert.equal(areaPath([{ x: 0, y: 1 }, { x: 2, y: 1 }], [{ x: 0, y: 9 }, { x: 2, y: 9 }]), "M0 1L2 1L2 9L0 9Z");
    assert.deepEqual(stacked([{ name: "a", values: [1, -2] }, { name: "b", values: [null, -3] }, { name: "c", values: [4, 5] }]), [
        [{ low: 0, high: 1 }, { low: 0, high: -2 }], [{ low: 1, high: 1 }, { low: -2, high: -5 }], [{ low: 1, high: 5 }, { low: 0, high: 5 }]]);
});

test("everything that is drawn lies within the drawing", () => {
    const answers = [byVersion, { columns: ["day", "n"], rows: [["2026-11-20", 4]] }, { columns: ["n"], rows: [[-4], [9]] },
        { columns: ["x", "n"], rows: [[0, 4], [7, -1e9], [3, 1e12]] },
        { columns: ["day", "n"], rows: Array.from({ length: 400 }, (_, index) => [new Date(index * 86_400_000).toISOString().slice(0, 10), index]) }];
    for (const answer of answers) {
        for (const kind of ["line", "area", "bar"]) {
            for (const width of [300, 640, 1200]) {
                const shown = layout(chartData(answer), kind, { ...form, width });
                for (const { x, y } of [...shown.places, ...shown.words]) {
                    assert.ok(x >= -1 && x <= width + 1 && y >= 0 && y <= shown.height, `${kind} ${width} ${x} ${y}`);
                }
                for (const { path } of shown.shapes) assert.doesNotMatch(path, /NaN|Infinity|undefined/);
            }
        }
    }
});

test("figures are named by their row or their column", () => {
    assert.deepEqual(figures({ columns: ["shown", "share"], rows: [[7, 0.5]] }),
        [{ name: "shown", value: 7 }, { name: "share", value: 0.5 }]);
    assert.deepEqual(figures({ columns: ["users"], rows: [[42]] }), [{ name: "users", value: 42 }]);
    assert.deepEqual(figures({ columns: ["version", "p50", "p95"], rows: [["4.12.0", 1, null], ["4.11.3", 2, 5]] }).slice(0, 2),
        [{ name: "4.12.0 · p50", value: 1 }, { name: "4.12.0 · p95", value: null }]);
});

test("how an answer is drawn stands in the address, and a table needs nothing there", () => {
    assert.deepEqual(settingsOf({ chart: "bar", x: "day", series: "" }), { kind: "bar", x: "day" });
    assert.deepEqual(settingsOf({ chart: "pie" }), { kind: "table" });
    assert.deepEqual(paramsOf({ kind: "table", x: "day" }), {});
    assert.deepEqual(settingsOf(paramsOf({ kind: "line", x: "day", y: "n", series: "version" })), { kind: "line", x: "day", y: "n", series: "version" });
});

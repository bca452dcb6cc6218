// @ts-check
// What of an answer is drawn: which column is the axis, which are values, and what separates series. Pure.

import { timeOf } from "./scale.js";

/** @type {readonly ChartKind[]} */
export const chartKinds = ["table", "line", "area", "bar", "number"];
/** More cannot be told apart by colour and pattern; the table has all. */
export const mostSeries = 8;
/** More bars than this cannot be read. */
const mostCategories = 60;

/** @typedef {"number" | "time" | "text" | "empty"} ColumnType */

/** @param {Cell[][]} rows @param {number} column @returns {ColumnType} */
function columnType(rows, column) {
    const cells = rows.map((row) => row[column]).filter((cell) => cell !== null && cell !== undefined);
    if (cells.length === 0) return "empty";
    if (cells.every((cell) => timeOf(cell) !== null)) return "time";
    return cells.every((cell) => numberOf(cell) !== null) ? "number" : "text";
}

/** Integers beyond 2⁵³ come as text; a chart takes the nearest number.
 * @param {Cell} cell */
function numberOf(cell) {
    if (typeof cell === "number") return cell;
    return typeof cell === "string" && /^-?\d{16,20}$/.test(cell) ? Number(cell) : null;
}

/** The columns to draw: the named ones that exist, otherwise by type. `x` is -1 if no column can be the axis: then rows
 * are numbered.
 * @param {AnswerRows} answer @param {Partial<ChartSettings>} [wanted]
 * @returns {{ x: number, y: number[], series: number }} */
export function chooseColumns({ columns, rows }, wanted = {}) {
    const types = columns.map((_, column) => columnType(rows, column));
    const named = (/** @type {string | undefined} */ name) => (name ? columns.indexOf(name) : -1);
    const [wantedX, wantedSeries] = [named(wanted.x), named(wanted.series)];
    const wantedY = (wanted.y ?? "").split(",").map((name) => named(name.trim())).filter((column) => column >= 0);
    const isFree = (/** @type {number} */ column) => column !== wantedSeries && !wantedY.includes(column);
    const first = (/** @type {ColumnType} */ type) => types.findIndex((one, column) => one === type && isFree(column));
    const numbers = types.flatMap((type, column) => (type === "number" ? [column] : []));
    let x = wantedX;
    if (x < 0) x = first("time");
    if (x < 0) x = first("text");
    // If all are numbers, the first is the axis, as long as others remain as values.
    if (x < 0 && numbers.filter((column) => isFree(column)).length > (wantedY.length > 0 ? 0 : 1)) x = first("number");
    const y = wantedY.length > 0 ? wantedY : numbers.filter((column) => column !== x && column !== wantedSeries);
    let series = wantedSeries;
    if (series < 0 && x >= 0 && y.length === 1) {
        const repeats = new Set(rows.map((row) => String(row[x]))).size < rows.length;
        const text = types.findIndex((type, column) => type === "text" && column !== x && !y.includes(column));
        if (repeats) series = text;
    }
    return { x, y, series };
}

/** @param {AnswerRows} answer @param {Partial<ChartSettings>} [wanted] */
export function canDraw(answer, wanted) { return answer.rows.length > 0 && chooseColumns(answer, wanted).y.length > 0; }

/** The data of a chart: places, and for each series a value or null at each. Rows with the same place and series are
 * added up. Times and numbers are sorted; other places keep the answer's order.
 * @param {AnswerRows} answer @param {Partial<ChartSettings>} [wanted] @returns {ChartData} */
export function chartData(answer, wanted = {}) {
    const { columns, rows } = answer;
    const chosen = chooseColumns(answer, wanted);
    const xType = chosen.x < 0 ? "text" : columnType(rows, chosen.x);
    const along = (/** @type {Cell[]} */ row, /** @type {number} */ index) => {
        if (chosen.x < 0) return { label: String(index + 1), at: index };
        const cell = row[chosen.x] ?? null;
        return { label: cellLabel(cell),
            at: xType === "time" ? timeOf(cell) : xType === "number" ? numberOf(cell) : index };
    };
    /** @type {Map<string, number>} */
    const places = new Map();
    /** @type {Map<string, Map<string, number>>} by series, then place */
    const sums = new Map();
    rows.forEach((row, index) => {
        const { label, at } = along(row, index);
        // A place needs a time or number on such an axis.
        if (at === null) return;
        if (!places.has(label)) places.set(label, at);
        for (const column of chosen.y) {
            const value = numberOf(row[column] ?? null);
            const name = chosen.series < 0 ? columns[column]
                : chosen.y.length > 1 ? `${cellLabel(row[chosen.series])} · ${columns[column]}`
                    : cellLabel(row[chosen.series]);
            /** @type {Map<string, number>} */
            const values = sums.get(name) ?? new Map();
            sums.set(name, values);
            if (value !== null && Number.isFinite(value)) values.set(label, (values.get(label) ?? 0) + value);
        }
    });
    let ordered = [...places];
    if (xType === "time" || xType === "number") ordered.sort(([, left], [, right]) => left - right);
    const cutPlaces = xType === "text" || xType === "empty" ? Math.max(0, ordered.length - mostCategories) : 0;
    if (cutPlaces > 0) ordered = ordered.slice(0, mostCategories);
    const all = [...sums].map(([name, values]) =>
        ({ name, values: ordered.map(([label]) => values.get(label) ?? null) }));
    const size = (/** @type {ChartSeries} */ { values }) => {
        let sum = 0;
        for (const value of values) sum += Math.abs(value ?? 0);
        return sum;
    };
    const kept = all.length <= mostSeries ? all
        : [...all].sort((left, right) => size(right) - size(left)).slice(0, mostSeries);
    return {
        x: { name: chosen.x < 0 ? "" : columns[chosen.x],
            type: xType === "time" || xType === "number" ? xType : "category",
            labels: ordered.map(([label]) => label), at: ordered.map(([, at]) => at) },
        y: chosen.y.map((column) => columns[column]).join(", "),
        series: all.filter((one) => kept.includes(one)),
        hidden: { series: all.length - kept.length, places: cutPlaces },
    };
}

/** @param {Cell} cell */
function cellLabel(cell) {
    if (cell === null || cell === undefined) return "–";
    return typeof cell === "object" ? `x'${cell.hex.slice(0, 16)}'` : String(cell);
}

/** For the kind *number*: the values of the first rows, each with its row's name.
 * @param {AnswerRows} answer @param {Partial<ChartSettings>} [wanted] */
export function figures(answer, wanted = {}) {
    const { columns, rows } = answer;
    const chosen = chooseColumns(answer, wanted);
    // There is no axis: a number that nobody named as such is a figure too.
    const isNamed = chosen.x >= 0 && (columns[chosen.x] === wanted.x || columnType(rows, chosen.x) !== "number");
    const x = isNamed ? chosen.x : -1;
    const y = wanted.y || isNamed || chosen.x < 0 ? chosen.y
        : [chosen.x, ...chosen.y].sort((left, right) => left - right);
    return rows.slice(0, 12).flatMap((row) => y.map((column) => ({
        value: numberOf(row[column] ?? null),
        name: [x < 0 ? null : cellLabel(row[x] ?? null), y.length > 1 || x < 0 ? columns[column] : null]
            .filter((part) => part !== null).join(" · "),
    })));
}

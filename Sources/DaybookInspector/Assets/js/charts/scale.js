// @ts-check
// Where values and times are on an axis, and its round marks. Pure.

/** @typedef {{ value: number, text: string }} Tick a mark on an axis */

/** The smallest round step (1, 2 or 5 times a power of ten) that divides a span into at most `most` pieces.
 * @param {number} span above 0
 * @param {number} most */
export function roundStep(span, most) {
    const least = span / Math.max(1, most);
    const power = 10 ** Math.floor(Math.log10(least));
    // Rounding errors, as of 0.2, must not lead to the next step.
    return (([1, 2, 5].find((factor) => factor * power >= least * (1 - 1e-9))) ?? 10) * power;
}

/** An axis with round ends that contains zero and all values.
 * @param {Iterable<number>} values @param {number} most how many pieces there may be */
export function valueScale(values, most = 5) {
    let [low, high] = [0, 0];
    for (const value of values) {
        if (!Number.isFinite(value)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
    }
    // Such a span overflows.
    if (!Number.isFinite(high - low)) [low, high] = [low / 2, high / 2];
    if (low === high) high = 1;
    const step = roundStep(high - low, most);
    const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)];
    const ticks = Array.from({ length: last - first + 1 },
        (_, index) => Number(((first + index) * step).toPrecision(12)));
    return { low: ticks[0], high: ticks[ticks.length - 1], ticks, step };
}

/** For an axis: short, in the reader's language.
 * @param {number} value @param {Language} language */
export function shortNumber(value, language) {
    const size = Math.abs(value);
    return new Intl.NumberFormat(language, size >= 10_000
        ? { notation: "compact", maximumFractionDigits: 1 } : { maximumSignificantDigits: 6 }).format(value);
}

// Times. A statement's dates have no known time zone: they are shown as answered, in UTC.

const day = 86_400_000;
const written = /^(\d{4})-(\d\d)(?:-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(?: ?(?:Z|UTC|[+-]\d\d(?::?\d\d)?))?)?)?$/;

/** Milliseconds since 1970 for a date, a month, a date with a time, or nanoseconds as in `records.time`; null for
 * anything else.
 * @param {Cell} cell */
export function timeOf(cell) {
    if (typeof cell === "number") return Number.isInteger(cell) && cell >= 1e17 && cell < 1e19 ? cell / 1e6 : null;
    if (typeof cell !== "string") return null;
    if (/^\d{18,19}$/.test(cell)) return Number(BigInt(cell) / 1_000_000n);
    const parts = written.exec(cell);
    if (!parts) return null;
    const [year, month, date = 1, hour = 0, minute = 0, second = 0] = parts.slice(1).map((part) => part && Number(part))
        .map((part) => part || undefined);
    if (!year || !month || month > 12 || date > 31 || hour > 23 || minute > 59 || second > 59) return null;
    return Date.UTC(year, month - 1, date, hour, minute, second);
}

const steps = [1_000, 5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000, day,
    2 * day, 7 * day, 14 * day];
/** Months. */
const longSteps = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1_200];

/** The marks of a time range: round times, dates at midnight, months on the first.
 * @param {number} from milliseconds since 1970
 * @param {number} to @param {number} most how many marks there is room for
 * @param {Language} language @param {number} [now] milliseconds since 1970
 * @returns {Tick[]} */
export function timeTicks(from, to, most, language, now = Date.now()) {
    if (!(to >= from) || most < 1) return [];
    const step = steps.find((one) => (to - from) / one <= most);
    if (step) {
        const first = Math.ceil(from / step) * step;
        const count = Math.floor((to - first) / step) + 1;
        return Array.from({ length: Math.max(0, count) }, (_, index) => first + index * step)
            .map((value) => ({ value, text: momentText(value, step, language, now) }));
    }
    const start = new Date(from);
    const months = (to - from) / (30 * day);
    const length = longSteps.find((one) => months / one <= most) ?? Math.ceil(months / most);
    /** @type {Tick[]} */
    const ticks = [];
    for (let month = Math.floor(start.getUTCMonth() / length) * length; ; month += length) {
        const value = Date.UTC(start.getUTCFullYear(), month, 1);
        if (!(value <= to)) return ticks;
        if (value >= from) ticks.push({ value, text: format(value, language, { year: "numeric", month: "short" }) });
    }
}

/** A label among times at least `step` apart: the date at midnight, with its year unless that is the current one,
 * otherwise the clock.
 * @param {number} value milliseconds since 1970
 * @param {number} step @param {Language} language @param {number} [now] milliseconds since 1970 */
export function momentText(value, step, language, now = Date.now()) {
    if (value % day === 0) {
        const isOwnYear = new Date(value).getUTCFullYear() === new Date(now).getFullYear();
        return format(value, language, { month: "short", day: "numeric", ...(isOwnYear ? {} : { year: "numeric" }) });
    }
    return format(value, language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23",
        ...(step < 60_000 ? { second: "2-digit" } : {}) });
}

/** @param {number} value @param {Language} language @param {Intl.DateTimeFormatOptions} options */
function format(value, language, options) {
    return new Intl.DateTimeFormat(language, { timeZone: "UTC", ...options }).format(new Date(value));
}

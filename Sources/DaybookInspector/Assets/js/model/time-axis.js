// @ts-check
// The marks of a time range: round local times, and dates at midnight. Pure.

import { clockTime, milliseconds, nanoseconds, shortDay } from "../base/format.js";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const steps = [second, 5 * second, 15 * second, minute, 5 * minute, 15 * minute, hour, 3 * hour, 6 * hour, 12 * hour];
/** Days. */
const longSteps = [1, 2, 7, 14, 28, 91, 182, 364, 728, 1_820, 3_640];

/** @param {Nanoseconds} start @param {Nanoseconds} end @param {number} most how many marks there is room for
 * @param {Language} language @param {number} [now] milliseconds since 1970
 * @returns {TimeMark[]} */
export function timeAxis(start, end, most, language, now = Date.now()) {
    const [from, to] = [milliseconds(start), milliseconds(end)];
    if (to <= from || most < 1) return [];
    /** @type {TimeMark[]} */
    const marks = [];
    for (const time of times(from, to, most)) {
        const moment = nanoseconds(time);
        const isDate = isMidnight(time);
        const clock = clockTime(moment);
        marks.push({ share: (time - from) / (to - from), isDate,
            text: isDate ? shortDay(moment, language, now) : clock.slice(0, clock.slice(6, 8) === "00" ? 5 : 8) });
    }
    return marks;
}

/** @param {number} from @param {number} to @param {number} most */
function times(from, to, most) {
    const step = steps.find((one) => (to - from) / one <= most);
    const midnight = new Date(from);
    midnight.setHours(0, 0, 0, 0);
    /** @type {number[]} */
    const found = [];
    if (step) {
        // Each day starts over, because clocks change at night.
        for (let day = midnight.getTime(); day < to; day = nextDay(day, 1)) {
            const end = Math.min(nextDay(day, 1), to);
            const first = day + Math.max(0, Math.ceil((from - day) / step)) * step;
            for (let time = first; time < end; time += step) found.push(time);
        }
        return found;
    }
    const days = (to - from) / (24 * hour);
    const length = longSteps.find((one) => days / one <= most) ?? Math.ceil(days / most);
    for (let day = midnight.getTime(); day < to; day = nextDay(day, length)) if (day >= from) found.push(day);
    return found;
}

/** The midnight some days later, in local time.
 * @param {number} midnight @param {number} days */
function nextDay(midnight, days) {
    const date = new Date(midnight);
    date.setDate(date.getDate() + days);
    return date.getTime();
}

/** @param {number} time */
function isMidnight(time) {
    const date = new Date(time);
    return date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0 && date.getMilliseconds() === 0;
}

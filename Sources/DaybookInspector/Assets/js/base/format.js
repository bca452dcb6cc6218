// @ts-check
// Times, values and search words as text. Pure.

/** @param {Nanoseconds | bigint} nanoseconds */
export function milliseconds(nanoseconds) { return Number(BigInt(nanoseconds) / 1_000_000n); }

/** @param {number} milliseconds @returns {Nanoseconds} */
export function nanoseconds(milliseconds) { return (BigInt(Math.round(milliseconds)) * 1_000_000n).toString(); }

/** @param {number} number */
export const two = (number) => String(number).padStart(2, "0");

/** `10:02:11.204`, in the reader's time zone.
 * @param {Nanoseconds | bigint} nanoseconds */
export function clockTime(nanoseconds) {
    const date = new Date(milliseconds(nanoseconds));
    const thousandths = String(date.getMilliseconds()).padStart(3, "0");
    return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${thousandths}`;
}

/** @param {Nanoseconds} nanoseconds @param {Language} language */
export function calendarDay(nanoseconds, language) {
    return new Intl.DateTimeFormat(language, { weekday: "short", year: "numeric", month: "short", day: "numeric" })
        .format(new Date(milliseconds(nanoseconds)));
}

/** A day and a time, joined as the language does.
 * @param {Nanoseconds} nanoseconds @param {Language} language */
export function moment(nanoseconds, language, time = clockTime(nanoseconds)) {
    return dayAndTime(calendarDay(nanoseconds, language), language, time);
}

/** To the minute, and without the current year.
 * @param {Nanoseconds} nanoseconds @param {number} now milliseconds since 1970
 * @param {Language} language */
export function shortMoment(nanoseconds, now, language) {
    return dayAndTime(shortDay(nanoseconds, language, now), language, clockTime(nanoseconds).slice(0, 5));
}

/** @param {string} day @param {Language} language @param {string} time */
function dayAndTime(day, language, time) { return `${day}${language === "ja" ? " " : ", "}${time}`; }

/** Whether two times are on the same day in the reader's time zone.
 * @param {Nanoseconds} left @param {Nanoseconds} right */
export function isSameDay(left, right) {
    return new Date(milliseconds(left)).toDateString() === new Date(milliseconds(right)).toDateString();
}

/** A range: `15:00:00.000 – 16:00:00.000` today, otherwise with the days; an open end is `…`.
 * @param {Nanoseconds | undefined} since @param {Nanoseconds | undefined} until
 * @param {number} now milliseconds since 1970
 * @param {Language} language */
export function stretch(since, until, now, language) {
    const today = nanoseconds(now);
    const ends = [since, until].filter((time) => time !== undefined && time !== "");
    const isDated = ends.some((time) => !isSameDay(/** @type {Nanoseconds} */ (time), today));
    const written = (/** @type {Nanoseconds | undefined} */ time, /** @type {boolean} */ dated) => !time ? "…"
        : dated ? dayAndTime(shortDay(time, language, now), language, clockTime(time)) : clockTime(time);
    const repeats = since && until ? isSameDay(since, until) : false;
    return `${written(since, isDated)} – ${written(until, isDated && !repeats)}`;
}

/** `Fri, Nov 20`, in other years `Nov 20, 2025`: fits above a column of times.
 * @param {Nanoseconds} nanoseconds @param {Language} language @param {number} [now] milliseconds since 1970 */
export function shortDay(nanoseconds, language, now = Date.now()) {
    const date = new Date(milliseconds(nanoseconds));
    const isOwnYear = date.getFullYear() === new Date(now).getFullYear();
    return new Intl.DateTimeFormat(language, { month: "short", day: "numeric",
        ...(isOwnYear ? { weekday: "short" } : { year: "numeric" }) }).format(date);
}

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const units = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000], ["second", 1_000]];

/** `3 min. ago` in the reader's language.
 * @param {Nanoseconds} nanoseconds @param {number} now milliseconds since 1970
 * @param {Language} language */
export function ago(nanoseconds, now, language) {
    const passed = Math.max(0, now - milliseconds(nanoseconds));
    const format = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
    const [unit, length] = units.find(([, length]) => passed >= length) ?? units[3];
    return format.format(-Math.floor(passed / length), unit);
}

const spans = {
    en: ["ns", "µs", "ms", "s", "min", "h"],
    ja: ["ns", "µs", "ms", "秒", "分", "時間"],
    ru: ["нс", "мкс", "мс", "с", "мин", "ч"],
};

/** `3.7 ms` of a number of nanoseconds.
 * @param {Nanoseconds | bigint | number} nanoseconds @param {Language} [language] */
export function duration(nanoseconds, language = "en") {
    const [nano, micro, milli, second, minute, hour] = spans[language];
    const amount = Number(nanoseconds);
    const written = (/** @type {number} */ number) =>
        decimal(number >= 100 ? number.toFixed(0) : Number(number.toPrecision(3)).toString(), language);
    if (amount < 1_000) return `${decimal(String(amount), language)} ${nano}`;
    if (amount < 1_000_000) return `${written(amount / 1_000)} ${micro}`;
    if (amount < 1_000_000_000) return `${written(amount / 1_000_000)} ${milli}`;
    const seconds = amount / 1_000_000_000;
    if (seconds < 60) return `${written(seconds)} ${second}`;
    const minutes = Math.floor(seconds / 60);
    if (minutes < 60) return `${minutes} ${minute} ${Math.floor(seconds % 60)} ${second}`;
    return `${Math.floor(minutes / 60)} ${hour} ${minutes % 60} ${minute}`;
}

/** A distance in time: `−3.7 ms`, `+2 s`.
 * @param {bigint} nanoseconds @param {Language} language */
export function distance(nanoseconds, language) {
    return nanoseconds < 0n ? `−${duration(-nanoseconds, language)}` : `+${duration(nanoseconds, language)}`;
}

const sizes = { en: ["B", "kB", "MB"], ja: ["B", "kB", "MB"], ru: ["Б", "кБ", "МБ"] };

/** `12.4 kB` of a number of bytes.
 * @param {number} count @param {Language} [language] */
export function bytes(count, language = "en") {
    const [one, thousand, million] = sizes[language];
    if (count < 1_000) return `${count} ${one}`;
    /** @type {[number, string]} */
    const [value, unit] = count < 1_000_000 ? [count / 1_000, thousand] : [count / 1_000_000, million];
    return `${decimal(value.toFixed(value >= 100 ? 0 : 1), language)} ${unit}`;
}

/** @param {string} number @param {Language} language */
function decimal(number, language) { return language === "ru" ? number.replace(".", ",") : number; }

/** Integers in full, others to 6 digits.
 * @param {number} value @param {Language} language */
export function numberText(value, language) {
    const options = Number.isInteger(value) ? {} : { maximumSignificantDigits: 6 };
    return new Intl.NumberFormat(language, options).format(value);
}

/** @param {number | null} part of 1 @param {Language} language */
export function percentText(part, language) {
    return part === null ? "–"
        : new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 }).format(part);
}

/** One line: strings as they are, the rest as JSON.
 * @param {Json | undefined} value */
export function valueText(value) {
    return typeof value === "string" ? value : JSON.stringify(value);
}

/** An object's members; none for anything else.
 * @param {Json | undefined} value @returns {JsonObject} */
export function membersOf(value) {
    return value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
}

/** Quotes text that looks like another type, so that "30" differs from 30.
 * @param {Json | undefined} value */
export function typedText(value) {
    return typeof value === "string" && /^(-?\d+(\.\d+)?|true|false|null)$/.test(value) ? JSON.stringify(value)
        : valueText(value);
}

/** At most `limit` code units, never half a character, with an ellipsis if cut.
 * @param {string} text @param {number} limit */
export function cut(text, limit) {
    if (text.length <= limit) return text;
    const end = /[\uD800-\uDBFF]/.test(text[limit - 1]) ? limit - 1 : limit;
    return `${text.slice(0, end)}…`;
}

/** The form in which texts are compared: width, composition and case do not matter.
 * @param {string} text */
export function folded(text) { return text.normalize("NFKC").toLowerCase(); }

export const levels = ["trace", "debug", "info", "warning", "error", "fatal"];

/** The level for an OpenTelemetry severity number; `info` if there is none.
 * @param {number} severity */
export function levelName(severity) {
    if (severity < 1 || severity > 24) return "info";
    return levels[Math.floor((severity - 1) / 4)];
}

/** The least severity of an error. */
export const errorLevel = 17;

/** @type {readonly Kind[]} */
export const kinds = ["event", "message", "error", "span", "request", "run"];

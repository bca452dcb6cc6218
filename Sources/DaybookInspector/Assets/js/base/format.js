// Times, values and search words as text. Pure.

/** Milliseconds since 1970 of a count of nanoseconds written as a string. */
export function milliseconds(nanoseconds) { return Number(BigInt(nanoseconds) / 1_000_000n); }

const two = (number) => String(number).padStart(2, "0");

/** `10:02:11.204`, in the reader's time zone. */
export function clockTime(nanoseconds) {
    const date = new Date(milliseconds(nanoseconds));
    const thousandths = String(date.getMilliseconds()).padStart(3, "0");
    return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${thousandths}`;
}

export function calendarDay(nanoseconds, language) {
    return new Intl.DateTimeFormat(language, { weekday: "short", year: "numeric", month: "short", day: "numeric" })
        .format(new Date(milliseconds(nanoseconds)));
}

/** `Fri, Nov 20`: what fits above a column of times. */
export function shortDay(nanoseconds, language) {
    return new Intl.DateTimeFormat(language, { weekday: "short", month: "short", day: "numeric" })
        .format(new Date(milliseconds(nanoseconds)));
}

const units = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000], ["second", 1_000]];

/** `3 min. ago` in the reader's language. */
export function ago(nanoseconds, now, language) {
    const passed = Math.max(0, now - milliseconds(nanoseconds));
    const format = new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
    const [unit, length] = units.find(([, length]) => passed >= length) ?? units[3];
    return format.format(-Math.floor(passed / length), unit);
}

/** `3.7 ms` from nanoseconds as a string. */
export function duration(nanoseconds) {
    const amount = Number(nanoseconds);
    if (amount < 1_000) return `${amount} ns`;
    if (amount < 1_000_000) return `${trim(amount / 1_000)} µs`;
    if (amount < 1_000_000_000) return `${trim(amount / 1_000_000)} ms`;
    const seconds = amount / 1_000_000_000;
    if (seconds < 120) return `${trim(seconds)} s`;
    const minutes = Math.floor(seconds / 60);
    if (minutes < 120) return `${minutes} min ${Math.floor(seconds % 60)} s`;
    return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function trim(number) { return number >= 100 ? number.toFixed(0) : Number(number.toPrecision(3)).toString(); }

/** A value on one line: strings as they are, the rest as JSON. */
export function valueText(value) {
    return typeof value === "string" ? value : JSON.stringify(value);
}

/** At most `limit` characters, whole ones, with an ellipsis where it was cut. */
export function cut(text, limit) {
    if (text.length <= limit) return text;
    const end = /[\uD800-\uDBFF]/.test(text[limit - 1]) ? limit - 1 : limit;
    return `${text.slice(0, end)}…`;
}

/** The form in which texts are compared: full and half width, composed and decomposed, capital and small alike. */
export function folded(text) { return text.normalize("NFKC").toLowerCase(); }

export const levels = ["trace", "debug", "info", "warning", "error", "fatal"];

/** The level's word for an OpenTelemetry severity number; `info` where there is none. */
export function levelName(severity) {
    if (severity < 1 || severity > 24) return "info";
    return levels[Math.floor((severity - 1) / 4)];
}

export const kinds = ["event", "message", "error", "span", "request", "run"];

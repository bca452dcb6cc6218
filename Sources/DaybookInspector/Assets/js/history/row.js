// @ts-check
// A pooled row of the history: shows whichever record scrolls into its place.

import { button } from "../base/controls.js";
import { foreign, h, icon, replaceChildren } from "../base/dom.js";
import { ago, calendarDay, clockTime, cut, distance, duration, kinds, levelName, shortDay, typedText } from "../base/format.js";
import { badge } from "../base/pane.js";
import { changedNames, isLate, isUndefinedEvent, mask, ownParameters, requestSummary, violationText } from "../model/record.js";
import { privateMark } from "../model/redaction.js";
import { cell, PooledRow } from "../parts/pooled-row.js";

const mostParameters = 12;
const longestValue = 160;

export class Row extends PooledRow {
    /** @type {LogRecord | undefined | null} */
    #shown = null;
    /** @type {(LogRecord | undefined)[]} the record whose time was marked, the one below it, and the one above it */
    #timed = [];
    #kindPicture = h("span", { class: "picture" });
    #kindWord = h("span");
    #name = cell("name");
    #parameters = cell("parameters");
    #pictures = new Map(kinds.map((kind) => [kind, icon(kind)]));

    /** @param {PageContext} context @param {(record: LogRecord, event: MouseEvent) => void} pick */
    constructor(context, pick) {
        const picked = (/** @type {MouseEvent} */ event) => { if (this.#shown) pick(this.#shown, event); };
        // Shift-click marks rows; it would also select text.
        const pressed = (/** @type {MouseEvent} */ event) => {
            if (!event.shiftKey || event.button !== 0) return;
            event.preventDefault();
            /** @type {HTMLElement | null} */ (this.element.closest("[tabindex]"))?.focus({ preventScroll: true });
        };
        super(context, "row", { mousedown: pressed, click: picked, contextmenu: picked });
        this.element.append(this.time, cell("kind", this.#kindPicture, this.#kindWord), this.#name, this.#parameters);
    }

    /** Shows a record, or a placeholder until it is loaded.
     * @param {LogRecord | undefined} record @param {RowState} state */
    show(record, { older, newer, previous, position, y, isSelected, isMarked, time }) {
        const { element } = this;
        if (record !== this.#shown || record === undefined) {
            this.#shown = record;
            element.classList.toggle("pending", !record);
            if (record) this.#fill(record, previous);
            else this.#empty();
        }
        if (record && (record !== this.#timed[0] || older !== this.#timed[1] || newer !== this.#timed[2])) {
            this.#timed = [record, older, newer];
            this.#markTime(record, older);
            this.markDay(record, newer);
            element.dataset.repeats = String(repeats(record, older));
        }
        if (record && this.clock.textContent !== time) this.clock.textContent = time;
        element.dataset.marked = String(isMarked);
        this.place(position, y, isSelected);
    }

    #empty() {
        this.element.removeAttribute("id");
        delete this.element.dataset.kind;
        this.#timed = [];
        delete this.element.dataset.day;
        this.day.hidden = true;
        for (const cell of [this.clock, this.#name, this.#parameters, this.#kindWord, this.#kindPicture]) {
            cell.replaceChildren();
        }
    }

    /** @param {LogRecord} record @param {LogRecord | undefined} previous */
    #fill(record, previous) {
        const { t, catalog } = this.context;
        this.element.dataset.kind = record.kind;
        this.element.id = `record-${record.id}`;
        replaceChildren(this.#kindPicture, this.#pictures.get(record.kind));
        this.#kindWord.textContent = t(`kind.${record.kind}`);
        const badges = badgesOf(this.context, record);
        this.element.dataset.marks = String(badges.length > 0);
        const request = record.kind === "request" ? requestSummary(record, catalog) : null;
        const name = foreign(cut(request?.name ?? record.tag, 200), "tag");
        // No column's name starts with a colon.
        name.dataset.asks = ":tag";
        replaceChildren(this.#name, name, badges);
        this.#name.title = record.tag;
        replaceChildren(this.#parameters, request ? exchangeSummary(this.context, record, request)
            : summary(this.context, record, previous));
    }

    /** Rows are in order of arrival: a time that goes back is marked, so that it does not look like a mistake.
     * @param {LogRecord} record @param {LogRecord | undefined} older */
    #markTime(record, older) {
        const { t, language } = this.context;
        const late = isLate(record, older);
        this.time.dataset.late = String(late);
        this.time.dataset.implausible = String(record.implausible);
        this.time.title = calendarDay(record.time, language) + (late ? `\n${t("history.late")}` : "")
            + (record.implausible ? `\n${t("history.implausible")}` : "");
    }
}

/** The level, if the kind does not imply it, and violations.
 * @param {PageContext} context @param {LogRecord} record */
function badgesOf({ t, catalog }, record) {
    const badges = [];
    const level = levelName(record.level);
    if (["warning", "error", "fatal"].includes(level) && !(record.kind === "error" && level === "error")) {
        badges.push(badge(t(`level.${level}`), level));
    }
    if (isUndefinedEvent(record, catalog)) badges.push(badge(t("record.undefined"), "warning"));
    else if (record.violations?.length > 0) badges.push(badge(
        t("record.violations", { n: record.violations.length }), "warning",
        record.violations.map((violation) => violationText(t, violation).replaceAll("`", "")).join("\n")));
    return badges;
}

/** @param {PageContext} context @param {LogRecord} record @param {LogRecord | undefined} previous */
function summary({ catalog, language }, record, previous) {
    const changed = previous && record.kind === "event" ? changedNames(previous, record, catalog) : undefined;
    // A span's message is its name, which the row already shows.
    return [record.message && record.message !== record.tag ? foreign(cut(record.message, 400), "text") : null,
        took(record, language), pairs(ownParameters(record, catalog), changed),
        record.module && record.module !== record.tag ? foreign(record.module, "text module muted") : null];
}

/** A request's response first; its origin is in the detail.
 * @param {PageContext} context @param {LogRecord} record @param {ReturnType<typeof requestSummary>} request */
function exchangeSummary({ language }, record, { name, status, failure, parameters }) {
    const isBad = failure !== null || (status !== null && status >= 400);
    // OpenTelemetry also reports a status as the error's type.
    const words = [...new Set([status, failure].filter((word) => word !== null).map(String))].join(" ");
    return [words ? h("span", { class: "text status", "data-bad": isBad ? "true" : null }, foreign(words)) : null,
        took(record, language), pairs(parameters),
        record.tag === name || name.startsWith(`${record.tag} `) ? null
            : h("span", { class: "text muted" }, foreign(record.tag))];
}

/** @param {LogRecord} record @param {Language} language */
function took(record, language) {
    if (record.duration === null || record.duration === undefined) return null;
    return h("span", { class: "text" }, duration(record.duration, language));
}

/** Highlights what differs from the previous record of the same name.
 * @param {Parameter[]} parameters @param {Set<string>} changed */
function pairs(parameters, changed = new Set()) {
    return parameters.slice(0, mostParameters).map((parameter) =>
        h("span", { class: "pair", "data-state": parameter.state, "data-asks": parameter.name,
            "data-changed": changed.has(parameter.name) ? "true" : null },
            foreign(parameter.name, "key"),
            parameter.state === "absent" || parameter.state === "missing" ? h("span", { class: "none" }, "–")
                : parameter.value === privateMark ? h("span", { class: "none" }, mask)
                : foreign(cut(typedText(parameter.value), longestValue), "value")));
}

/** Whether a record repeats the one below it.
 * @param {LogRecord} record @param {LogRecord | undefined} older */
function repeats(record, older) {
    return older !== undefined && record.kind !== "request" && record.kind === older.kind && record.tag === older.tag
        && record.message === older.message
        && JSON.stringify(record.attributes) === JSON.stringify(older.attributes);
}

const modes = ["clock", "ago", "delta"];

/** How rows show times: clock, age, or distance to the record below. The heading switches. */
export class TimeMode {
    #mode;

    /** @param {PageContext} context @param {() => void} changed */
    constructor(context, changed) {
        const { storage } = context;
        this.context = context;
        this.#mode = modes.find((mode) => mode === storage.get("time")) ?? "clock";
        this.button = button("cell time timemode", null, () => {
            this.#mode = modes[(modes.indexOf(this.#mode) + 1) % modes.length];
            storage.set("time", this.#mode);
            changed();
        });
    }

    /** @param {LogRecord} record @param {LogRecord | undefined} older */
    text(record, older) {
        const { language } = this.context;
        if (this.#mode === "ago") return ago(record.time, Date.now(), language);
        if (this.#mode === "clock") return clockTime(record.time);
        if (!older) return "–";
        return distance(BigInt(record.time) - BigInt(older.time), language);
    }

    /** The heading shows the day of the top row.
     * @param {LogRecord | undefined} top */
    drawHeading(top) {
        const { t, language } = this.context;
        const words = this.#mode === "clock" && top ? shortDay(top.time, language) : t(`time.${this.#mode}`);
        if (this.button.textContent !== words) this.button.textContent = words;
        this.button.title = `${top ? `${calendarDay(top.time, language)}\n` : ""}${t("time.change")}`;
        this.button.setAttribute("aria-label", `${words}. ${t("time.change")}`);
    }
}

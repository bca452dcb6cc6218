// One element of the history's pool: it shows whichever record scrolls into its place.

import { foreign, h, icon, replaceChildren } from "../base/dom.js";
import { calendarDay, cut, duration, kinds, levelName, valueText } from "../base/format.js";
import { changedNames } from "../model/diff.js";
import { isLate, isUndefinedEvent, ownParameters, requestSummary } from "../model/record.js";

const mostParameters = 12;
const longestValue = 160;

export function createRow(context, pick) {
    const { t, catalog, language } = context;
    const time = h("span", { class: "cell time", role: "gridcell" });
    const pictures = Object.fromEntries(kinds.map((kind) => [kind, icon(kind)]));
    const kindPicture = h("span", { class: "picture" });
    const kindWord = h("span");
    const kind = h("span", { class: "cell kind", role: "gridcell" }, kindPicture, kindWord);
    const name = h("span", { class: "cell name", role: "gridcell" });
    const parameters = h("span", { class: "cell parameters", role: "gridcell" });
    const element = h("div", { class: "row", role: "row", on: { click: (event) => { if (shown) pick(shown, event); } } }, time,
        kind, name, parameters);
    let shown = null;
    let timed = [];
    let place = -1;

    function fill(record, previous) {
        const changed = previous && record.kind === "event" ? changedNames(previous, record, catalog) : new Set();
        element.dataset.kind = record.kind;
        element.id = `record-${record.id}`;
        kindPicture.replaceChildren(pictures[record.kind]);
        kindWord.textContent = t(`kind.${record.kind}`);
        const level = levelName(record.level);
        const badges = [];
        if (["warning", "error", "fatal"].includes(level) && !(record.kind === "error" && level === "error")) {
            badges.push(h("span", { class: "badge", "data-level": level }, t(`level.${level}`)));
        }
        if (isUndefinedEvent(record, catalog)) badges.push(h("span", { class: "badge", "data-level": "warning" },
            t("record.undefined")));
        else if (record.violations?.length > 0) badges.push(h("span", { class: "badge", "data-level": "warning",
            title: record.violations.map(({ message }) => message).join("\n") },
        t("record.violations", { n: record.violations.length })));
        element.dataset.marks = String(badges.length > 0);
        const request = record.kind === "request" ? requestSummary(record, catalog) : null;
        replaceChildren(name, foreign(cut(request?.name ?? record.tag, 200), "tag"), badges);
        name.title = record.tag;
        replaceChildren(parameters, request ? exchange(record, request) : summary(record, changed));
    }

    function summary(record, changed) {
        // A span's message is its name, which stands in the row already.
        return [record.message && record.message !== record.tag ? foreign(cut(record.message, 400), "text") : null, took(record),
            pairs(ownParameters(record, catalog), changed),
            record.module && record.module !== record.tag ? foreign(record.module, "text module muted") : null];
    }

    /** Of a request the answer comes first; where it came from stands in the detail. */
    function exchange(record, { name: shownName, status, failure, parameters }) {
        const isBad = failure !== null || status >= 400;
        const words = [status, failure].filter((word) => word !== null).join(" ");
        return [words ? h("span", { class: "text status", "data-bad": isBad ? "true" : null }, foreign(words)) : null,
            took(record), pairs(parameters),
            record.tag === shownName || shownName.startsWith(`${record.tag} `) ? null : h("span", { class: "text muted" }, foreign(record.tag))];
    }

    function took(record) {
        if (record.duration === null || record.duration === undefined) return null;
        return h("span", { class: "text" }, duration(record.duration, language));
    }

    /** What differs from the record of the same name before it stands out. */
    function pairs(parameters, changed = new Set()) {
        return parameters.slice(0, mostParameters).map((parameter) =>
            h("span", { class: "pair", "data-state": parameter.state,
                "data-changed": changed.has(parameter.name) ? "true" : null },
                foreign(parameter.name, "key"),
                parameter.state === "absent" || parameter.state === "missing" ? h("span", { class: "none" }, "–")
                    : parameter.isPrivate ? h("span", { class: "none" }, "••••")
                    : foreign(cut(valueText(parameter.value), longestValue), "value")));
    }

    /** Rows stand in the order of arrival; a time that goes back is marked, so that it is not taken for an error. */
    function markTime(record, older) {
        const late = isLate(record, older);
        time.dataset.late = String(late);
        time.title = calendarDay(record.time, language) + (late ? `\n${t("history.late")}` : "");
    }

    /** Whether a record says the same as the one below it, so that the eye may pass over it. */
    function repeats(record, older) {
        return older !== undefined && record.kind !== "request" && record.kind === older.kind && record.tag === older.tag
            && record.message === older.message
            && JSON.stringify(record.attributes) === JSON.stringify(older.attributes);
    }

    return {
        element,
        /** `to`: `{ older, previous, position, y, isSelected, isMarked, time }`. */
        show(record, { older, previous, position, y, isSelected, isMarked, time: words }) {
            if (record !== shown || record === undefined) {
                shown = record;
                element.classList.toggle("pending", !record);
                if (record) fill(record, previous);
                else {
                    element.removeAttribute("id");
                    delete element.dataset.kind;
                    for (const cell of [time, name, parameters, kindWord, kindPicture]) cell.replaceChildren();
                }
            }
            if (record && (record !== timed[0] || older !== timed[1])) {
                timed = [record, older];
                markTime(record, older);
                element.dataset.repeats = String(repeats(record, older));
            }
            if (record && time.textContent !== words) time.textContent = words;
            if (element.hidden) element.hidden = false;
            element.dataset.marked = String(isMarked);
            element.setAttribute("aria-rowindex", String(position + 1));
            element.setAttribute("aria-selected", String(isSelected));
            if (place !== y) {
                place = y;
                element.style.transform = `translateY(${y}px)`;
            }
        },
        hide() { if (!element.hidden) element.hidden = true; },
    };
}

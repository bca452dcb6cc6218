// @ts-check
// The history's column widths: dragged, set by keys, fitted to the rows in view, and remembered by this browser. Until
// it is given a width, the name column fits itself and leaves the rest to the parameters.

import { h } from "../base/dom.js";

const step = 16;
const least = 60;
/** The largest share of the list for one column, fitted and dragged. */
const mostShare = { fitted: 0.28, dragged: 0.7 };
const settled = 250;
/** Around a cell's content, and between its parts. */
const padding = 18;
const gap = 6;

/** @typedef {"time" | "kind" | "name"} ColumnName */

export class Columns {
    /** @type {Partial<Record<ColumnName, number>>} the widths that somebody chose, in pixels */
    #chosen = {};
    /** The name width that fits everything in view since the list was loaded. */
    #fitted = 0;
    /** @type {number | undefined} */
    #timer;

    /** @param {PageContext} context @param {HTMLElement} list the list's element, which holds the rows
     * @param {() => HTMLElement} owner the element that has the widths */
    constructor(context, list, owner) {
        this.context = context;
        this.list = list;
        this.owner = owner;
        try {
            this.#chosen = JSON.parse(context.storage.get("columns") ?? "{}");
        } catch {
            // Not JSON, so not ours.
        }
    }

    /** The handle at a column's end, among the headings.
     * @param {ColumnName} name @param {string} words the column's heading */
    grip(name, words) {
        const label = this.context.t("history.width", { column: words });
        /** @type {HTMLElement} */
        const element = h("span", { class: "grip", role: "separator", tabindex: "0", "aria-orientation": "vertical",
            "aria-label": label, "data-column": name, title: `${label}\n${this.context.t("history.widthHint")}`, on: {
                pointerdown: (event) => this.#drag(name, element, event),
                dblclick: () => this.#fit(name),
                keydown: (event) => this.#keyed(name, event),
                focus: () => this.#tell(name, element),
            } });
        return element;
    }

    apply() {
        const { style } = this.owner();
        for (const name of /** @type {ColumnName[]} */ (["time", "kind", "name"])) {
            const width = this.#chosen[name] ?? (name === "name" && this.#fitted > 0 ? this.#fitted : null);
            if (width === null) style.removeProperty(`--w-${name}`);
            else style.setProperty(`--w-${name}`, `${Math.round(Math.min(width, this.#most("dragged")))}px`);
        }
    }

    /** The list starts over. */
    forget() { this.#fitted = 0; }

    /** Once the rows are at rest, the names get the room they need. */
    drawn() {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
            const needed = this.#needed("name");
            if (needed <= this.#fitted) return;
            this.#fitted = Math.min(needed, this.#most("fitted"));
            this.apply();
        }, settled);
    }

    /** @param {"fitted" | "dragged"} way */
    #most(way) { return Math.max(least, this.list.clientWidth * mostShare[way]); }

    /** The width that shows the column's cells in view completely.
     * @param {ColumnName} name */
    #needed(name) {
        const widths = [...this.list.querySelectorAll(`.row:not(.pending) .cell.${name}`)].map((cell) => {
            const parts = [...cell.children].map((part) => part.scrollWidth).filter((width) => width > 0);
            return padding + (name === "time" ? Math.max(0, ...parts)
                : parts.reduce((sum, width) => sum + width, 0) + gap * Math.max(0, parts.length - 1));
        });
        return Math.ceil(Math.max(0, ...widths));
    }

    /** @param {ColumnName} name */
    #width(name) {
        return this.owner().querySelector(`.headings .cell.${name}`)?.getBoundingClientRect().width ?? least;
    }

    /** @param {ColumnName} name @param {number | null} width null for the one that the page chooses */
    #set(name, width) {
        if (width === null) delete this.#chosen[name];
        else this.#chosen[name] = Math.round(Math.max(least, Math.min(width, this.#most("dragged"))));
        this.context.storage.set("columns", Object.keys(this.#chosen).length > 0 ? JSON.stringify(this.#chosen) : null);
        this.apply();
    }

    /** @param {ColumnName} name */
    #fit(name) {
        const needed = this.#needed(name);
        if (needed > 0) this.#set(name, needed);
    }

    /** @param {ColumnName} name @param {HTMLElement} element */
    #tell(name, element) {
        element.setAttribute("aria-valuenow", String(Math.round(this.#width(name))));
        element.setAttribute("aria-valuemin", String(least));
        element.setAttribute("aria-valuemax", String(Math.round(this.#most("dragged"))));
    }

    /** @param {ColumnName} name @param {HTMLElement} element @param {PointerEvent} event */
    #drag(name, element, event) {
        if (event.button !== 0) return;
        event.preventDefault();
        element.focus();
        const [start, width] = [event.clientX, this.#width(name)];
        const move = (/** @type {PointerEvent} */ next) => {
            if (next.clientX !== start) this.#set(name, width + next.clientX - start);
        };
        element.setPointerCapture(event.pointerId);
        element.addEventListener("pointermove", move);
        element.addEventListener("lostpointercapture", () => {
            element.removeEventListener("pointermove", move);
            this.#tell(name, element);
        }, { once: true });
    }

    /** Arrows change the width, Enter fits it, Delete resets it.
     * @param {ColumnName} name @param {KeyboardEvent} event */
    #keyed(name, event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (event.key === "ArrowLeft") this.#set(name, this.#width(name) - step);
        else if (event.key === "ArrowRight") this.#set(name, this.#width(name) + step);
        else if (event.key === "Enter") this.#fit(name);
        else if (event.key === "Delete" || event.key === "Backspace") this.#set(name, null);
        else return;
        event.preventDefault();
        event.stopPropagation();
        this.#tell(name, /** @type {HTMLElement} */ (event.currentTarget));
    }
}

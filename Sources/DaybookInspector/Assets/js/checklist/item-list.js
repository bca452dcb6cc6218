// @ts-check
// The items of a checklist being edited, reordered by buttons, keys, mouse or finger.

import { iconButton, verbatim } from "../base/controls.js";
import { foreign, h, icon, replaceChildren } from "../base/dom.js";

/** @typedef {{ move: (from: ItemPosition, to: ItemPosition) => unknown, remove: (position: ItemPosition) => unknown,
 *     add: (scenario: number, item: string) => unknown }} ItemActions */

export class ItemList {
    /** @type {OutlineScenario[]} */
    #scenarios = [];
    /** @type {string[]} what has the focus once the list is drawn again: the first of these that is there */
    #wanted = [];

    /** @param {Translate} t @param {ItemActions} actions */
    constructor(t, actions) {
        this.t = t;
        this.actions = actions;
        this.element = h("div", { class: "itemlist" });
    }

    /** @param {OutlineScenario[] | null} scenarios null where the text cannot be read; none where it has no item yet */
    draw(scenarios) {
        this.element.dataset.stale = String(scenarios === null);
        if (scenarios === null) return;
        this.#scenarios = scenarios;
        replaceChildren(this.element, scenarios.length === 0 ? h("section", null, this.#adder(0))
            : scenarios.map((scenario, index) => h("section", null, h("h3", null, foreign(scenario.name)),
            h("ol", { class: "order" }, scenario.items.map((item, place) =>
                this.#row(item, { scenario: index, item: place }))),
            this.#adder(index))));
        const focused = this.#wanted.map((one) => /** @type {HTMLElement | null} */ (this.element.querySelector(one)));
        focused.find((one) => one !== null)?.focus();
        this.#wanted = [];
    }

    /** @param {OutlineItem} item @param {ItemPosition} at */
    #row({ text, manual }, at) {
        const { t } = this;
        /** @type {(name: string, words: string, sign: Child, click: () => unknown, disabled?: boolean) => Child} */
        const tool = (name, words, sign, click, disabled) =>
            iconButton(name, words, sign, click, { "aria-label": `${words}: ${text}`, disabled });
        const handle = h("span", { class: "handle", "aria-hidden": "true",
            on: { pointerdown: (event) => this.#drag(event, at) } }, "⠿");
        return h("li", { "data-at": `${at.scenario}/${at.item}`, on: { keydown: (event) => {
            if (!event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key)) return;
            event.preventDefault();
            this.#step(at, event.key === "ArrowUp" ? -1 : 1);
        } } }, handle, h("span", { class: manual ? "words" : "words code" }, foreign(text)),
        tool("up", t("edit.up"), "↑", () => this.#step(at, -1), !this.#target(at, -1)),
        tool("down", t("edit.down"), "↓", () => this.#step(at, 1), !this.#target(at, 1)),
        tool("remove", t("edit.remove"), icon("close"), () => this.actions.remove(at)));
    }

    /** @param {number} scenario */
    #adder(scenario) {
        const { t } = this;
        const field = h("input", { class: "field code", list: "editor-events", ...verbatim, "aria-label": t("add.item"),
            placeholder: t("edit.placeholder") });
        return h("form", { class: "line adder", on: { submit: (event) => {
            event.preventDefault();
            if (field.value.trim() === "") return;
            this.#wanted = [`section:nth-of-type(${scenario + 1}) .adder .field`];
            this.actions.add(scenario, field.value);
        } } }, field, h("button", { class: "button" }, t("add.add")));
    }

    /** Where a step leads: within the scenario, or into the next or previous one.
     * @param {ItemPosition} at @param {number} step @returns {{ to: ItemPosition, at: ItemPosition } | null} */
    #target({ scenario, item }, step) {
        const { length } = this.#scenarios[scenario].items;
        if (item + step >= 0 && item + step < length) {
            return { to: { scenario, item: step < 0 ? item - 1 : item + 2 }, at: { scenario, item: item + step } };
        }
        const beside = this.#scenarios[scenario + step];
        if (!beside) return null;
        const place = { scenario: scenario + step, item: step < 0 ? beside.items.length : 0 };
        return { to: place, at: place };
    }

    /** @param {ItemPosition} from @param {number} step */
    #step(from, step) {
        const target = this.#target(from, step);
        if (!target) return;
        const { scenario, item } = target.at;
        const row = `[data-at="${scenario}/${item}"]`;
        this.#wanted = [`${row} ${step < 0 ? ".up" : ".down"}:not(:disabled)`, `${row} button:not(:disabled)`];
        this.actions.move(from, target.to);
    }

    /** @param {PointerEvent} event @param {ItemPosition} from */
    #drag(event, from) {
        const handle = /** @type {HTMLElement} */ (event.currentTarget);
        const row = /** @type {HTMLElement} */ (handle.closest("li"));
        event.preventDefault();
        handle.setPointerCapture(event.pointerId);
        row.classList.add("dragged");
        /** @type {ItemPosition | null} */
        let to = null;
        const mark = () => {
            for (const one of this.element.querySelectorAll("[data-drop]")) one.removeAttribute("data-drop");
        };
        const move = (/** @type {PointerEvent} */ { clientX, clientY }) => {
            mark();
            to = null;
            const over = document.elementFromPoint(clientX, clientY)?.closest(".itemlist li, .itemlist section");
            if (!(over instanceof HTMLElement)) return;
            if (over.tagName === "SECTION") {
                const scenario = [...this.element.children].indexOf(over);
                to = { scenario, item: this.#scenarios[scenario].items.length };
                over.dataset.drop = "end";
                return;
            }
            const [scenario, item] = (over.dataset.at ?? "0/0").split("/").map(Number);
            const box = over.getBoundingClientRect();
            const isBehind = clientY > box.top + box.height / 2;
            to = { scenario, item: item + (isBehind ? 1 : 0) };
            over.dataset.drop = isBehind ? "behind" : "before";
        };
        const end = (/** @type {boolean} */ isDropped) => {
            mark();
            row.classList.remove("dragged");
            handle.removeEventListener("pointermove", move);
            if (isDropped && to) this.actions.move(from, to);
        };
        handle.addEventListener("pointermove", move);
        handle.addEventListener("pointerup", () => end(true), { once: true });
        handle.addEventListener("pointercancel", () => end(false), { once: true });
    }
}

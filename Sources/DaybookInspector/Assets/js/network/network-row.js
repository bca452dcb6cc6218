// @ts-check
// A row of the requests: request, outcome, and its place in the burst.

import { foreign, h } from "../base/dom.js";
import { bytes, calendarDay, clockTime, cut, duration } from "../base/format.js";
import { isBad } from "../model/exchange.js";
import { cell, PooledRow } from "../parts/pooled-row.js";

export class NetworkRow extends PooledRow {
    /** @type {NetworkEntry | null} */
    #shown = null;
    #method = cell("method");
    #name = cell("name");
    #status = cell("status");
    #type = cell("type");
    #size = cell("size");
    #took = cell("took");
    #bar = h("span", { class: "bar" });
    #fall = cell("fall", this.#bar);

    /** @param {PageContext} context @param {(entry: NetworkEntry) => void} pick */
    constructor(context, pick) {
        super(context, "row exchange", { click: () => { if (this.#shown) pick(this.#shown); } });
        this.element.append(this.time, this.#method, this.#name, this.#status, this.#type, this.#size, this.#took,
            this.#fall);
    }

    /** @param {NetworkEntry} entry @param {BurstBar} bar
     * @param {Pick<RowState, "position" | "y" | "isSelected"> & { newer: NetworkEntry | undefined }} state */
    show(entry, bar, { newer, position, y, isSelected }) {
        if (entry !== this.#shown) {
            this.#shown = entry;
            this.#fill(entry);
        }
        this.markDay(entry.record, newer?.record);
        this.#bar.style.setProperty("left", `${Math.min(99.4, bar.left * 100)}%`);
        this.#bar.style.setProperty("width", `${bar.width * 100}%`);
        this.#fall.title = this.context.t("net.burst", { time: duration(bar.span, this.context.language) });
        this.element.dataset.starts = String(bar.starts);
        this.place(position, y, isSelected);
    }

    /** @param {NetworkEntry} entry */
    #fill({ record, exchange }) {
        const { t, language } = this.context;
        this.element.id = `request-${record.id}`;
        this.clock.textContent = clockTime(record.time);
        this.time.title = calendarDay(record.time, language);
        this.#method.textContent = exchange.method;
        const path = exchange.path || record.message || record.tag;
        this.#name.title = exchange.url;
        this.#name.replaceChildren(...(exchange.operation
            ? [foreign(cut(exchange.operation, 120), "operation"), foreign(cut(path, 120), "muted")]
            : [foreign(cut(path, 240), "tag")]), foreign(cut(exchange.host, 80), "muted host"));
        this.#status.replaceChildren(foreign(exchange.status ?? exchange.failure ?? t("net.noAnswer")));
        this.#status.dataset.bad = this.#bar.dataset.bad = String(isBad(exchange));
        this.#type.textContent = exchange.type ?? "";
        this.#size.textContent = exchange.response.size === null ? "" : bytes(exchange.response.size, language);
        this.#took.textContent = duration(record.duration ?? 0, language);
    }
}

// One row of the requests: what was asked, what came, and when within its burst.

import { foreign, h } from "../base/dom.js";
import { bytes, calendarDay, clockTime, cut, duration } from "../base/format.js";
import { isBad } from "../model/exchange.js";

export function createNetworkRow(context, pick) {
    const { t, language } = context;
    const cell = (name, ...content) => h("span", { class: `cell ${name}`, role: "gridcell" }, content);
    const time = cell("time");
    const method = cell("method");
    const name = cell("name");
    const status = cell("status");
    const type = cell("type");
    const size = cell("size");
    const took = cell("took");
    const bar = h("span", { class: "bar" });
    const fall = cell("fall", bar);
    let shown = null;
    let place = -1;
    const element = h("div", { class: "row exchange", role: "row", on: { click: () => { if (shown) pick(shown); } } },
        time, method, name, status, type, size, took, fall);

    function fill({ record, exchange }) {
        element.id = `request-${record.id}`;
        time.textContent = clockTime(record.time);
        time.title = calendarDay(record.time, language);
        method.textContent = exchange.method;
        const path = exchange.path || record.message || record.tag;
        name.title = exchange.url;
        name.replaceChildren(...(exchange.operation
            ? [foreign(cut(exchange.operation, 120), "operation"), foreign(cut(path, 120), "muted")]
            : [foreign(cut(path, 240), "tag")]), foreign(cut(exchange.host, 80), "muted host"));
        status.replaceChildren(foreign(exchange.status ?? exchange.failure ?? t("net.noAnswer")));
        status.dataset.bad = String(isBad(exchange));
        type.textContent = exchange.type ?? "";
        size.textContent = exchange.response.size === null ? "" : bytes(exchange.response.size, language);
        took.textContent = duration(record.duration ?? 0, language);
        bar.dataset.bad = String(isBad(exchange));
    }

    return {
        element,
        show(entry, lane, position, y, isSelected) {
            if (entry !== shown) {
                shown = entry;
                fill(entry);
            }
            bar.style.setProperty("left", `${Math.min(99.4, lane.left * 100)}%`);
            bar.style.setProperty("width", `${lane.width * 100}%`);
            fall.title = t("net.burst", { time: duration(lane.span, language) });
            element.dataset.starts = String(lane.starts);
            if (element.hidden) element.hidden = false;
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

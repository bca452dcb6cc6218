// The requests: a waterfall of the latest ones, narrowed by status, type, size and time.

import { h, icon, replaceChildren } from "../base/dom.js";
import { bytes, duration } from "../base/format.js";
import { createExportButton } from "../export/export-dialog.js";
import { ListView } from "../base/list-view.js";
import { exchangeOf, isBad, matches, statuses, types, waterfall } from "../model/exchange.js";
import { Latest } from "./latest.js";
import { createNetworkDetail } from "./network-detail.js";
import { createNetworkRow } from "./network-row.js";

const typingPause = 120;
const leasts = ["500ms", "1000ms", "3000ms", "100kb", "1000kb"];

export function createNetwork(context) {
    const { t, navigate, live, language } = context;
    let filter = {};
    let selected = null;
    let entries = [];
    let bars = [];
    let failure = null;
    let latest = null;
    const exchanges = new Map();
    const detail = createNetworkDetail(context, { close: () => select(null) });

    const search = h("input", {
        class: "field", type: "search", placeholder: t("net.search"), "aria-label": t("net.search"),
        autocomplete: "off", spellcheck: "false", on: { input: () => typed() },
    });
    const chips = statuses.map((name) => h("button", {
        class: "chip plain", type: "button", "data-status": name, "aria-pressed": "false",
        on: { click: () => toggleStatus(name) },
    }, name === "failed" ? t("net.failed") : name));
    const picker = (name, label, options) => h("select", { class: "field", "aria-label": label,
        on: { change: (event) => apply({ [name]: event.target.value }) } },
    options.map(([value, words]) => h("option", { value }, words)));
    const type = picker("type", t("net.type"), [["", t("net.anyType")],
        ...types.map((name) => [name, t(`net.type.${name}`)])]);
    const min = picker("min", t("net.least"), [["", t("net.anySize")],
        ...leasts.map((least) => [least, t("net.from", { least: leastText(least) })])]);
    const narrowed = h("div", { class: "narrowed" });
    const total = h("span", { class: "muted total", role: "status" });
    const older = h("button", { class: "button quiet", type: "button", hidden: true, on: { click: () => extend() } },
        t("net.older"));
    const view = new ListView({
        label: t("screen.net"),
        createRow: () => createNetworkRow(context, ({ record }) => select(record.id)),
        fill: (row, position, y) => row.show(entries[position], bars[position], position, y,
            String(entries[position].record.id) === selected),
        total: () => entries.length,
        scrolled: () => arrived(),
    });
    const notice = h("div", { class: "notice", hidden: true });
    const heading = (name, words) => h("span", { class: `cell ${name}` }, words);
    const main = h("section", { class: "pane history network" },
        h("div", { class: "toolbar" },
            h("div", { class: "searchbox" }, icon("search"), search), type, min,
            createExportButton(context, () => ({ records: () => entries.map(({ record }) => record), formats: "request",
                name: "requests" })),
            h("div", { class: "chipline" },
                h("div", { class: "chips", role: "group", "aria-label": t("net.status") }, chips), narrowed, total, older)),
        h("div", { class: "headings", "aria-hidden": "true" }, heading("time", t("history.time")),
            heading("method", t("net.method")), heading("name", t("net.address")), heading("status", t("net.status")),
            heading("type", t("net.type")), heading("size", t("net.size")), heading("took", t("net.took")),
            heading("fall", t("net.waterfall"))),
        h("div", { class: "viewport" }, view.element, notice));
    live.listen(() => arrived());

    function leastText(least) {
        const [, amount, unit] = /^(\d+)(\w+)$/.exec(least);
        return unit === "kb" ? bytes(amount * 1_000, language) : duration(amount * 1_000_000, language);
    }

    async function load() {
        const own = new Latest({ kind: "request", session: filter.session });
        latest = own;
        exchanges.clear();
        await attempt(() => own.load());
        if (latest === own) changed(0);
    }

    /** New requests come in at once at the top; a reader who is elsewhere is not moved. */
    async function arrived() {
        if (!main.isConnected || !latest?.loaded || live.head <= latest.anchor) return;
        const before = entries.length;
        await attempt(() => latest.pull());
        const [first] = entries;
        if (latest.records[0] === first?.record) return;
        compute();
        view.changed(view.isAtTop ? 0 : Math.max(0, entries.length - before));
        drawTotals();
    }

    async function extend() {
        await attempt(() => latest.extend());
        changed(0);
    }

    async function attempt(work) {
        try {
            await work();
            failure = null;
        } catch (error) {
            failure = error;
        }
    }

    function compute() {
        entries = (latest?.records ?? []).map((record) => {
            let entry = exchanges.get(record.id);
            if (!entry) exchanges.set(record.id, entry = { record, exchange: exchangeOf(record) });
            return entry;
        }).filter(({ exchange }) => matches(exchange, filter));
        bars = waterfall(entries.map(({ exchange }) => exchange));
    }

    function changed(shift) {
        compute();
        view.changed(shift);
        drawTotals();
        drawNotice();
    }

    function drawTotals() {
        const size = entries.reduce((sum, { exchange }) => sum + (exchange.response.size ?? 0), 0);
        total.textContent = [t("net.count", { n: entries.length }), ...(size > 0 ? [bytes(size, language)] : []),
        ].join(" · ");
        older.hidden = !latest?.canExtend;
    }

    function drawNotice() {
        notice.hidden = failure === null && (entries.length > 0 || !latest?.loaded);
        if (notice.hidden) return;
        const isFiltered = Object.keys(filter).length > 0;
        replaceChildren(notice,
            failure ? [h("h2", null, t("error.title")), h("p", null, failure.message),
                h("button", { class: "button", type: "button", on: { click: () => load() } }, t("error.retry"))]
            : isFiltered ? [h("h2", null, t("history.nothing")), h("p", null, t("net.nothingHint")),
                h("button", { class: "button", type: "button",
                    on: { click: () => navigate({ screen: "net", params: {} }) } }, t("history.clear"))]
            : [h("h2", null, t("net.empty")), h("p", null, t("net.emptyHint")),
                h("pre", { class: "sample" }, "try await log.data(for: request)")]);
    }

    let typing;
    function typed() {
        clearTimeout(typing);
        typing = setTimeout(() => { if (search.isConnected) apply({ q: search.value.trim() }); }, typingPause);
    }

    function apply(change) {
        navigate({ screen: "net", path: selected ? [selected] : [], params: { ...filter, ...change } },
            { replace: true });
    }

    function toggleStatus(name) {
        const active = new Set((filter.status ?? "").split(",").filter(Boolean));
        if (!active.delete(name)) active.add(name);
        apply({ status: statuses.filter((one) => active.has(one)).join(",") });
    }

    function drawFilter() {
        if (document.activeElement !== search || search.value.trim() !== (filter.q ?? "")) search.value = filter.q ?? "";
        type.value = filter.type ?? "";
        min.value = filter.min ?? "";
        const active = (filter.status ?? "").split(",");
        for (const chip of chips) chip.setAttribute("aria-pressed", String(active.includes(chip.dataset.status)));
        replaceChildren(narrowed, filter.session ? h("button", { class: "chip removable", type: "button",
            title: t("history.remove"), on: { click: () => apply({ session: "" }) } },
        `${t("filter.session")} `, h("bdi", null, filter.session), icon("close")) : null);
    }

    function select(id) {
        const replace = !context.isStacked() || id === null || selected !== null;
        navigate({ screen: "net", path: id === null ? [] : [String(id)], params: filter }, { replace });
    }

    const indexOf = (id) => entries.findIndex(({ record }) => String(record.id) === id);

    return {
        main,
        side: detail.element,
        async show({ path, params }) {
            const next = Object.fromEntries(["q", "status", "type", "min", "session"]
                .filter((name) => params[name]).map((name) => [name, params[name]]));
            const isOtherSession = latest === null || next.session !== filter.session;
            const isOther = JSON.stringify(next) !== JSON.stringify(filter);
            filter = next;
            selected = /^\d+$/.test(path[0] ?? "") ? path[0] : null;
            main.dataset.selected = String(selected !== null);
            drawFilter();
            if (isOtherSession) await load();
            else if (isOther) {
                view.place(0);
                changed(0);
            } else {
                view.changed();
                arrived();
            }
            const index = selected === null ? -1 : indexOf(selected);
            if (selected === null) detail.clear();
            else {
                if (index >= 0) view.reveal(index);
                await detail.show(selected, entries[index]?.record);
            }
        },
        move(step) {
            if (entries.length === 0) return;
            const current = selected === null ? -1 : indexOf(selected);
            const next = current < 0 ? view.first : Math.min(Math.max(current + step, 0), entries.length - 1);
            view.reveal(next);
            select(entries[next].record.id);
        },
        edge(isLast) {
            view.place(isLast ? view.track.maxOffset : 0);
            view.draw();
        },
        /** The next failed request below, or the previous one above. */
        error(by) {
            const current = selected === null ? -1 : indexOf(selected);
            const order = by > 0 ? entries.slice(current + 1) : entries.slice(0, Math.max(0, current)).reverse();
            const found = order.find(({ exchange }) => isBad(exchange));
            if (!found) return;
            view.reveal(entries.indexOf(found));
            select(found.record.id);
        },
        open() { if (selected === null) this.move(0); else detail.element.focus(); },
        close() { if (selected !== null) select(null); },
        search() { search.focus(); search.select(); },
    };
}

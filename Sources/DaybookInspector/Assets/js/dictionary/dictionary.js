// The dictionary: all that is defined, seen or not, and what was seen without being defined.

import { readyQuery, undefinedTags } from "../model/catalog.js";
import { copyButton, foreign, h, icon, prose, replaceChildren } from "../base/dom.js";
import { ago, calendarDay, clockTime, folded } from "../base/format.js";
import { linkList } from "../base/links.js";
import { openDefinitionCheck } from "./check-dialog.js";
import { badge, fold, paneTop, section, typeOf } from "../base/pane.js";
import { formatRoute } from "../base/route.js";

const typingPause = 120;

export function createDictionary(context) {
    const { t, catalog, navigate, tags, language } = context;
    let query = "";
    let selected = null;
    const closed = new Set();

    const search = h("input", {
        class: "field", type: "search", placeholder: t("dict.search"), "aria-label": t("dict.search"),
        autocomplete: "off", spellcheck: "false", on: { input: () => typed() },
    });
    const total = h("span", { class: "muted" });
    const tree = h("div", { class: "tree-list", tabindex: "0", role: "tree", "aria-label": t("screen.dict"),
        "data-keys": "list" });
    const main = h("section", { class: "pane dictionary" },
        h("div", { class: "toolbar" }, h("div", { class: "searchbox" }, icon("search"), search), total,
            h("button", { class: "button", type: "button", on: { click: () => openDefinitionCheck(context) } },
                t("define.open"))), tree);
    const side = h("aside", { class: "pane detail", tabindex: "-1", "aria-label": t("dict.definition") });
    tags.listen(() => { if (main.isConnected) drawCounts(); });

    let typing;
    function typed() {
        clearTimeout(typing);
        typing = setTimeout(() => go(selected, { q: search.value.trim() }, true), typingPause);
    }

    function go(tag, change = {}, replace = false) {
        navigate({ screen: "dict", path: tag ? [tag] : [], params: { q: query, ...change } }, { replace });
    }

    let rows = [];
    function drawTree() {
        rows = [];
        const found = catalog.search(query);
        const words = folded(query);
        const strangers = undefinedTags(catalog, tags.all).filter(({ tag }) => folded(tag).includes(words));
        const groups = found.map(({ category, events }) => group(category.name, category.description, events));
        if (strangers.length > 0) {
            groups.push(group(t("dict.undefined"), t("dict.undefinedHint"),
                strangers.map(({ tag }) => ({ tag, name: tag, stranger: true })), true));
        }
        replaceChildren(tree, groups.length > 0 ? groups : emptiness());
        total.textContent = t("dict.found", { n: found.reduce((sum, { events }) => sum + events.length, 0) });
        drawCounts();
    }

    function emptiness() {
        if (catalog.isEmpty) {
            return h("div", { class: "notice" }, h("h2", null, t("dict.empty")), h("p", null, t("dict.emptyHint")),
                h("pre", { class: "sample" }, "daybook serve --definitions LogDefinitions"));
        }
        return h("div", { class: "notice" }, h("h2", null, t("dict.nothing")), h("p", null, t("dict.nothingHint")));
    }

    function group(name, description, events, isOwn = false) {
        const key = isOwn ? "\u0000" : name;
        const details = h("details", {
            class: "category", open: query !== "" || !closed.has(key),
            on: { toggle: () => { if (query === "") { if (details.open) closed.delete(key); else closed.add(key); } } },
        },
            h("summary", null, isOwn ? h("span", null, name) : foreign(name, "tag"),
                h("span", { class: "muted count" }, String(events.length)),
                h("span", { class: "muted line" }, firstLine(description))),
            events.map((event) => line(event)));
        return details;
    }

    function line(event) {
        const seen = h("span", { class: "seen" });
        const element = h("a", {
            class: "entry", role: "treeitem", href: formatRoute({ screen: "dict", path: [event.tag],
                params: { q: query } }),
            "data-obsolete": event.obsolete ? "true" : null,
        },
            foreign(event.name, "tag"),
            event.obsolete ? badge(t("dict.obsolete")) : null,
            h("span", { class: "muted line" }, firstLine(event.description ?? "")), seen);
        rows.push({ tag: event.tag, element, seen });
        return element;
    }

    function drawCounts() {
        for (const { tag, element, seen } of rows) {
            const summary = tags.of(tag);
            const text = summary ? t("dict.count", { n: summary.count }) : t("dict.never");
            if (seen.textContent !== text) seen.textContent = text;
            seen.dataset.never = String(!summary);
            element.setAttribute("aria-selected", String(tag === selected));
        }
        const live = side.querySelector("[data-seen]");
        if (live && selected) replaceChildren(live, seenText(selected));
    }

    function seenText(tag) {
        const summary = tags.of(tag);
        if (!summary) return t("dict.neverLong");
        const when = (time) => `${calendarDay(time, language)}, ${clockTime(time).slice(0, 8)}`;
        return [t("dict.count", { n: summary.count }), " · ", t("dict.first"), ` ${when(summary.first_time)} · `,
            t("dict.last"), ` ${when(summary.last_time)} (${ago(summary.last_time, Date.now(), language)})`];
    }

    function drawSide() {
        side.dataset.empty = String(selected === null);
        side.scrollTop = 0;
        if (selected === null) {
            replaceChildren(side, catalog.isEmpty ? null : h("div", { class: "hint" }, h("p", null, t("dict.hint"))));
            return;
        }
        const found = catalog.find(selected);
        const title = found
            ? h("span", { class: "kindline", "data-kind": "event" }, icon("event"), foreign(found.category.name))
            : t("dict.undefined");
        const header = paneTop(t, title, () => go(null));
        const records = h("a", { class: "button quiet",
            href: formatRoute({ screen: "history", params: { tag: selected } }) },
            icon("history"), h("span", null, t("dict.records")));
        if (!found) {
            replaceChildren(side, header, h("div", { class: "content" }, h("h2", { class: "tag" }, foreign(selected)),
                h("div", { class: "warning" }, t("detail.undefined")), h("p", { "data-seen": "" }, seenText(selected)),
                h("div", { class: "actions" }, records)));
            return;
        }
        const { event, category, columns } = found;
        const sql = readyQuery(found);
        replaceChildren(side, header, h("div", { class: "content" },
            h("h2", { class: "tag" }, foreign(event.tag)),
            h("p", { class: "when muted", "data-seen": "" }, seenText(event.tag)),
            event.obsolete ? h("div", { class: "warning" }, h("strong", null, t("dict.obsolete"))) : null,
            h("div", { class: "definition" }, prose(event.description)),
            h("div", { class: "actions" }, copyButton(t("copy.name"), t("copy.done"), () => event.tag),
                copyButton(t("dict.checklistItem"), t("copy.done"), () => `- [ ] ${event.tag}\n`), records),
            linkList(context, "event", { category: category.name, event: event.name, tag: event.tag }),
            section(t("dict.columns"), columns.length > 0 ? columnTable(columns)
                : h("p", { class: "muted" }, t("dict.noColumns"))),
            catalog.common.length > 0 ? fold(t("detail.common", { n: catalog.common.length }),
                columnTable(catalog.common)) : null,
            category.description ? fold(t("dict.category"),
                h("div", { class: "definition" }, prose(category.description))) : null,
            section(t("dict.query"), h("pre", { class: "sample" }, sql), h("div", { class: "actions" },
                h("a", { class: "button", href: formatRoute({ screen: "sql", params: { sql } }),
                    on: { click: () => context.runSQLOnce() } },
                    icon("sql"), h("span", null, t("dict.run"))),
                copyButton(t("copy.sql"), t("copy.done"), () => sql))),
            h("p", { class: "muted source" }, foreign(event.location))));
    }

    function columnTable(columns) {
        return h("dl", { class: "parameters" }, columns.map((column) => {
            const term = [
                foreign(column.name, "key"), typeOf(t, column),
                column.classification !== "plain" && badge(t(`column.${column.classification}`)),
                column.obsolete && badge(t("dict.obsolete")),
            ];
            const values = column.values.map(({ value, description }) =>
                h("li", null, h("code", null, foreign(value)), description && [" ", foreign(description)]));
            return h("div", { class: "parameter", "data-obsolete": column.obsolete ? "true" : null },
                h("dt", null, term),
                h("dd", null, column.notes.map((note) => h("div", { class: "note" }, prose(note))),
                    values.length > 0 && h("ul", { class: "values" }, values)));
        }));
    }

    let drawnQuery = null;
    let drawnStrangers = 0;
    return {
        main,
        side,
        show({ path, params }) {
            const isOther = selected !== (path[0] ?? null);
            query = params.q ?? "";
            selected = path[0] ?? null;
            main.dataset.selected = String(selected !== null);
            if (document.activeElement !== search) search.value = query;
            tags.refresh();
            const strangers = undefinedTags(catalog, tags.all).length;
            if (drawnQuery !== query || drawnStrangers !== strangers) {
                drawnQuery = query;
                drawnStrangers = strangers;
                drawTree();
            } else drawCounts();
            if (isOther || !side.hasChildNodes()) drawSide();
        },
        move(step) {
            if (rows.length === 0) return;
            const current = rows.findIndex((row) => row.tag === selected);
            const next = Math.min(Math.max(current < 0 ? 0 : current + step, 0), rows.length - 1);
            const group = rows[next].element.parentElement;
            group.open = true;
            rows[next].element.scrollIntoView({ block: "nearest" });
            go(rows[next].tag, {}, true);
        },
        edge(isLast) { tree.scrollTop = isLast ? tree.scrollHeight : 0; },
        open() { if (selected === null) this.move(0); else side.focus(); },
        close() { if (selected !== null) go(null); },
        search() { search.focus(); search.select(); },
    };
}

function firstLine(markdown) { return markdown.trim().split("\n")[0].replaceAll("`", ""); }

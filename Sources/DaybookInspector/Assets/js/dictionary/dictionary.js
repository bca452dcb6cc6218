// The dictionary: all that is defined, seen or not, and what was seen without being defined.

import { readyQuery, undefinedTags } from "../model/catalog.js";
import { copyButton, foreign, h, icon, prose, replaceChildren } from "../base/dom.js";
import { ago, clockTime, folded, moment } from "../base/format.js";
import { linkList } from "../base/links.js";
import { openAddDialog } from "./add-dialog.js";
import { openDefinitionCheck } from "./check-dialog.js";
import { createCoverageTable } from "./coverage-table.js";
import { createUnseenFilter } from "./unseen-filter.js";
import { badge, fold, paneTop, scrollToEdge, section, typeOf } from "../base/pane.js";
import { formatRoute } from "../base/route.js";

const typingPause = 120;

export function createDictionary(context) {
    const { t, catalog, navigate, tags, language } = context;
    let query = "";
    let selected = null;
    let isTable = false;
    const unseen = createUnseenFilter(context, (value) => go(selected, { unseen: value }, true), () => drawTree());
    const table = createCoverageTable(context);
    const closed = new Set();

    const search = h("input", {
        class: "field", type: "search", placeholder: t("dict.search"), "aria-label": t("dict.search"),
        autocomplete: "off", spellcheck: "false", on: { input: () => typed() },
    });
    const total = h("span", { class: "muted total" });
    const tree = h("div", { class: "tree-list", tabindex: "0", role: "tree", "aria-label": t("screen.dict"),
        "data-keys": "list" });
    const tableButton = h("button", { class: "chip plain", type: "button", "aria-pressed": "false",
        on: { click: () => go(selected, { view: isTable ? null : "coverage" }) } }, t("cover.title"));
    const main = h("section", { class: "pane dictionary" },
        h("div", { class: "toolbar" }, h("div", { class: "searchbox" }, icon("search"), search), total, unseen.element,
            tableButton, h("button", { class: "button define", type: "button", title: t("define.open"), "aria-label": t("define.open"),
                on: { click: () => openDefinitionCheck(context) } }, icon("paste"), h("span", { class: "wide" },
                t("define.open")))), tree, table.element);
    const side = h("aside", { class: "pane detail", tabindex: "-1", "aria-label": t("dict.definition") });
    tags.listen(() => { if (main.isConnected) drawCounts(); });

    let typing;
    function typed() {
        clearTimeout(typing);
        typing = setTimeout(() => go(selected, { q: search.value.trim() }, true), typingPause);
    }

    function go(tag, change = {}, replace = false) {
        navigate({ screen: "dict", path: tag ? [tag] : [], params: { ...params(), ...change } }, { replace });
    }

    const params = () => ({ q: query, unseen: unseen.value, view: isTable ? "coverage" : null });

    let rows = [];
    function drawTree() {
        rows = [];
        const found = catalog.search(query).map(({ category, events }) =>
            ({ category, events: events.filter(({ tag }) => unseen.allows(tag)) }))
            .filter(({ events }) => events.length > 0 || (query === "" && unseen.value === ""));
        const words = folded(query);
        const strangers = undefinedTags(catalog, tags.all)
            .filter(({ tag }) => folded(tag).includes(words) && unseen.allows(tag));
        const foreigners = strangers.map(({ tag }) => ({ tag, name: tag, stranger: true }));
        const isEmpty = found.length === 0 && foreigners.length === 0;
        tree.hidden = isTable && !isEmpty;
        table.element.hidden = !tree.hidden;
        if (!table.element.hidden) {
            table.draw([...found.map(({ category: { name }, events }) => ({ name, events })),
                ...(foreigners.length > 0 ? [{ name: t("dict.undefined"), events: foreigners }] : [])],
            ({ tag }) => linkTo(tag), selected);
            rows = [...found.flatMap(({ events }) => events), ...foreigners].map(({ tag }) => ({ tag }));
        } else {
            const groups = found.map(({ category, events }) => group(category.name, category.description, events));
            if (foreigners.length > 0) groups.push(group(t("dict.undefined"), t("dict.undefinedHint"), foreigners, true));
            replaceChildren(tree, isEmpty ? emptiness() : groups);
        }
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
            class: "entry", role: "treeitem", href: linkTo(event.tag),
            "data-obsolete": event.obsolete ? "true" : null,
        },
            foreign(event.name, "tag"),
            event.obsolete ? badge(t("dict.obsolete")) : null,
            h("span", { class: "muted line" }, firstLine(event.description ?? "")), seen);
        rows.push({ tag: event.tag, element, seen });
        return element;
    }

    const linkTo = (tag) => formatRoute({ screen: "dict", path: [tag], params: params() });

    function drawCounts() {
        for (const { tag, element, seen } of tree.hidden ? [] : rows) {
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
        const when = (time) => moment(time, language, clockTime(time).slice(0, 8));
        return h("span", { class: "parts" }, [
            t("dict.count", { n: summary.count }), `${t("dict.first")} ${when(summary.first_time)}`,
            `${t("dict.last")} ${when(summary.last_time)}`, ago(summary.last_time, Date.now(), language),
        ].map((words) => h("span", null, words)));
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
                h("button", { class: "button quiet", type: "button", on: { click: () => openAddDialog(context, event.tag) } },
                    icon("check"), h("span", null, t("add.open"))), records),
            linkList(context, "event", { category: category.name, event: event.name, tag: event.tag }),
            section(t("dict.columns"), columns.length > 0 ? columnTable(columns)
                : h("p", { class: "muted" }, t("dict.noColumns"))),
            catalog.common.length > 0 ? fold(t("detail.common", { n: catalog.common.length }),
                columnTable(catalog.common)) : null,
            category.description ? fold(t("dict.category"),
                h("div", { class: "definition" }, prose(category.description))) : null,
            callSection(event.tag), versionSection(event.tag),
            section(t("dict.query"), h("pre", { class: "sample" }, sql), h("div", { class: "actions" },
                h("a", { class: "button", href: formatRoute({ screen: "sql", params: { sql } }),
                    on: { click: () => context.runSQLOnce() } },
                    icon("sql"), h("span", null, t("dict.run"))),
                copyButton(t("copy.sql"), t("copy.done"), () => sql))),
            h("p", { class: "muted source" }, foreign(event.location))));
    }

    /** Where the event is called, as far as a report of the sources tells. */
    function callSection(tag) {
        const report = table.report(tag);
        if (!report) return null;
        const more = Number(report.calls ?? 0) - report.called.length;
        return [report.calls === null ? null : section(t("cover.calls"), report.called.length === 0
            ? h("p", { class: "muted" }, t("cover.notCalled"))
            : h("ul", { class: "places" }, report.called.map(({ file, line: number }) =>
                h("li", null, foreign(`${file}:${number}`))),
            more > 0 ? h("li", { class: "muted" }, t("json.more", { n: more })) : null)),
        report.fired === null ? null : section(t("cover.fired"), h("p", { class: report.fired === 0 ? "muted" : null },
            report.fired === 0 ? t("dict.never") : t("dict.count", { n: Number(report.fired) })))];
    }

    function versionSection(tag) {
        const versions = tags.of(tag)?.versions ?? [];
        if (versions.length === 0) return null;
        return section(t("cover.versions"), h("dl", { class: "facts" }, versions.map(({ version, count }) => [
            h("dt", null, version === null ? t("cover.noVersion") : foreign(version)),
            h("dd", null, t("dict.count", { n: Number(count) }))])));
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

    let drawn = null;
    return {
        main,
        side,
        show({ path, params: given }) {
            const isOther = selected !== (path[0] ?? null);
            query = given.q ?? "";
            const wasTable = isTable;
            isTable = given.view === "coverage";
            tableButton.setAttribute("aria-pressed", String(isTable));
            unseen.show(given.unseen ?? "");
            if (drawn === null || (isTable && !wasTable)) table.load().then(() => {
                if (isTable) drawTree();
                if (selected !== null && table.report(selected)) drawSide();
            });
            selected = path[0] ?? null;
            main.dataset.selected = String(selected !== null);
            if (document.activeElement !== search) search.value = query;
            tags.refresh();
            const strangers = undefinedTags(catalog, tags.all).length;
            const drawing = JSON.stringify([params(), strangers]);
            if (drawn !== drawing || isTable) {
                drawn = drawing;
                drawTree();
            } else drawCounts();
            if (isOther || !side.hasChildNodes()) drawSide();
        },
        move(step) {
            if (rows.length === 0) return;
            const current = rows.findIndex((row) => row.tag === selected);
            const next = Math.min(Math.max(current < 0 ? 0 : current + step, 0), rows.length - 1);
            const { element, tag } = rows[next];
            if (element) element.parentElement.open = true;
            go(tag, {}, true);
            (element ?? table.element.querySelector("[aria-selected=true]"))?.scrollIntoView({ block: "nearest" });
        },
        edge(isLast) {
            scrollToEdge(tree.hidden ? table.element : tree, isLast);
        },
        open() { if (selected === null) this.move(0); else side.focus(); },
        close() { if (selected !== null) go(null); },
        search() { search.focus(); search.select(); },
    };
}

function firstLine(markdown) { return markdown.trim().split("\n")[0].replaceAll("`", ""); }

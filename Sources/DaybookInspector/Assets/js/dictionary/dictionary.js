// @ts-check
// The dictionary: everything that is defined, seen or not, and what was seen but is not defined.

import { button, chip, enter, searchBox, searchField } from "../base/controls.js";
import { foreign, h, icon, replaceChildren } from "../base/dom.js";
import { ListScreen, scrollToEdge } from "../base/list-screen.js";
import { badge, fold, hint, notice, paneTop } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { searched, undefinedTags } from "../model/catalog.js";
import { openDefinitionCheck } from "./check-dialog.js";
import { CoverageTable } from "./coverage-table.js";
import { columnTable, definition, seenText, undefinedEvent, versionSection } from "./definition.js";
import { UnseenFilter } from "./unseen-filter.js";

/**
 * What is listed under one heading.
 * @typedef {object} Group
 * @property {string} name
 * @property {string} description
 * @property {(ListedEvent & { description?: string })[]} events
 * @property {boolean} isOwn whether the name is the page's own word and not a category's
 */

/** A listed event; in the tree with its entry and the place for its count.
 * @typedef {{ tag: string, entry?: { element: HTMLElement, seen: HTMLElement } }} ListRow */

const typingPause = 120;

/** @implements {PageScreen} */
export class Dictionary extends ListScreen {
    #query = "";
    #isTable = false;
    /** @type {Set<string>} folded categories; those without a name of their own under the empty one */
    #closed = new Set();
    /** @type {ListRow[]} all that is listed, in its order */
    #rows = [];
    /** @type {string | null} what the list was drawn for */
    #drawn = null;
    #search;
    #total = h("span", { class: "muted total" });
    #tableButton;
    #table;
    #unseen;

    /** @param {PageContext} context */
    constructor(context) {
        super(context, "dict", "dictionary", "detail");
        const { t, tags } = context;
        this.#unseen = new UnseenFilter(context, (unseen) => this.#change({ unseen }, true), () => this.#drawList());
        this.#table = new CoverageTable(context);
        this.#search = searchField(t("dict.search"), typingPause, (q) => this.#change({ q }, true));
        this.#tableButton = chip(t("cover.title"), () => this.#change({ view: this.#isTable ? null : "coverage" }));
        this.toolbar.replaceChildren(searchBox(this.#search), this.#total, this.#unseen.element, this.#tableButton,
            button("button define", [icon("paste"), h("span", { class: "wide" }, t("define.open"))],
                () => openDefinitionCheck(context), { title: t("define.open"), "aria-label": t("define.open") }));
        this.list.setAttribute("role", "tree");
        this.side.setAttribute("aria-label", t("detail.dictionary"));
        this.main.append(this.#table.element);
        tags.listen(() => { if (this.main.isConnected) this.#drawCounts(); });
    }

    // Going where the address says.

    /** @param {Route} route */
    show({ path, params }) {
        const { catalog, tags } = this.context;
        const isOther = this.select(path);
        const isTable = params.view === "coverage";
        const asksTable = this.#drawn === null || (isTable && !this.#isTable);
        this.#query = params.q ?? "";
        this.#isTable = isTable;
        this.#tableButton.setAttribute("aria-pressed", String(isTable));
        this.#unseen.show(params.unseen ?? "");
        if (asksTable) this.#loadTable();
        if (document.activeElement !== this.#search) this.#search.value = this.#query;
        tags.refresh();
        const drawing = JSON.stringify([this.params, undefinedTags(catalog, tags.all).length]);
        if (this.#drawn !== drawing || isTable) {
            this.#drawn = drawing;
            this.#drawList();
        } else this.#drawCounts();
        if (isOther || !this.side.hasChildNodes()) this.#drawSide();
    }

    async #loadTable() {
        await this.#table.load();
        if (this.#isTable) this.#drawList();
        if (this.selected !== null && this.#table.report(this.selected)) this.#drawSide();
    }

    /** @override */
    get params() {
        return { q: this.#query, unseen: this.#unseen.value, view: this.#isTable ? "coverage" : undefined };
    }

    /** @param {{ q?: string, unseen?: string | null, view?: string | null }} change */
    #change(change, replace = false) {
        this.context.navigate({ screen: "dict", path: this.selected === null ? [] : [this.selected],
            params: { ...this.params, ...change } }, { replace });
    }

    /** @param {string} tag */
    #linkTo(tag) { return formatRoute({ screen: "dict", path: [tag], params: this.params }); }

    // The list: a tree of categories, or a table.

    /** @returns {Group[]} */
    #groups() {
        const { t, catalog, tags } = this.context;
        const words = searched([this.#query]);
        const isNarrowed = this.#query !== "" || this.#unseen.value !== "";
        const found = catalog.search(this.#query)
            .map(({ category: { name, description }, events }) => ({ name, description, isOwn: false,
                events: events.filter(({ tag }) => this.#unseen.allows(tag)) }))
            .filter(({ events }) => events.length > 0 || !isNarrowed);
        const strangers = undefinedTags(catalog, tags.all)
            .filter(({ tag }) => searched([tag]).includes(words) && this.#unseen.allows(tag))
            .map(({ tag }) => ({ tag, name: tag, stranger: true }));
        return strangers.length === 0 ? found : [...found,
            { name: t("dict.undefined"), description: t("dict.undefinedHint"), isOwn: true, events: strangers }];
    }

    #drawList() {
        const groups = this.#groups();
        this.list.hidden = this.#isTable && groups.length > 0;
        this.#table.element.hidden = !this.list.hidden;
        if (this.list.hidden) {
            this.#rows = groups.flatMap(({ events }) => events).map(({ tag }) => ({ tag }));
            this.#table.draw(groups, (tag) => this.#linkTo(tag), this.selected);
        } else {
            this.#rows = [];
            const common = this.#common();
            replaceChildren(this.list, groups.length === 0 && !common ? this.#emptiness()
                : [...groups.map((group) => this.#group(group)), common]);
        }
        const n = groups.filter(({ isOwn }) => !isOwn).reduce((sum, { events }) => sum + events.length, 0);
        this.#total.textContent = this.context.t("dict.found", { n });
        this.#drawCounts();
    }

    /** The common parameters that match the search. */
    #common() {
        const { t, catalog } = this.context;
        const found = catalog.searchCommon(this.#query);
        return found.length === 0 ? null : fold(t("detail.common", { n: found.length }), columnTable(t, found), true);
    }

    #emptiness() {
        const { t, catalog } = this.context;
        if (!catalog.isEmpty) return notice(t("dict.nothing"), t("dict.nothingHint"));
        return notice(t("dict.empty"), t("dict.emptyHint"),
            h("pre", { class: "sample" }, "daybook serve --definitions LogDefinitions"));
    }

    /** @param {Group} group */
    #group({ name, description, events, isOwn }) {
        const key = isOwn ? "" : name;
        const toggled = () => {
            // A search opens its matches; that is not the user's choice.
            if (this.#query !== "") return;
            if (details.open) this.#closed.delete(key);
            else this.#closed.add(key);
        };
        const details = h("details", { class: "category", open: this.#query !== "" || !this.#closed.has(key),
            on: { toggle: toggled } },
        h("summary", null, isOwn ? h("span", null, name) : foreign(name, "tag"),
            h("span", { class: "muted count" }, String(events.length)),
            h("span", { class: "muted line" }, firstLine(description))),
        events.map((event) => this.#entry(event)));
        return details;
    }

    /** @param {Group["events"][number]} event */
    #entry(event) {
        const seen = h("span", { class: "seen" });
        const element = h("a", {
            class: "entry", role: "treeitem", href: this.#linkTo(event.tag),
            "data-obsolete": event.obsolete ? "true" : null,
        },
        foreign(event.name, "tag"),
        event.obsolete ? badge(this.context.t("dict.obsolete")) : null,
        h("span", { class: "muted line" }, firstLine(event.description ?? "")), seen);
        this.#rows.push({ tag: event.tag, entry: { element, seen } });
        return element;
    }

    /** The counts change while the list stays. */
    #drawCounts() {
        const { t, tags } = this.context;
        for (const { tag, entry } of this.#rows) {
            if (!entry) continue;
            const summary = tags.of(tag);
            const text = summary ? t("dict.count", { n: summary.count }) : t("dict.never");
            if (entry.seen.textContent !== text) entry.seen.textContent = text;
            entry.seen.dataset.never = String(!summary);
            entry.element.setAttribute("aria-selected", String(tag === this.selected));
        }
        const seen = this.side.querySelector("[data-seen]");
        if (seen && this.selected) replaceChildren(seen, seenText(this.context, this.selected));
        const versions = this.side.querySelector("[data-versions]");
        if (versions && this.selected) replaceChildren(versions, versionSection(this.context, this.selected));
    }

    // The chosen event.

    #drawSide() {
        const { t, catalog } = this.context;
        const { side } = this;
        const tag = this.selected;
        side.dataset.empty = String(tag === null);
        side.scrollTop = 0;
        if (tag === null) return replaceChildren(side, catalog.isEmpty ? null : hint(t("dict.hint")));
        const found = catalog.find(tag);
        const title = found
            ? h("span", { class: "kindline", "data-kind": "event" }, icon("event"), foreign(found.category.name))
            : t("dict.undefined");
        replaceChildren(side, paneTop(t, title, () => this.go(null)),
            found ? definition(this.context, found, this.#table.report(tag)) : undefinedEvent(this.context, tag));
    }

    // Keys.

    /** @override */
    get ids() { return this.#rows.map(({ tag }) => tag); }

    /** @override @param {string} tag */
    choose(tag) {
        const element = this.#rows.find((row) => row.tag === tag)?.entry?.element;
        const category = element?.closest("details");
        if (category) category.open = true;
        this.go(tag, true);
        (element ?? this.#table.element.querySelector("[aria-selected=true]"))?.scrollIntoView({ block: "nearest" });
    }

    /** @override @param {boolean} isLast */
    edge(isLast) { scrollToEdge(this.list.hidden ? this.#table.element : this.list, isLast); }

    search() { enter(this.#search); }
}

/** @param {string} markdown */
function firstLine(markdown) { return markdown.trim().split("\n")[0].replaceAll("`", ""); }

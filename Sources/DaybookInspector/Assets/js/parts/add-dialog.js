// @ts-check
// Puts an event on a checklist: into its file where the server may write it, else as text to copy or to save.

import { ApiError, call, messageOf } from "../base/api.js";
import { copyText, saveFile } from "../base/bridge.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { closeButton, labelled, openDialog, textButton } from "../base/pane.js";
import { formatRoute } from "../base/route.js";

/** @typedef {{ checklist: Checklist, scenario: Scenario }} ItemPlace */

/**
 * @param {PageContext} context
 * @param {string} tag
 */
export async function openAddDialog({ t }, tag) {
    try {
        const { checklists } = await call("checklists");
        new AddDialog(t, tag, checklists, "").open();
    } catch (error) {
        new AddDialog(t, tag, [], messageOf(error)).open();
    }
}

class AddDialog {
    /**
     * The scenarios that can take an item.
     * @type {ItemPlace[]}
     */
    #places;
    #place;
    #item;
    #buttons = h("div", { class: "line" });
    #done = h("p", { class: "sound", role: "status" });
    #failure;

    /**
     * @param {Translate} t
     * @param {string} tag
     * @param {Checklist[]} checklists
     * @param {string} failure
     */
    constructor(t, tag, checklists, failure) {
        this.t = t;
        this.tag = tag;
        this.#places = checklists.flatMap((checklist) => checklist.scenarios.map((scenario) => ({ checklist, scenario })));
        this.#place = h("select", { class: "field", on: { change: () => this.#draw() } },
            this.#places.map(({ checklist, scenario }, index) => h("option", { value: String(index) },
                checklist.scenarios.length > 1 ? `${checklist.title} / ${scenario.title}` : checklist.title)));
        this.#item = h("input", { class: "field code", value: tag, spellcheck: "false", autocapitalize: "off",
            autocomplete: "off" });
        this.#failure = h("p", { class: "wrong", role: "alert" }, failure);
    }

    open() {
        const { t } = this;
        this.#draw();
        openDialog("run", t("add.title"), [h("p", { class: "muted" }, t("add.hint")),
            h("form", { class: "fields", method: "dialog", on: { submit: (event) => {
                event.preventDefault();
                const place = this.#chosen;
                if (place?.checklist.writable) this.#add(place);
                else this.#copy();
            } } }, this.#places.length > 0 ? labelled(t("add.place"), this.#place) : null,
            labelled(t("add.item"), this.#item), this.#failure, this.#done, this.#buttons)]);
        this.#item.focus();
    }

    /** @returns {ItemPlace | undefined} */
    get #chosen() { return this.#places[Number(this.#place.value)]; }

    get #line() { return `- [ ] ${this.#item.value.trim()}\n`; }

    #draw() {
        const { t } = this;
        const isWritable = this.#chosen?.checklist.writable === true;
        replaceChildren(this.#buttons, h("span", { class: "gap" }), closeButton(t),
            isWritable ? textButton(t("add.copy"), () => this.#copy()) : textButton(t("add.save"), () => this.#save()),
            h("button", { class: "button primary" }, t(isWritable ? "add.add" : "add.copy")));
    }

    /** @param {ItemPlace} place */
    async #add({ checklist, scenario }) {
        try {
            const { file, version } = await call(`checklists/${encodeURIComponent(checklist.id)}/items`, {
                body: { scenario: scenario.id, item: this.#item.value.trim(), version: checklist.version } });
            checklist.version = version;
            this.#failure.textContent = "";
            const undo = textButton(this.t("add.undo"), () => this.#undo(checklist));
            const link = h("a", { href: formatRoute({ screen: "check", path: [checklist.id, scenario.id] }),
                on: { click() { link.closest("dialog")?.close(); } } }, foreign(file));
            replaceChildren(this.#done, this.t("add.done"), " ", link, " ", undo);
        } catch (error) {
            [this.#failure.textContent, this.#done.textContent] = [messageOf(error), ""];
            if (error instanceof ApiError && error.code === "conflict") await this.#lookAgain();
        }
    }

    /** Somebody else has changed the file: what is added next goes to what it says now. */
    async #lookAgain() {
        const { checklists } = await call("checklists").catch(() => ({ checklists: /** @type {Checklist[]} */ ([]) }));
        for (const { checklist } of this.#places) {
            checklist.version = checklists.find(({ id }) => id === checklist.id)?.version ?? checklist.version;
        }
        this.#failure.textContent += ` ${this.t("add.again")}`;
    }

    /** @param {Checklist} checklist */
    async #undo(checklist) {
        try {
            const { file, version } = await call(`checklists/${encodeURIComponent(checklist.id)}/items/undo`, {
                body: { version: checklist.version } });
            checklist.version = version;
            [this.#failure.textContent, this.#done.textContent] = ["", `${this.t("add.undone")} ${file}`];
        } catch (error) {
            this.#failure.textContent = messageOf(error);
        }
    }

    async #copy() {
        await copyText(this.#line);
        this.#done.textContent = this.t("copy.done");
    }

    /** The checklist of this one item, to be sent to whoever keeps the files. */
    #save() {
        const place = this.#chosen;
        const heading = place ? `# ${place.checklist.title}\n\n## ${place.scenario.title}\n` : `# ${this.tag}\n`;
        saveFile(`${place?.checklist.id ?? this.tag}.md`, "text/markdown", `${heading}\n${this.#line}`);
    }
}

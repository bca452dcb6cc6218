// @ts-check
// Edits a checklist: its text, and a list to reorder, add and remove items, checked by the engine's parser. Saves to
// the team's folder if the server may, otherwise as a file.

import { ApiError, call, messageOf } from "../base/api.js";
import { copyText, saveFile } from "../base/bridge.js";
import { labelled, primaryButton, textButton, verbatim } from "../base/controls.js";
import { closeButton, openDialog } from "../base/dialog.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { diagnosticList, isSound } from "../parts/diagnostics.js";
import { added, emptyText, fileName, moved, nameOf, newHeading, removed, withHeading } from "./draft.js";
import { ItemList } from "./item-list.js";

const pause = 250;
const mostSteps = 200;
/** Looks like an item; the parser decides. */
const hasItem = /^\s*(?:[-*+]|\d+[.)])\s+\[[ xX]\]\s/m;

/** Unsaved texts of closed editors, by checklist.
 * @type {Map<string | null, { markdown: string, version: string | null, name: string }>} */
const drafts = new Map();

/** @param {PageContext} context @param {string | null} id of the checklist; null for a new one
 * @param {(id: string) => unknown} saved */
export async function openEditor(context, id, saved) {
    try {
        const source = id === null ? { markdown: emptyText(), version: null, writable: true, file: "" }
            : await call(`checklists/${encodeURIComponent(id)}/source`);
        new Editor(context, id, source, saved).open();
    } catch (error) {
        context.announce(messageOf(error));
    }
}

class Editor {
    /** @type {OutlineScenario[]} */
    #scenarios = [];
    /** @type {string[]} */
    #steps = [];
    /** @type {number | undefined} */
    #timer;
    #asked = 0;
    #canWrite;
    #version;
    #saved;
    #name;
    /** The heading that a new checklist got from its name. */
    #heading;
    #text;
    #list;
    #events = h("datalist", { id: "editor-events" });
    #findings = h("div", { class: "findings", role: "status" });
    #message = h("div", { class: "saved", role: "alert" });
    #buttons = h("div", { class: "line" });

    /** @param {PageContext} context @param {string | null} id @param {EditedSource} source
     * @param {(id: string) => unknown} saved */
    constructor(context, id, source, saved) {
        const { t } = context;
        const draft = drafts.get(id);
        this.context = context;
        this.id = id;
        this.source = source;
        this.done = saved;
        this.#canWrite = source.writable;
        this.#version = draft?.version ?? source.version;
        this.#saved = source.markdown;
        this.#name = h("input", { class: "field", value: draft?.name ?? "", ...verbatim, placeholder: "feed_release",
            on: { input: () => this.#nameHeading() } });
        this.#heading = draft?.name ? fileName(draft.name) : newHeading;
        this.#text = h("textarea", { class: "field editor", rows: "14", spellcheck: "false", autocapitalize: "off",
            "aria-label": t("edit.text"), on: { input: () => {
                clearTimeout(this.#timer);
                this.#timer = setTimeout(() => this.#check(), pause);
            } } });
        this.#text.value = draft?.markdown ?? source.markdown;
        this.#list = new ItemList(t, {
            move: (from, to) => this.#change(moved(this.#text.value, this.#scenarios, from, to)),
            remove: (position) => this.#change(removed(this.#text.value, this.#scenarios, position)),
            add: (scenario, item) => this.#change(added(this.#text.value, this.#scenarios, scenario, item)),
        });
    }

    open() {
        const { t, catalog, tags } = this.context;
        const names = new Set([...catalog.events.keys(), ...tags.all.filter(({ kind }) => kind === "event")
            .map(({ tag }) => tag)]);
        replaceChildren(this.#events, [...names].sort().map((tag) => h("option", { value: tag })));
        /** @type {HTMLInputElement} */
        const picker = h("input", { type: "file", accept: ".md,text/markdown,text/plain", class: "unseen",
            tabindex: "-1", "aria-hidden": "true", on: { change: () => this.#openFile(picker.files?.[0]) } });
        openDialog("export checkeditor", t(this.#isNew ? "edit.new" : "edit.title"), [
            this.#isNew ? labelled(t("edit.name"), this.#name)
                : h("p", { class: "muted source" }, foreign(this.source.file)),
            h("div", { class: "line drafttools" },
                textButton(t("edit.openFile"), () => picker.click()), picker,
                textButton(t("edit.paste"), () => this.#paste()),
                textButton(t("edit.undo"), () => this.#undo())),
            h("div", { class: "halves" }, this.#list.element, this.#text), this.#events,
            this.#findings, this.#message, this.#buttons,
        ], () => this.#keep());
        this.#drawButtons();
        if (drafts.has(this.id)) {
            replaceChildren(this.#message, h("p", null, t("edit.draft"), " ",
                textButton(t("edit.discard"), () => this.#discard())));
        }
        // Not the text: on a phone the keyboard would cover half of it.
        if (this.#isNew) this.#name.focus();
        if (tags.all.length === 0) tags.load().catch(() => {});
        this.#check();
    }

    get #isNew() { return this.id === null; }

    /** The file's name; for a new checklist the entered name, otherwise its heading. */
    get #fileName() {
        return this.id ?? (fileName(this.#name.value) || nameOf(this.#text.value));
    }

    /** The heading of a new checklist follows its name until somebody changes it. */
    #nameHeading() {
        const heading = fileName(this.#name.value) || newHeading;
        this.#text.value = withHeading(this.#text.value, this.#heading, heading);
        // No new check: items keep their lines, and so does text being entered in the list.
        this.#heading = heading;
    }

    #drawButtons() {
        const { t } = this.context;
        const save = () => saveFile(`${this.#fileName}.md`, "text/markdown", this.#text.value);
        replaceChildren(this.#buttons, closeButton(t), h("span", { class: "gap" }),
            textButton(t("copy.sql"), () => copyText(this.#text.value)),
            this.#canWrite ? textButton(t("add.save"), save) : null,
            primaryButton(t(this.#canWrite ? "edit.save" : "add.save"),
                () => (this.#canWrite ? this.#save() : save())));
    }

    // The text.

    /** @param {string} markdown */
    #change(markdown) {
        if (markdown === this.#text.value) return;
        this.#steps.push(this.#text.value);
        if (this.#steps.length > mostSteps) this.#steps.shift();
        this.#text.value = markdown;
        clearTimeout(this.#timer);
        return this.#check();
    }

    #undo() {
        const before = this.#steps.pop();
        if (before === undefined) return;
        this.#text.value = before;
        this.#check();
    }

    #discard() {
        this.#change(this.source.markdown);
        this.#version = this.source.version;
        replaceChildren(this.#message);
    }

    #keep() {
        clearTimeout(this.#timer);
        const markdown = this.#text.value;
        if (markdown === this.#saved) drafts.delete(this.id);
        else drafts.set(this.id, { markdown, version: this.#version, name: this.#name.value });
    }

    async #paste() {
        try {
            this.#change(await navigator.clipboard.readText());
        } catch {
            // Without permission to read the clipboard, the user pastes.
            this.#text.focus();
            this.#text.select();
            this.context.announce(this.context.t("edit.pasteHere"));
        }
    }

    /** @param {File | undefined} file */
    async #openFile(file) {
        if (!file) return;
        const markdown = await file.text();
        if (this.#isNew && this.#name.value.trim() === "") this.#name.value = fileName(file.name);
        this.#change(markdown);
    }

    async #check() {
        const { t } = this.context;
        const own = this.#asked += 1;
        const markdown = this.#text.value;
        try {
            const { diagnostics, scenarios, folder } = await call("checklists/check", {
                body: { name: `${this.#fileName}.md`, markdown } });
            if (own !== this.#asked) return;
            this.#scenarios = scenarios;
            if (this.#isNew && this.#canWrite !== folder) {
                this.#canWrite = folder;
                this.#drawButtons();
            }
            const canRead = isSound(diagnostics);
            const items = scenarios.reduce((sum, { items: some }) => sum + some.length, 0);
            // An untouched new checklist is not an error.
            const isUntouched = this.#isNew && withHeading(markdown, this.#heading, newHeading) === emptyText();
            replaceChildren(this.#findings, isUntouched ? null : h("p", { class: canRead ? "sound" : "wrong" },
                canRead ? t("edit.sound", { items }) : t("edit.unsound")),
            isUntouched ? null : diagnosticList(t, diagnostics, this.#text));
            this.#list.draw(canRead ? scenarios : hasItem.test(markdown) ? null : []);
        } catch (error) {
            if (own === this.#asked) replaceChildren(this.#findings, h("p", { class: "wrong" }, messageOf(error)));
        }
    }

    // The file.

    async #save() {
        const { t } = this.context;
        const markdown = this.#text.value;
        if (this.#isNew && this.#name.value.trim() === "") this.#name.value = this.#fileName;
        try {
            const { id, file, version } = await call(`checklists/${encodeURIComponent(this.#fileName)}/source`, {
                body: { markdown, version: this.#version } });
            drafts.delete(this.id);
            [this.#saved, this.#version, this.id, this.source] = [markdown, version, id,
                { ...this.source, markdown, version, file }];
            replaceChildren(this.#message, h("p", { class: "sound" }, `${t("edit.saved")} `, foreign(file), " ",
                textButton(t("add.undo"), () => this.#tell(() => this.#takeBack(id)))));
            this.#name.disabled = true;
            this.done(id);
        } catch (error) {
            const isConflict = error instanceof ApiError && error.code === "conflict";
            replaceChildren(this.#message, h("p", { class: "wrong" }, messageOf(error)),
                isConflict && !this.#isNew ? h("div", { class: "line" },
                    textButton(t("edit.copyMine"), () => copyText(markdown)),
                    textButton(t("edit.theirs"), () => this.#tell(() => this.#loadTheirs()))) : null);
        }
    }

    /** Loads the file's current text; Undo brings back one's own. */
    async #loadTheirs() {
        const source = await call(`checklists/${encodeURIComponent(this.#fileName)}/source`);
        [this.source, this.#version, this.#saved] = [source, source.version, source.markdown];
        this.#change(source.markdown);
        return h("p", null, this.context.t("edit.loaded"));
    }

    /** @param {string} id */
    async #takeBack(id) {
        const { file } = await call(`checklists/${encodeURIComponent(id)}/items/undo`,
            { body: { version: this.#version } });
        const source = await call(`checklists/${encodeURIComponent(id)}/source`).catch(() => null);
        // A new checklist is gone; its text stays here.
        this.#version = source?.version ?? null;
        this.#saved = source?.markdown ?? "";
        if (source) this.#change(source.markdown);
        this.done(id);
        return h("p", { class: "sound" }, `${this.context.t("add.undone")} `, foreign(file));
    }

    /** Shows what became of a request.
     * @param {() => Promise<Child>} work */
    async #tell(work) {
        const words = await work().catch((error) => h("p", { class: "wrong" }, messageOf(error)));
        replaceChildren(this.#message, words);
    }
}

// @ts-check
// The help: every key, the language, and this browser's two switches.

import { checked } from "./base/controls.js";
import { closeButton, showDialog } from "./base/dialog.js";
import { h, icon } from "./base/dom.js";
import { languages } from "./base/i18n.js";
import { isBlurred, storage, toggleBlur } from "./base/storage.js";

const keys = [
    ["?", "help.help"], ["/", "help.search"], ["g h", "screen.history"], ["g t", "screen.timeline"],
    ["g v", "screen.violations"], ["g n", "screen.net"], ["g d", "screen.dict"], ["g c", "screen.check"],
    ["g s", "screen.sessions"], ["g q", "screen.sql"], ["g i", "screen.insights"], ["g b", "screen.boards"],
    ["g r", "screen.releases"], ["g a", "screen.alerts"], ["j · k", "help.move"], ["Home · End", "help.ends"],
    ["Enter · Esc", "help.open"], ["e · E", "help.errors"], ["f · x", "help.filter"], ["c", "help.copy"],
    ["m", "help.mark"], ["b", "help.blur"], ["Space", "help.pause"], ["+ · −", "help.zoom"], ["← · →", "help.pan"],
    ["0", "help.fit"], ["Ctrl Enter", "help.run"],
];

export function areKeysOn() { return storage.get("keys") !== "off"; }

export class Help {
    #blur = h("input", { type: "checkbox", on: { change: toggleBlur } });
    #keys = h("input", { type: "checkbox", on: { change: () => {
        storage.set("keys", this.#keys.checked ? null : "off");
    } } });

    /** @param {PageContext} context @param {HTMLElement[]} links lead to the screens that a phone has no tab for */
    constructor(context, links) {
        const { t } = context;
        const close = closeButton(t);
        close.autofocus = true;
        this.element = h("dialog", { class: "help sheet", "aria-label": t("help.title"),
            on: { click: (event) => { if (event.target === this.element) this.element.close(); } } },
        h("nav", { class: "morelinks", "aria-label": t("nav.screens"), on: { click: () => { this.close(); } } }, links),
        h("h2", null, t("help.title")),
        h("dl", { class: "facts keys" }, keys.map(([key, text]) => [
            h("dt", null, key.split(" · ").map((part, index) => [index > 0 && " ", h("kbd", null, part)])),
            h("dd", null, t(text)),
        ])),
        h("p", { class: "muted" }, t("help.fields")),
        h("div", { class: "checks" }, checked(this.#keys, t("help.keysOn")), checked(this.#blur, t("help.blurred"))),
        h("div", { class: "line" }, languagePicker(context), close));
    }

    get isOpen() { return this.element.open; }

    showModal() {
        this.#blur.checked = isBlurred();
        this.#keys.checked = areKeysOn();
        showDialog(this.element);
    }

    close() { this.element.close(); }
}

/** The address restores everything, so that reloading in another language loses nothing.
 * @param {PageContext} context */
export function languagePicker({ t, language }) {
    const picker = h("select", { class: "field", "aria-label": t("nav.language"),
        on: { change() { storage.set("language", picker.value); location.reload(); } } },
    Object.entries(languages).map(([code, name]) =>
        h("option", { value: code, selected: code === language, lang: code }, name)));
    return h("label", { class: "language" }, icon("language"), picker);
}

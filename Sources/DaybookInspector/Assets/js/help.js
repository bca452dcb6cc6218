// The help: every key, the language, and the two switches of this browser.

import { applyBlur, isBlurred, toggleBlur } from "./base/blur.js";
import { h, icon } from "./base/dom.js";
import { languages } from "./base/i18n.js";
import { storage } from "./base/storage.js";

const keys = [
    ["?", "help.help"], ["/", "help.search"], ["g h", "screen.history"], ["g t", "screen.timeline"],
    ["g v", "screen.violations"], ["g n", "screen.net"], ["g d", "screen.dict"], ["g c", "screen.check"],
    ["g s", "screen.sessions"], ["g q", "screen.sql"], ["g a", "screen.alerts"], ["j · k", "help.move"], ["Home · End", "help.ends"],
    ["Enter · Esc", "help.open"], ["e · E", "help.errors"], ["f · x", "help.filter"], ["c", "help.copy"],
    ["m", "help.mark"], ["b", "help.blur"], ["Space", "help.pause"], ["+ · −", "help.zoom"], ["← · →", "help.pan"],
    ["0", "help.fit"], ["Ctrl Enter", "help.run"],
];

export function areKeysOn() { return storage.get("keys") !== "off"; }

/** `links` lead to the screens that a phone has no tab for. */
export function createHelp({ t, language }, links) {
    const box = (isOn, words, change) => h("label", { class: "check" }, h("input", { type: "checkbox", checked: isOn,
        on: { change } }), h("span", null, words));
    const blur = box(isBlurred(), t("help.blurred"), () => applyBlur(toggleBlur()));
    const dialog = h("dialog", { class: "help sheet", "aria-label": t("help.title"),
        on: { click: (event) => { if (event.target === dialog) dialog.close(); } } },
    h("nav", { class: "morelinks", "aria-label": t("nav.screens"), on: { click: () => dialog.close() } }, links),
    h("h2", null, t("help.title")),
    h("dl", { class: "facts keys" }, keys.map(([key, text]) => [
        h("dt", null, key.split(" · ").map((part, index) => [index > 0 && " ", h("kbd", null, part)])),
        h("dd", null, t(text)),
    ])),
    h("p", { class: "muted" }, t("help.fields")),
    h("div", { class: "checks" },
        box(areKeysOn(), t("help.keysOn"), (event) => storage.set("keys", event.target.checked ? null : "off")), blur),
    h("div", { class: "line" }, languagePicker({ t, language }),
        h("button", { class: "button", type: "button", autofocus: true, on: { click: () => dialog.close() } },
            t("detail.close"))));
    return {
        element: dialog,
        get open() { return dialog.open; },
        showModal() {
            blur.querySelector("input").checked = isBlurred();
            dialog.showModal();
        },
        close: () => dialog.close(),
    };
}

/** The address holds all that is shown, so that starting over in another language loses nothing. */
export function languagePicker({ t, language }) {
    const picker = h("select", { class: "field", "aria-label": t("nav.language"),
        on: { change: () => { storage.set("language", picker.value); location.reload(); } } },
    Object.entries(languages).map(([code, name]) =>
        h("option", { value: code, selected: code === language, lang: code }, name)));
    return h("label", { class: "language" }, icon("language"), picker);
}

// @ts-check
// Buttons, links and fields.

import { h, icon } from "./dom.js";

/** @param {string} name its class
 * @param {Child} content @param {(event: MouseEvent) => unknown} click @param {Properties} [properties] */
export function button(name, content, click, properties) {
    return h("button", { class: name, type: "button", ...properties, on: { click } }, content);
}

/** @param {string} words @param {() => unknown} click @param {string} [title] */
export function textButton(words, click, title) { return button("button", words, click, { title }); }

/** @param {Child} content @param {() => unknown} click @param {Properties} [properties] */
export function quietButton(content, click, properties) { return button("button quiet", content, click, properties); }

/** @param {string} picture @param {string} words @param {() => unknown} click */
export function pictureButton(picture, words, click) {
    return quietButton([icon(picture), h("span", null, words)], click);
}

/** @param {string} words @param {() => unknown} click */
export function primaryButton(words, click) { return button("button primary", words, click); }

/** @param {string} name @param {string} label @param {Child} content @param {() => unknown} click
 * @param {Properties} [properties] */
export function iconButton(name, label, content, click, properties) {
    return button(`button icononly ${name}`, content, click, { "aria-label": label, title: label, ...properties });
}

/** A button that is on or off.
 * @param {Child} content @param {() => unknown} click @param {Properties} [properties] */
export function chip(content, click, properties) {
    return button("chip plain", content, click, { "aria-pressed": "false", ...properties });
}

/** Sets which of some chips are on.
 * @param {HTMLElement[]} chips @param {(chip: HTMLElement) => boolean} isOn */
export function press(chips, isOn) { for (const one of chips) one.setAttribute("aria-pressed", String(isOn(one))); }

/** A link that looks like a quiet button.
 * @param {string} picture @param {string} words @param {string} href */
export function linkButton(picture, words, href) {
    return h("a", { class: "button quiet", href }, icon(picture), h("span", null, words));
}

/** A field under its name.
 * @param {Child} words @param {Child} field */
export function labelled(words, field) {
    return h("label", { class: "labelled" }, h("span", { class: "muted" }, words), field);
}

/** A checkbox before its words.
 * @param {HTMLInputElement} box @param {string} words */
export function checked(box, words) { return h("label", { class: "check" }, box, h("span", null, words)); }

/** For fields that take names and code: no corrections. */
export const verbatim = { spellcheck: "false", autocapitalize: "off", autocomplete: "off" };

/** A search field; `typed` is called `pause` milliseconds after the last key.
 * @param {string} words @param {number} pause @param {(text: string) => unknown} typed */
export function searchField(words, pause, typed) {
    let timer = 0;
    const field = h("input", { class: "field", type: "search", placeholder: words, "aria-label": words,
        autocomplete: "off", spellcheck: "false", on: { input() {
            clearTimeout(timer);
            timer = setTimeout(() => typed(field.value.trim()), pause);
        } } });
    return field;
}

/** @param {HTMLElement} field @param {...Child} more */
export function searchBox(field, ...more) { return h("div", { class: "searchbox" }, icon("search"), field, more); }

/** @param {readonly (readonly string[])[]} options values with their words
 * @param {string | null} chosen @param {(value: string) => unknown} [choose] @param {Properties} [properties] */
export function choiceField(options, chosen, choose, properties) {
    const field = h("select", { class: "field", ...properties, on: { change() { choose?.(field.value); } } },
        options.map(([value, words]) => h("option", { value, selected: value === chosen }, words)));
    return field;
}

/** Puts the cursor into a search field, over what stands there.
 * @param {HTMLInputElement} field */
export function enter(field) {
    field.focus();
    field.select();
}

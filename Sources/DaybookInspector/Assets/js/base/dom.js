// @ts-check
// Elements from data. Text only enters as text nodes: nothing here parses markup.

import { copyText } from "./bridge.js";

const svgSpace = "http://www.w3.org/2000/svg";

/** An element. `properties` are `class`, `on` (listeners by event) and attributes; null, undefined and false are left
 * out, among the children too.
 * @template {keyof HTMLElementTagNameMap} Name @param {Name} name @param {Properties | null} [properties]
 * @param {...Child} children @returns {HTMLElementTagNameMap[Name]} */
export function h(name, properties, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(properties ?? {})) {
        if (value === null || value === undefined || value === false) continue;
        if (typeof value === "object") {
            for (const [event, listener] of Object.entries(value)) {
                element.addEventListener(event, /** @type {EventListener} */ (listener));
            }
        } else if (key === "class") element.className = String(value);
        else element.setAttribute(key, value === true ? "" : value);
    }
    append(element, children);
    return element;
}

/** @param {Element} element @param {Child[]} children */
function append(element, children) {
    for (const child of children) {
        if (child === null || child === undefined || child === false) continue;
        if (Array.isArray(child)) append(element, child);
        else element.append(typeof child === "number" ? String(child) : child);
    }
}

/** Replaces an element's children and restores the focus: to the same item or address, else to the control with the
 * same label in the same place, else to the only one with that label; otherwise the focus is dropped. Applies to
 * controls that get the focus back later, too.
 * @param {Element} element @param {...Child} children */
export function replaceChildren(element, ...children) {
    const focused = placeWithin(element, document.activeElement);
    const waiting = [...waitingForFocus].map((one) => ({ one, place: placeWithin(element, one.control) }));
    element.replaceChildren();
    append(element, children);
    focused?.control()?.focus({ preventScroll: true });
    for (const { one, place } of waiting) one.control = place?.control() ?? one.control;
}

/** @type {Set<{ control: Element | null }>} */
const waitingForFocus = new Set();

/** Remembers the focus while a dialog has it. The result gives it back, to what has been drawn in that place since,
 * unless something else took it. */
export function holdFocus() {
    const one = { control: document.activeElement };
    waitingForFocus.add(one);
    return () => {
        waitingForFocus.delete(one);
        if (document.activeElement === document.body && one.control instanceof HTMLElement) {
            one.control.focus({ preventScroll: true });
        }
    };
}

const focusable = "a[href], button, input, select, textarea, summary, [tabindex]";

/** Finds the control, or its successor, once the element has been redrawn.
 * @param {Element} element @param {Element | null} control */
function placeWithin(element, control) {
    if (!control || control === element || !element.contains(control)) return null;
    const all = () => /** @type {HTMLElement[]} */ ([...element.querySelectorAll(focusable)]);
    const key = (/** @type {Element} */ one) =>
        one.closest("[data-item]")?.getAttribute("data-item") ?? one.getAttribute("href");
    const [known, label, name] = [key(control), labelOf(control), control.tagName];
    const place = all().findIndex((one) => one === control);
    return { control() {
        const now = all();
        const isAlike = (/** @type {Element | undefined} */ one) => one?.tagName === name && labelOf(one) === label;
        const only = (/** @type {HTMLElement[]} */ some) => (some.length === 1 ? some[0] : null);
        const same = known ? now.filter((one) => one.tagName === name && key(one) === known) : [];
        return same.find(isAlike) ?? only(same) ?? (isAlike(now[place]) ? now[place] : only(now.filter(isAlike)));
    } };
}

/** A control's name, whatever its value: two with the same name do the same, so that repeating a key is safe.
 * @param {Element} control */
function labelOf(control) {
    const label = control.getAttribute("aria-label");
    if (label !== null) return label;
    if (/^(A|BUTTON|SUMMARY)$/.test(control.tagName)) return control.textContent;
    return control.getAttribute("name") ?? control.closest("label")?.firstChild?.textContent ?? control.className;
}

/** Text from outside, isolated so that its direction cannot reorder what is beside it.
 * @param {unknown} text @param {string} [className] */
export function foreign(text, className) {
    return h("bdi", { class: className }, String(text));
}

/** A name or path that may wrap after each part.
 * @param {string} text */
export function breakable(text) {
    return text.split(/(?<=[/_])(?![/_])/).flatMap((part, index) => (index > 0 ? [h("wbr"), part] : [part]));
}

/** @type {Record<string, string>} */
const shapes = {
    message: "M3 3.5h10v7H7.5L4.5 13v-2.5H3z",
    error: "M8 2.2 14.3 13.3H1.7zM8 6.4v3.2M8 11.4v.2",
    event: "M8.8 1.8 3.6 9h3.6l-.8 5.2L12.4 7H8.6z",
    span: "M2.5 4.5v7M13.5 4.5v7M2.5 8h11M10.8 5.6 13.2 8l-2.4 2.4",
    request: "M2.5 5.8h9.5M9.6 3.2 12.3 5.8 9.6 8.4M13.5 10.2H4M6.4 7.8 3.7 10.4l2.7 2.6",
    run: "M4 14V2.5h8.5l-2.2 3.2 2.2 3.3H4",
    history: "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M8 4.8V8l2.3 1.7",
    dict: "M3 3h4a1.5 1.5 0 0 1 1 .6A1.5 1.5 0 0 1 9 3h4v9.4H9.2L8 13.4l-1.2-1H3zM8 3.8v9",
    check: "M2.5 8.4 6 12l7.5-8",
    sql: "M3 4c0-1 2.2-1.8 5-1.8s5 .8 5 1.8v8c0 1-2.2 1.8-5 1.8S3 13 3 12zM3 4c0 1 2.2 1.8 5 1.8S13 5 13 4M3 8c0 1 2.2 1.8 5 1.8S13 9 13 8",
    insights: "M2.5 3h11L10 7.2v5.3L6 13.5V7.2z",
    search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10.3 10.3l3.4 3.4",
    close: "M3.8 3.8l8.4 8.4M12.2 3.8l-8.4 8.4",
    back: "M9.8 3 4.8 8l5 5",
    copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
    pause: "M5.5 3.5v9M10.5 3.5v9",
    up: "M8 13V3.5M3.8 7.6 8 3.4l4.2 4.2",
    help: "M5.8 6a2.2 2.2 0 1 1 3.3 1.9c-.8.5-1.1.9-1.1 1.8M8 12.2v.2",
    net: "M2.5 4h11M5 8h8.5M2.5 12h7",
    clock: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 4.8V8l2.3 1.6",
    timeline: "M2.5 3.5h5M5 6.5h6.5M3.5 9.5h4M8 12.5h5.5",
    sessions: "M5 2h6a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V3a1 1 0 0 1 1-1M7 12h2",
    alerts: "M8 2.2c-2.4 0-3.8 1.8-3.8 4 0 3.6-1.4 4.8-1.4 4.8h10.4s-1.4-1.2-1.4-4.8c0-2.2-1.4-4-3.8-4M6.8 13.2a1.3 1.3 0 0 0 2.4 0",
    boards: "M2.5 2.5h4.7v6H2.5zM8.8 2.5h4.7v3.4H8.8zM2.5 10.1h4.7v3.4H2.5zM8.8 7.5h4.7v6H8.8z",
    releases: "M3 8.2 8.2 3H13v4.8L7.8 13zM10.6 5.4h.01",
    filter: "M2.5 3.5h11L9.5 8.4v4.6l-3-1.6v-3z",
    link: "M6.5 9.5l3-3M7 4.8 8.6 3.2a2.6 2.6 0 0 1 3.7 3.7L10.7 8.5M9 11.2l-1.6 1.6a2.6 2.6 0 0 1-3.7-3.7L5.3 7.5",
    paste: "M5.5 3.5h-2v10h9v-10h-2M5.8 2.3h4.4v2.6H5.8zM6 8.2h4M6 10.7h4",
    more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
    share: "M8 10V2.4M5.2 5 8 2.2 10.8 5M3.5 8.5v5h9v-5",
    language: "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M2.2 8h11.6M8 2.2c2.4 2.4 2.4 9.2 0 11.6M8 2.2c-2.4 2.4-2.4 9.2 0 11.6",
};

/** A 16-unit line drawing, hidden from screen readers: there is always a word beside it.
 * @param {string} name */
export function icon(name) {
    const drawing = picture("0 0 16 16", shapes[name]);
    drawing.setAttribute("class", "icon");
    return drawing;
}

/** @param {string} box @param {string} shape */
export function picture(box, shape) {
    return svg("svg", { viewBox: box, "aria-hidden": "true" }, svg("path", { d: shape }));
}

/** An SVG element; null attributes are left out.
 * @param {string} name @param {Record<string, string | number | null>} attributes
 * @param {...(Node | string)} children */
export function svg(name, attributes, ...children) {
    const element = /** @type {SVGElement} */ (document.createElementNS(svgSpace, name));
    for (const [key, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(key, String(value));
    element.append(...children);
    return element;
}

/** Markdown as paragraphs; only code spans are rendered.
 * @param {string} markdown */
export function prose(markdown) {
    return markdown
        .split(/\n\s*\n/)
        .filter((paragraph) => paragraph.trim() !== "")
        .map((paragraph) => h("p", { class: "prose" }, codeSpans(paragraph.trim())));
}

/** @param {string} text */
export function codeSpans(text) {
    return text.split("`").map((part, index) =>
        part === "" ? null : index % 2 === 1 ? h("code", null, foreign(part)) : foreign(part));
}

/** A button that copies and confirms for 3 seconds. `text` is called when it is pressed.
 * @param {string} label @param {string} copied @param {() => string} text */
export function copyButton(label, copied, text) {
    const words = h("span", null, label);
    /** @type {number | undefined} */
    let timer;
    return h("button", {
        class: "button quiet", type: "button",
        on: {
            click: async () => {
                await copyText(text());
                words.textContent = copied;
                clearTimeout(timer);
                timer = setTimeout(() => { words.textContent = label; }, 3000);
            },
        },
    }, icon("copy"), words);
}

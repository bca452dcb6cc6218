// @ts-check
// Places that fill themselves with what they ask for.

import { messageOf } from "../base/api.js";
import { h, replaceChildren } from "../base/dom.js";
import { fold } from "../base/pane.js";

/** Fills a place, if it is still wanted by then.
 * @param {HTMLElement} place @param {() => Promise<Child>} content @param {() => boolean} [isWanted] */
export async function fill(place, content, isWanted = () => true) {
    try {
        const children = await content();
        if (isWanted()) replaceChildren(place, children);
    } catch (error) {
        replaceChildren(place, h("p", { class: "muted" }, messageOf(error)));
    }
}

/** A fold that fills itself when it is opened.
 * @param {Child} title @param {() => Promise<Child>} content */
export function fillingFold(title, content) {
    const place = h("div");
    const details = fold(title, place);
    details.addEventListener("toggle", () => { if (details.open && !place.hasChildNodes()) fill(place, content); });
    return details;
}

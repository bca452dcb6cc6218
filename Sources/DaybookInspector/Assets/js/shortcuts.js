// @ts-check
// What each key does; the help lists them.

import { AnswerOrder } from "./base/answer-order.js";
import { bindKeys } from "./base/keys.js";
import { screens } from "./base/route.js";
import { toggleBlur } from "./base/storage.js";
import { areKeysOn } from "./help.js";

/** @typedef {import("./frame.js").Frame} Frame */
/** @typedef {import("./navigation.js").Navigation} Navigation */
/** @typedef {Record<string, (event: KeyboardEvent) => unknown>} Actions by name; false leaves a key to the browser */

/** @param {PageContext} context @param {Navigation} navigation @param {Frame} frame */
export function bindShortcuts(context, navigation, frame) {
    bindKeys(document, {
        "?": "help", "/": "search", "g h": "history", "g t": "timeline", "g v": "violations", "g n": "net",
        "g d": "dict", "g c": "check", "g s": "sessions", "g q": "sql", "g i": "insights", "g b": "boards",
        "g r": "releases", "g a": "alerts",
        j: "next", k: "previous", ArrowDown: "arrowNext", ArrowUp: "arrowPrevious", Home: "first", End: "last",
        Enter: "open", Escape: "close", " ": "pause", e: "nextError", E: "previousError", f: "include", x: "exclude",
        c: "copy", m: "mark", b: "blur", "+": "zoomIn", "=": "zoomIn", "-": "zoomOut", 0: "fit", ArrowLeft: "earlier",
        ArrowRight: "later",
    }, { ...pageActions(context, navigation, frame), ...screenActions(navigation) }, areKeysOn);
}

/** On every screen.
 * @param {PageContext} context @param {Navigation} navigation @param {Frame} frame @returns {Actions} */
function pageActions({ navigate }, navigation, frame) {
    const { help } = frame;
    const order = new AnswerOrder();
    // The server may not have said yet whether it has the screen; by then the reader may have gone elsewhere.
    const goTo = async (/** @type {string} */ name) => {
        const isLatest = order.askAnew();
        const from = location.hash;
        if (await frame.offers(name) && isLatest() && location.hash === from) navigation.goTo(name);
    };
    return {
        ...Object.fromEntries(screens.map((name) => [name, () => { goTo(name); }])),
        timeline: () => navigate({ screen: "history", params: { view: "timeline" } }),
        violations: () => navigate({ screen: "history", params: { violations: "1" } }),
        help: () => (help.isOpen ? help.close() : help.showModal()),
        blur: toggleBlur,
    };
}

/** On the current screen.
 * @param {Navigation} navigation @returns {Actions} */
function screenActions(navigation) {
    const on = () => navigation.screen;
    /** @type {(event: KeyboardEvent, step: number) => unknown} arrows belong to the browser outside of lists */
    const moveInList = ({ target }, step) =>
        (target instanceof Element && target.closest("[data-keys]") ? on().move(step) : false);
    return {
        search: () => on().search?.(),
        next: () => on().move(1),
        previous: () => on().move(-1),
        arrowNext: (event) => moveInList(event, 1),
        arrowPrevious: (event) => moveInList(event, -1),
        first: () => on().edge?.(false),
        last: () => on().edge?.(true),
        open: () => on().open(),
        close({ target }) {
            if (document.querySelector("dialog[open]")) return false;
            if (target instanceof HTMLElement && target.matches("input, textarea, select")) target.blur();
            else on().close();
        },
        nextError: () => on().error?.(1),
        previousError: () => on().error?.(-1),
        include: () => on().include?.(),
        exclude: () => on().exclude?.(),
        copy: () => on().copy?.(),
        mark: () => on().mark?.(),
        // On screens without a use for them, these keys scroll.
        pause: () => (on().pause ? on().pause?.() : false),
        zoomIn: () => (on().zoom ? on().zoom?.(0.5) : false),
        zoomOut: () => (on().zoom ? on().zoom?.(2) : false),
        fit: () => (on().fit ? on().fit?.() : false),
        earlier: () => (on().pan ? on().pan?.(-0.25) : false),
        later: () => (on().pan ? on().pan?.(0.25) : false),
    };
}

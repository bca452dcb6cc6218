// @ts-check
// Dialogs: how they open and close, and the forms in them.

import { messageOf } from "./api.js";
import { textButton } from "./controls.js";
import { h, holdFocus } from "./dom.js";

/** Opens a dialog under its title; a press beside it closes it, and once closed it is gone.
 * @param {string} kind its class
 * @param {string} title @param {Child} content @param {() => void} [closed] */
export function openDialog(kind, title, content, closed = () => {}) {
    const dialog = h("dialog", { class: `help ${kind}`, "aria-label": title, on: {
        click(event) { if (event.target === dialog) dialog.close(); },
        close() {
            closed();
            dialog.remove();
        },
    } }, h("h2", null, title), content);
    document.body.append(dialog);
    showDialog(dialog);
    return dialog;
}

/** Once the dialog closes, the focus is where it was, even if that has been drawn anew.
 * @param {HTMLDialogElement} dialog */
export function showDialog(dialog) {
    dialog.addEventListener("close", holdFocus(), { once: true });
    dialog.showModal();
}

/** The button that closes the dialog it stands in.
 * @param {Translate} t */
export function closeButton(t) {
    const button = textButton(t("detail.close"), () => { button.closest("dialog")?.close(); });
    return button;
}

/** What stands at the end of a dialog's last line: its buttons, behind one that closes it.
 * @param {Translate} t @param {...Child} buttons */
export function lastButtons(t, ...buttons) { return [h("span", { class: "gap" }), closeButton(t), buttons]; }

/** @param {Translate} t @param {...Child} buttons */
export function lastLine(t, ...buttons) { return h("div", { class: "line" }, lastButtons(t, ...buttons)); }

/** @param {string} words */
export function submitButton(words) { return h("button", { class: "button primary" }, words); }

/** Where a form says why it failed. */
export function failureLine(words = "") { return h("p", { class: "wrong", role: "alert" }, words); }

/** @param {() => unknown} submit @param {...Child} content */
export function dialogForm(submit, ...content) {
    return h("form", { class: "fields", method: "dialog", on: { submit(event) {
        event.preventDefault();
        submit();
    } } }, content);
}

/** Does what a form asks for; a failure is told in it.
 * @param {HTMLElement} failure @param {() => Promise<unknown>} work */
export async function attempt(failure, work) {
    try {
        await work();
    } catch (error) {
        failure.textContent = messageOf(error);
    }
}

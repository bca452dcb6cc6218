// @ts-check
// Dialogs, and the forms in them.

import { messageOf } from "./api.js";
import { textButton } from "./controls.js";
import { h, holdFocus } from "./dom.js";

/** A dialog that a click beside it closes, and that is removed once closed.
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

/** Once the dialog closes, the focus returns to where it was, even if that has been redrawn.
 * @param {HTMLDialogElement} dialog */
export function showDialog(dialog) {
    dialog.addEventListener("close", holdFocus(), { once: true });
    dialog.showModal();
}

/** Closes the dialog it is in.
 * @param {Translate} t */
export function closeButton(t) {
    const button = textButton(t("detail.close"), () => { button.closest("dialog")?.close(); });
    return button;
}

/** The buttons at the end of a dialog's last line, behind the one that closes.
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

/** Runs what a form asks for, and shows its failure there.
 * @param {HTMLElement} failure @param {() => Promise<unknown>} work */
export async function attempt(failure, work) {
    try {
        await work();
    } catch (error) {
        failure.textContent = messageOf(error);
    }
}

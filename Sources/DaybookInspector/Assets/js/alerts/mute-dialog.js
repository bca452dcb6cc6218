// @ts-check
// Mutes an alert for some time, under somebody's name.

import { call, messageOf } from "../base/api.js";
import { h } from "../base/dom.js";
import { closeButton, labelled, openDialog } from "../base/pane.js";

const times = /** @type {const} */ (["1h", "8h", "1d", "7d"]);

/**
 * @param {PageContext} context
 * @param {string} alert
 * @param {() => unknown} changed
 */
export function openMuteDialog(context, alert, changed) {
    const { t, storage } = context;
    const time = h("select", { class: "field" }, times.map((one) => h("option", { value: one }, t(`alert.for.${one}`))));
    const who = h("input", { class: "field", name: "tester", required: true, maxlength: "60", autocomplete: "off" });
    who.value = storage.get("tester") ?? "";
    const failure = h("p", { class: "wrong", role: "alert" });
    const form = h("form", { on: { async submit(event) {
        event.preventDefault();
        storage.set("tester", who.value.trim() || null);
        try {
            await setMute(context, alert, time.value);
            dialog.close();
            changed();
        } catch (error) {
            failure.textContent = messageOf(error);
        }
    } } }, labelled(t("alert.for"), time), labelled(t("run.tester"), who), failure,
    h("div", { class: "line" }, h("span", { class: "gap" }), closeButton(t),
        h("button", { class: "button primary" }, t("alert.mute"))));
    const dialog = openDialog("run", t("alert.mute"), [h("p", { class: "muted" }, t("alert.muteHint")), form]);
}

/**
 * @param {PageContext} context
 * @param {string} alert
 * @param {string} time as an alert's file has it; `0s` ends it
 */
export async function setMute({ storage }, alert, time) {
    await call("alerts/mute", { body: { alert, for: time, by: storage.get("tester") ?? "page" } });
}

// @ts-check
// Mutes an alert for a while, under a name.

import { call } from "../base/api.js";
import { choiceField, labelled } from "../base/controls.js";
import { attempt, failureLine, lastLine, openDialog, submitButton } from "../base/dialog.js";
import { h } from "../base/dom.js";

const times = /** @type {const} */ (["1h", "8h", "1d", "7d"]);

/** @param {PageContext} context @param {string} alert @param {() => unknown} changed */
export function openMuteDialog(context, alert, changed) {
    const { t, storage } = context;
    const time = choiceField(times.map((one) => [one, t(`alert.for.${one}`)]), null);
    const who = h("input", { class: "field", name: "tester", required: true, maxlength: "60", autocomplete: "off" });
    who.value = storage.get("tester") ?? "";
    const failure = failureLine();
    const form = h("form", { on: { submit(event) {
        event.preventDefault();
        storage.set("tester", who.value.trim() || null);
        attempt(failure, async () => {
            await setMute(context, alert, time.value);
            dialog.close();
            changed();
        });
    } } }, labelled(t("alert.for"), time), labelled(t("run.tester"), who), failure,
    lastLine(t, submitButton(t("alert.mute"))));
    const dialog = openDialog("run", t("alert.mute"), [h("p", { class: "muted" }, t("alert.muteHint")), form]);
}

/** @param {PageContext} context @param {string} alert @param {string} time as an alert's file has it; `0s` ends it */
export async function setMute({ storage }, alert, time) {
    await call("alerts/mute", { body: { alert, for: time, by: storage.get("tester") ?? "page" } });
}

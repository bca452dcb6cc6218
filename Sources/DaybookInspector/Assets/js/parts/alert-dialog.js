// @ts-check
// Turns a statement into an alert: a file in the team's alerts folder, which the collector picks up.

import { call } from "../base/api.js";
import { choiceField, labelled } from "../base/controls.js";
import { dialogForm, lastLine, openDialog, submitButton } from "../base/dialog.js";
import { foreign, h } from "../base/dom.js";
import { warningLines } from "./answer.js";
import { FileChange } from "./file-change.js";

const comparisons = [">", ">=", "<", "<=", "=", "!="];
const intervals = ["1m", "5m", "15m", "1h", "1d"];
const durations = ["0s", "5m", "15m", "1h", "1d"];

/** @param {PageContext} context @param {string} title @param {string} sql */
export function openAlertDialog({ t }, title, sql) {
    const options = (/** @type {string[]} */ values, /** @type {string} */ chosen) =>
        choiceField(values.map((value) => [value, value]), chosen);
    const name = h("input", { class: "field", value: title, maxlength: "200", required: true });
    const comparison = options(comparisons, ">");
    const bound = h("input", { class: "field", type: "number", step: "any", value: "0", required: true });
    const [every, lasts] = [options(intervals, "5m"), options(durations, "0s")];
    const notify = h("input", { class: "field code", placeholder: "${WEBHOOK_URL}", spellcheck: "false",
        autocomplete: "off" });
    const change = new FileChange(t);
    const save = () => change.make(async () => {
        const target = notify.value.trim();
        const { file, version, warnings } = await call("alerts", { body: {
            name: name.value.trim(), sql, every: every.value, when: [`value ${comparison.value} ${bound.value}`],
            for: lasts.value, notify: target === "" ? [] : [target] } });
        change.tell(file, { screen: "alerts", path: [name.value.trim()] },
            () => call("alerts/undo", { body: { file, version } }), warningLines(t, warnings));
    });
    openDialog("run", t("turn.open"), [h("p", { class: "muted" }, t("turn.hint")),
        h("pre", { class: "sample" }, foreign(sql)),
        dialogForm(save, labelled(t("history.name"), name),
            h("div", { class: "choice" }, labelled(t("turn.when"), comparison), labelled(t("turn.bound"), bound)),
            h("div", { class: "choice" }, labelled(t("alert.every"), every), labelled(t("turn.for"), lasts)),
            labelled(t("turn.notify"), notify), change.failure, change.done, lastLine(t, submitButton(t("turn.do"))))]);
    name.focus();
}

// @ts-check
// Turns a statement into an alert: a file of its own in the team's folder of alerts, which the collector reads by itself.

import { call, messageOf } from "../base/api.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { closeButton, labelled, openDialog, textButton } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { warningLines } from "./answer.js";

const comparisons = [">", ">=", "<", "<=", "=", "!="];
const intervals = ["1m", "5m", "15m", "1h", "1d"];
const durations = ["0s", "5m", "15m", "1h", "1d"];

/**
 * @param {PageContext} context
 * @param {string} title
 * @param {string} sql
 */
export function openAlertDialog({ t }, title, sql) {
    const options = (/** @type {string[]} */ values, /** @type {string} */ chosen) => h("select", { class: "field" },
        values.map((value) => h("option", { value, selected: value === chosen }, value)));
    const name = h("input", { class: "field", value: title, maxlength: "200", required: true });
    const comparison = options(comparisons, ">");
    const bound = h("input", { class: "field", type: "number", step: "any", value: "0", required: true });
    const [every, lasts] = [options(intervals, "5m"), options(durations, "0s")];
    const notify = h("input", { class: "field code", placeholder: "${WEBHOOK_URL}", spellcheck: "false", autocomplete: "off" });
    const failure = h("p", { class: "wrong", role: "alert" });
    const done = h("div", { class: "sound", role: "status" });
    const save = async () => {
        try {
            const { file, version, warnings } = await call("alerts", { body: {
                name: name.value.trim(), sql, every: every.value, when: [`value ${comparison.value} ${bound.value}`],
                for: lasts.value, notify: notify.value.trim() === "" ? [] : [notify.value.trim()] } });
            failure.textContent = "";
            const undo = textButton(t("add.undo"), async () => {
                try {
                    const back = await call("alerts/undo", { body: { file, version } });
                    [failure.textContent, done.textContent] = ["", `${t("add.undone")} ${back.file}`];
                } catch (error) {
                    failure.textContent = messageOf(error);
                }
            });
            const link = h("a", { href: formatRoute({ screen: "alerts", path: [name.value.trim()] }), on: { click() {
                link.closest("dialog")?.close();
            } } }, foreign(file));
            replaceChildren(done, t("add.done"), " ", link, " ", undo, warningLines(t, warnings));
        } catch (error) {
            [failure.textContent, done.textContent] = [messageOf(error), ""];
        }
    };
    openDialog("run", t("turn.open"), [h("p", { class: "muted" }, t("turn.hint")),
        h("pre", { class: "sample" }, foreign(sql)),
        h("form", { class: "fields", method: "dialog", on: { submit: (event) => {
            event.preventDefault();
            save();
        } } }, labelled(t("turn.name"), name),
        h("div", { class: "choice" }, labelled(t("turn.when"), comparison), labelled(t("turn.bound"), bound)),
        h("div", { class: "choice" }, labelled(t("alert.every"), every), labelled(t("turn.for"), lasts)),
        labelled(t("turn.notify"), notify), failure, done,
        h("div", { class: "line" }, h("span", { class: "gap" }), closeButton(t),
            h("button", { class: "button primary" }, t("turn.do"))))]);
    name.focus();
}

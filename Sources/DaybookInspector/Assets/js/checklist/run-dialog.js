// Who runs a checklist as whom: asked at a run's start and at its sign-off, and remembered in this browser.

import { h } from "../base/dom.js";
import { labelled } from "../base/pane.js";

/** `of`: `start` or `signoff`. `submit({ persona, tester, build })` may throw; its message is shown. */
export function openRunDialog({ t, storage }, checklist, of, submit) {
    const failure = h("p", { class: "wrong", role: "alert" });
    const field = (name, value) => h("input", { class: "field", name, value: value ?? "", autocomplete: "off" });
    const tester = field("tester", checklist.run?.tester ?? storage.get("tester"));
    const build = field("build", checklist.run?.build ?? storage.get("build"));
    const persona = of === "start" && checklist.personas.length > 0
        ? h("select", { class: "field" },
            h("option", { value: "" }, t("run.anyone")),
            checklist.personas.map((name) => h("option", { value: name, selected: name === checklist.run?.persona }, name)))
        : null;
    const dialog = h("dialog", { class: "help run", "aria-label": t(`run.${of}`), on: {
        click: (event) => { if (event.target === dialog) dialog.close(); }, close: () => dialog.remove(),
    } },
    h("h2", null, t(`run.${of}`)), h("p", { class: "muted" }, t(`run.${of}Hint`)),
    h("form", { class: "fields", method: "dialog", on: { submit: async (event) => {
        event.preventDefault();
        const given = { tester: tester.value.trim() || null, build: build.value.trim() || null,
            persona: persona?.value || null };
        storage.set("tester", given.tester);
        storage.set("build", given.build);
        try {
            await submit(given);
            dialog.close();
        } catch (error) {
            failure.textContent = error.message;
        }
    } } }, persona ? labelled(t("run.persona"), persona) : null, labelled(t("run.tester"), tester),
    labelled(t("run.build"), build), failure, h("div", { class: "line" }, h("span", { class: "gap" }),
        h("button", { class: "button", type: "button", on: { click: () => dialog.close() } }, t("detail.close")),
        h("button", { class: "button primary" }, t(`run.${of}Do`)))));
    document.body.append(dialog);
    dialog.showModal();
}

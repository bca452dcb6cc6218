// Puts an event on a checklist: into its file where the server may write it, else as text to copy or to save.

import { call } from "../base/api.js";
import { copyText, saveFile } from "../base/bridge.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { labelled } from "../base/pane.js";
import { formatRoute } from "../base/route.js";

export async function openAddDialog({ t }, tag) {
    let checklists = [];
    const failure = h("p", { class: "wrong", role: "alert" });
    try {
        checklists = (await call("checklists")).checklists;
    } catch (error) {
        failure.textContent = error.message;
    }
    const places = checklists.flatMap((checklist) =>
        checklist.scenarios.map((scenario) => ({ checklist, scenario })));
    const place = h("select", { class: "field", on: { change: () => draw() } },
        places.map(({ checklist, scenario }, index) => h("option", { value: String(index) },
            checklist.scenarios.length > 1 ? `${checklist.title} / ${scenario.title}` : checklist.title)));
    const item = h("input", { class: "field code", value: tag, spellcheck: "false", autocapitalize: "off",
        autocomplete: "off" });
    const buttons = h("div", { class: "line" });
    const done = h("p", { class: "sound", role: "status" });
    const dialog = h("dialog", { class: "help run", "aria-label": t("add.title"), on: {
        click: (event) => { if (event.target === dialog) dialog.close(); }, close: () => dialog.remove(),
    } }, h("h2", null, t("add.title")), h("p", { class: "muted" }, t("add.hint")),
    h("form", { class: "fields", method: "dialog", on: { submit: (event) => {
        event.preventDefault();
        if (chosen()?.checklist.writable) add();
        else copy();
    } } }, places.length > 0 ? labelled(t("add.place"), place) : null, labelled(t("add.item"), item), failure, done,
    buttons));
    draw();
    document.body.append(dialog);
    dialog.showModal();
    item.focus();

    function chosen() { return places[Number(place.value)]; }

    function draw() {
        const isWritable = chosen()?.checklist.writable === true;
        const button = (words, press, kind = "button") => h("button", { class: kind, type: "button",
            on: { click: press } }, words);
        replaceChildren(buttons, h("span", { class: "gap" }), button(t("detail.close"), () => dialog.close()),
            isWritable ? button(t("add.copy"), copy) : button(t("add.save"), save),
            h("button", { class: "button primary" }, t(isWritable ? "add.add" : "add.copy")));
    }

    const line = () => `- [ ] ${item.value.trim()}\n`;

    async function add() {
        const { checklist, scenario } = chosen();
        try {
            const { file } = await call(`checklists/${encodeURIComponent(checklist.id)}/items`, {
                body: { scenario: scenario.id, item: item.value.trim() } });
            failure.textContent = "";
            replaceChildren(done, t("add.done"), " ", h("a", { on: { click: () => dialog.close() },
                href: formatRoute({ screen: "check", path: [checklist.id, scenario.id] }) }, foreign(file)));
        } catch (error) {
            [failure.textContent, done.textContent] = [error.message, ""];
        }
    }

    async function copy() {
        await copyText(line());
        done.textContent = t("copy.done");
    }

    /** The checklist of this one item, to be sent to whoever keeps the files. */
    function save() {
        const { checklist, scenario } = chosen() ?? {};
        const heading = scenario ? `# ${checklist.title}\n\n## ${scenario.title}\n` : `# ${tag}\n`;
        saveFile(`${checklist?.id ?? tag}.md`, "text/markdown", `${heading}\n${line()}`);
    }
}

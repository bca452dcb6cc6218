// @ts-check
// Adds an event to a checklist: to its file if the server may write it, otherwise as text to copy or save.

import { call, messageOf } from "../base/api.js";
import { copyText, saveFile } from "../base/bridge.js";
import { choiceField, labelled, pictureButton, textButton, verbatim } from "../base/controls.js";
import { dialogForm, lastButtons, openDialog, submitButton } from "../base/dialog.js";
import { h, replaceChildren } from "../base/dom.js";
import { FileChange } from "./file-change.js";

/** @typedef {{ checklist: Checklist, scenario: Scenario }} ItemPlace */

/** @param {PageContext} context @param {string} tag */
export function addButton({ t }, tag) { return pictureButton("check", t("add.open"), () => openAddDialog(t, tag)); }

/** @param {Translate} t @param {string} tag */
async function openAddDialog(t, tag) {
    try {
        const { checklists } = await call("checklists");
        openDialogOver(t, tag, checklists, "");
    } catch (error) {
        openDialogOver(t, tag, [], messageOf(error));
    }
}

/** @param {Translate} t @param {string} tag @param {Checklist[]} checklists @param {string} problem */
function openDialogOver(t, tag, checklists, problem) {
    /** @type {ItemPlace[]} */
    const places = checklists.flatMap((checklist) => checklist.scenarios.map((scenario) => ({ checklist, scenario })));
    const choice = choiceField(places.map(({ checklist: { title, scenarios }, scenario }, index) =>
        [String(index), scenarios.length > 1 ? `${title} / ${scenario.title}` : title]), null, () => draw());
    const item = h("input", { class: "field code", value: tag, ...verbatim });
    const buttons = h("div", { class: "line" });
    const change = new FileChange(t, problem);
    /** @returns {ItemPlace | undefined} */
    const chosen = () => places[Number(choice.value)];
    const line = () => `- [ ] ${item.value.trim()}\n`;

    const add = (/** @type {ItemPlace} */ { checklist, scenario }) => change.make(async () => {
        /** @type {`checklists/${string}/items`} */
        const path = `checklists/${encodeURIComponent(checklist.id)}/items`;
        const { file, version } = await call(path, {
            body: { scenario: scenario.id, item: item.value.trim(), version: checklist.version } });
        checklist.version = version;
        change.tell(file, { screen: "check", path: [checklist.id, scenario.id] }, async () => {
            const back = await call(`${path}/undo`, { body: { version: checklist.version } });
            checklist.version = back.version ?? checklist.version;
            return back;
        });
    }, async () => {
        const news = await call("checklists").catch(() => ({ checklists: /** @type {Checklist[]} */ ([]) }));
        for (const { checklist } of places) {
            checklist.version = news.checklists.find(({ id }) => id === checklist.id)?.version ?? checklist.version;
        }
    });
    const copy = async () => {
        await copyText(line());
        change.done.textContent = t("copy.done");
    };
    // A checklist with only this item, to send to whoever keeps the files.
    const save = () => {
        const place = chosen();
        const heading = place ? `# ${place.checklist.title}\n\n## ${place.scenario.title}\n` : `# ${tag}\n`;
        saveFile(`${place?.checklist.id ?? tag}.md`, "text/markdown", `${heading}\n${line()}`);
    };
    const draw = () => {
        const isWritable = chosen()?.checklist.writable === true;
        replaceChildren(buttons, lastButtons(t, isWritable ? textButton(t("copy.sql"), copy)
            : textButton(t("add.save"), save), submitButton(t(isWritable ? "add.add" : "copy.sql"))));
    };
    draw();
    openDialog("run", t("add.open"), [h("p", { class: "muted" }, t("add.hint")), dialogForm(() => {
        const place = chosen();
        if (place?.checklist.writable) add(place);
        else copy();
    }, places.length > 0 ? labelled(t("test.checklist"), choice) : null, labelled(t("add.item"), item), change.failure,
    change.done, buttons)]);
    item.focus();
}

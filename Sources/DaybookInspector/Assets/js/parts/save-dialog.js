// @ts-check
// Saves a statement with its chart to a board: at the end of its file, or in a new one.

import { call, messageOf } from "../base/api.js";
import { choiceField, labelled } from "../base/controls.js";
import { dialogForm, lastLine, openDialog, submitButton } from "../base/dialog.js";
import { h } from "../base/dom.js";
import { paramsOf } from "../charts/picker.js";
import { FileChange } from "./file-change.js";

/** As in file names: letters and digits, joined by `_`.
 * @param {string} name */
export function fileName(name) {
    return name.normalize("NFKC").toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "_").replaceAll(/^_+|_+$/g, "");
}

/** @param {PageContext} context @param {string} sql @param {ChartSettings} settings */
export async function openSaveDialog({ t }, sql, settings) {
    /** @type {Board[]} */
    let boards = [];
    let problem = "";
    try {
        const found = await call("boards");
        boards = found.boards;
        if (!found.writable) problem = t("board.notWritable");
    } catch (error) {
        problem = messageOf(error);
    }
    const title = h("input", { class: "field", required: true, maxlength: "200" });
    const name = h("input", { class: "field", maxlength: "100" });
    const named = labelled(t("board.newName"), name);
    const choice = choiceField([...boards.map((board) => [board.id, board.title]), ["", t("board.new")]],
        null, (id) => { named.hidden = id !== ""; });
    named.hidden = boards.length > 0;
    const change = new FileChange(t, problem);
    const save = () => {
        const id = choice.value || fileName(name.value);
        if (id === "" || title.value.trim() === "") {
            change.failure.textContent = t("board.needsNames");
            return;
        }
        const { chart = "table", x, y, series } = paramsOf(settings);
        /** @type {`boards/${string}`} */
        const path = `boards/${encodeURIComponent(id)}/blocks`;
        change.make(async () => {
            const board = boards.find((known) => known.id === id);
            const { file, version } = await call(path, { body: { title: title.value.trim(), sql, chart,
                x: x || null, y: y || null, series: series || null,
                board: choice.value === "" ? name.value.trim() : null, version: board?.version ?? null } });
            if (board) board.version = version;
            change.tell(file, { screen: "boards", path: [id] }, async () => {
                const back = await call(`boards/${encodeURIComponent(id)}/blocks/undo`, { body: { version } });
                if (board) board.version = back.version ?? version;
                return back;
            });
        }, async () => { boards = await call("boards").then((found) => found.boards, () => boards); });
    };
    openDialog("run", t("board.save"), [h("p", { class: "muted" }, t("board.saveHint")),
        dialogForm(save, labelled(t("board.title"), title), labelled(t("board.board"), choice), named, change.failure,
            change.done, lastLine(t, submitButton(t("edit.save"))))]);
    title.focus();
}

// @ts-check
// Saves a statement, drawn as it is, to a board: behind the last block of its file, or into a file of its own.

import { ApiError, call, messageOf } from "../base/api.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { closeButton, labelled, openDialog, textButton } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { paramsOf } from "../charts/picker.js";

/**
 * A name as a file has it: letters and digits, joined by `_`.
 * @param {string} name
 */
export function fileName(name) {
    return name.normalize("NFKC").toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "_").replaceAll(/^_+|_+$/g, "");
}

/**
 * @param {PageContext} context
 * @param {string} sql
 * @param {ChartSettings} settings
 */
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
    const choice = h("select", { class: "field", on: { change: () => { named.hidden = choice.value !== ""; } } },
        boards.map(({ id, title: words }) => h("option", { value: id }, words)), h("option", { value: "" }, t("board.new")));
    named.hidden = boards.length > 0;
    const failure = h("p", { class: "wrong", role: "alert" }, problem);
    const done = h("p", { class: "sound", role: "status" });
    const save = async () => {
        const id = choice.value || fileName(name.value);
        if (id === "" || title.value.trim() === "") {
            failure.textContent = t("board.needsNames");
            return;
        }
        const { chart = "table", x, y, series } = paramsOf(settings);
        /** @type {`boards/${string}`} */
        const path = `boards/${encodeURIComponent(id)}/blocks`;
        try {
            const board = boards.find((known) => known.id === id);
            const { file, version } = await call(path, { body: { title: title.value.trim(), sql, chart,
                x: x || null, y: y || null, series: series || null,
                board: choice.value === "" ? name.value.trim() : null, version: board?.version ?? null } });
            if (board) board.version = version;
            failure.textContent = "";
            const undo = textButton(t("add.undo"), async () => {
                try {
                    const back = await call(`boards/${encodeURIComponent(id)}/blocks/undo`, { body: { version } });
                    if (board) board.version = back.version;
                    [failure.textContent, done.textContent] = ["", `${t("add.undone")} ${back.file}`];
                } catch (error) {
                    failure.textContent = messageOf(error);
                }
            });
            const link = h("a", { href: formatRoute({ screen: "boards", path: [id] }), on: { click() {
                link.closest("dialog")?.close();
            } } }, foreign(file));
            replaceChildren(done, t("add.done"), " ", link, " ", undo);
        } catch (error) {
            [failure.textContent, done.textContent] = [messageOf(error), ""];
            if (!(error instanceof ApiError) || error.code !== "conflict") return;
            // Somebody else has changed the file: what is saved next goes to what it says now.
            boards = await call("boards").then((found) => found.boards, () => boards);
            failure.textContent += ` ${t("add.again")}`;
        }
    };
    openDialog("run", t("board.save"), [h("p", { class: "muted" }, t("board.saveHint")),
        h("form", { class: "fields", method: "dialog", on: { submit: (event) => {
            event.preventDefault();
            save();
        } } }, labelled(t("board.title"), title), labelled(t("board.board"), choice), named, failure, done,
        h("div", { class: "line" }, h("span", { class: "gap" }), closeButton(t),
            h("button", { class: "button primary" }, t("board.saveDo"))))]);
    title.focus();
}

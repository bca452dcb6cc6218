// @ts-check
// The team's boards: pages of prose, statements with their answers, and saved filters, each a Markdown file.

import { call } from "../base/api.js";
import { textButton } from "../base/controls.js";
import { breakable, foreign, h, icon, prose, replaceChildren } from "../base/dom.js";
import { clockTime, nanoseconds } from "../base/format.js";
import { ListScreen } from "../base/list-screen.js";
import { badge, failureNotice, hint, notice, paneTop } from "../base/pane.js";
import { BoardBlock } from "./block.js";
import { askAll, filterAddress } from "./questions.js";

/** @implements {PageScreen} */
export class Boards extends ListScreen {
    /** @type {Board[] | null} null until an answer has come */
    #boards = null;
    /** What is shown, as JSON: an unchanged board is not asked again. */
    #shown = "";
    /** @type {AbortController | null} */
    #request = null;

    /** @param {PageContext} context */
    constructor(context) { super(context, "boards", "boards", "detail board"); }

    /** @param {Route} route */
    async show({ path }) {
        this.select(path);
        this.draw();
        await this.#load();
    }

    #load() {
        return this.ask(async () => {
            const { boards } = await call("boards");
            return () => { this.#boards = boards; };
        });
    }

    /** @override */
    draw() {
        const { t } = this.context;
        replaceChildren(this.list, this.failure && !this.#boards ? failureNotice(t, this.failure, () => this.#load())
            : this.#boards?.length === 0 ? notice(t("board.empty"), t("board.emptyHint"))
            : this.#boards?.map((board) => this.#line(board)));
        // With panes side by side, the first board is better than an empty one.
        const board = this.#boards?.find(({ id }) => id === this.selected)
            ?? (this.selected === null && !this.context.isStacked() ? this.#boards?.[0] : undefined);
        this.side.dataset.empty = String(!board);
        const shown = JSON.stringify(board ?? null);
        if (shown === this.#shown) return;
        this.#shown = shown;
        this.#request?.abort();
        if (board) this.#open(board);
        else replaceChildren(this.side, hint(t(this.selected && this.#boards ? "board.gone" : "board.hint")));
    }

    /** @override */
    get ids() { return (this.#boards ?? []).map(({ id }) => id); }

    /** @param {Board} board */
    #line({ id, title, blocks, problems }) {
        const first = blocks.find((block) => block.kind === "prose");
        return this.entry(id, h("span", { class: "entrytop" }, foreign(title, "tag"),
            problems.length > 0 ? badge(this.context.t("board.wrong"), "error") : null),
        first?.kind === "prose" ? h("span", { class: "muted" }, foreign(first.text.split("\n")[0])) : null);
    }

    /** Draws a board and runs its statements.
     * @param {Board} board */
    #open(board) {
        const { t } = this.context;
        const request = this.#request = new AbortController();
        const asOf = h("span", { class: "muted" });
        /** @type {BoardBlock[]} */
        const questions = [];
        const parts = board.blocks.map((block, index) => {
            const hasHeading = board.blocks.slice(0, index).reverse()
                .find((other) => other.kind !== "prose")?.kind === "heading";
            if (block.kind === "heading") return h("h3", null, foreign(block.title));
            if (block.kind === "prose") return h("div", { class: "definition" }, prose(block.text));
            if (block.kind === "filter") return h("p", null,
                h("a", { class: "button", href: filterAddress(block.filter) },
                icon("filter"), foreign(hasHeading ? block.filter : block.title)));
            const question = new BoardBlock(this.context, block, hasHeading);
            questions.push(question);
            return question.element;
        });
        replaceChildren(this.side, paneTop(t, foreign(board.title), () => this.close()), h("div", { class: "content" },
            h("div", { class: "titleline" }, h("h2", null, foreign(board.title)), h("div", { class: "line" }, asOf,
                textButton(t("board.refresh"), () => {
                    this.#request?.abort();
                    this.#open(board);
                }))),
            board.problems.length > 0 ? h("div", { class: "warning" }, h("ul", null, board.problems.map((problem) =>
                h("li", null, foreign(problem))))) : null,
            parts, h("p", { class: "muted source" }, breakable(board.file))));
        askAll(questions.map(({ block }) => block.sql), (index, state) => questions[index].show(state), request.signal)
            .then(() => {
            if (request.signal.aborted) return;
            const now = clockTime(nanoseconds(Date.now())).slice(0, 5);
            if (questions.length > 0) asOf.textContent = t("board.asOf", { time: now });
            this.context.announce(t("board.answered", { n: questions.length }));
        });
    }
}

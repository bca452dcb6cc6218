// @ts-check
// The team's boards: pages of prose, statements with their answers, and saved filters. Each is a Markdown file.

import { AnswerOrder } from "../base/answer-order.js";
import { call, messageOf } from "../base/api.js";
import { breakable, foreign, h, icon, prose, replaceChildren } from "../base/dom.js";
import { clockTime } from "../base/format.js";
import { failureNotice, notice, paneTop, revealCurrent, scrollToEdge } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { BoardBlock } from "./block.js";
import { askAll, filterAddress } from "./questions.js";

/** @implements {PageScreen} */
export class Boards {
    /**
     * null until an answer has come.
     * @type {Board[] | null}
     */
    #boards = null;
    /** @type {Error | null} */
    #failure = null;
    /**
     * The id in the address.
     * @type {string | null}
     */
    #selected = null;
    /** What is shown, as JSON: a board that did not change is not asked again. */
    #shown = "";
    #order = new AnswerOrder();
    /** @type {AbortController | null} */
    #request = null;
    #list;

    /** @param {PageContext} context */
    constructor(context) {
        const { t } = context;
        this.context = context;
        this.#list = h("div", { class: "tree-list", tabindex: "0", "data-keys": "list", "aria-label": t("screen.boards") });
        this.main = h("section", { class: "pane boards" }, h("div", { class: "toolbar" }, h("h1", null, t("screen.boards"))), this.#list);
        this.side = h("aside", { class: "pane detail board", tabindex: "-1", "aria-label": t("screen.boards") });
    }

    /** @param {Route} route */
    async show({ path }) {
        this.#selected = path[0] ?? null;
        this.#draw();
        const isNews = this.#order.ask();
        try {
            const { boards } = await call("boards");
            if (!isNews()) return;
            [this.#boards, this.#failure] = [boards, null];
        } catch (error) {
            if (!isNews()) return;
            this.#failure = error instanceof Error ? error : new Error(messageOf(error));
        }
        this.#draw();
    }

    #draw() {
        const { t } = this.context;
        replaceChildren(this.#list, this.#failure && !this.#boards ? failureNotice(t, this.#failure, () => this.#reload())
            : this.#boards?.length === 0 ? notice(t("board.empty"), t("board.emptyHint"))
                : (this.#boards ?? []).map((board) => this.#line(board)));
        this.main.dataset.selected = String(this.#selected !== null);
        // Where panes lie side by side, the first board is better than an empty place.
        const board = this.#boards?.find(({ id }) => id === this.#selected)
            ?? (this.#selected === null && !this.context.isStacked() ? this.#boards?.[0] : undefined);
        this.side.dataset.empty = String(!board);
        const shown = JSON.stringify(board ?? null);
        if (shown === this.#shown) return;
        this.#shown = shown;
        this.#request?.abort();
        if (board) this.#open(board);
        else replaceChildren(this.side, h("div", { class: "hint" }, h("p", null, t(this.#selected && this.#boards ? "board.gone" : "board.hint"))));
    }

    /** @param {Board} board */
    #line({ id, title, blocks, problems }) {
        const { t } = this.context;
        const first = blocks.find((block) => block.kind === "prose");
        return h("a", { class: "entry tall", href: formatRoute({ screen: "boards", path: [id] }),
            "aria-current": id === this.#selected ? "true" : null },
        h("span", { class: "entrytop" }, foreign(title, "tag"), problems.length > 0
            ? h("span", { class: "badge", "data-level": "error" }, t("board.wrong")) : null),
        first?.kind === "prose" ? h("span", { class: "muted" }, foreign(first.text.split("\n")[0])) : null);
    }

    /**
     * Draws a board, and asks what it asks.
     * @param {Board} board
     */
    #open(board) {
        const { t } = this.context;
        const request = this.#request = new AbortController();
        const asOf = h("span", { class: "muted" });
        /** @type {BoardBlock[]} */
        const questions = [];
        const parts = board.blocks.map((block, index) => {
            const hasHeading = board.blocks.slice(0, index).reverse().find((other) => other.kind !== "prose")?.kind === "heading";
            if (block.kind === "heading") return h("h3", null, foreign(block.title));
            if (block.kind === "prose") return h("div", { class: "definition" }, prose(block.text));
            if (block.kind === "filter") return h("p", null, h("a", { class: "button", href: filterAddress(block.filter) },
                icon("filter"), foreign(hasHeading ? block.filter : block.title)));
            const question = new BoardBlock(this.context, block, hasHeading);
            questions.push(question);
            return question.element;
        });
        replaceChildren(this.side, paneTop(t, foreign(board.title), () => this.close()), h("div", { class: "content" },
            h("div", { class: "titleline" }, h("h2", null, foreign(board.title)), h("div", { class: "line" }, asOf,
                h("button", { class: "button", type: "button", on: { click: () => {
                    this.#request?.abort();
                    this.#open(board);
                } } }, t("board.refresh")))),
            board.problems.length > 0 ? h("div", { class: "warning" }, h("ul", null, board.problems.map((problem) =>
                h("li", null, foreign(problem))))) : null,
            parts, h("p", { class: "muted source" }, breakable(board.file))));
        askAll(questions.map(({ block }) => block.sql), (index, state) => questions[index].show(state), request.signal).then(() => {
            if (request.signal.aborted) return;
            const now = clockTime(BigInt(Date.now()) * 1_000_000n).slice(0, 5);
            if (questions.length > 0) asOf.textContent = t("board.asOf", { time: now });
            this.context.announce(t("board.answered", { n: questions.length }));
        });
    }

    #reload() { this.show({ screen: "boards", path: this.#selected === null ? [] : [this.#selected], params: {} }); }

    // Keys.

    /** @param {string | null} id */
    #go(id, replace = false) {
        this.context.navigate({ screen: "boards", path: id === null ? [] : [id] }, { replace });
    }

    /** @param {number} step */
    move(step) {
        const boards = this.#boards ?? [];
        if (boards.length === 0) return;
        const index = boards.findIndex(({ id }) => id === this.#selected);
        this.#go(boards[index < 0 ? 0 : Math.min(Math.max(index + step, 0), boards.length - 1)].id, true);
        revealCurrent(this.#list);
    }

    /** @param {boolean} isLast */
    edge(isLast) { scrollToEdge(this.#list, isLast); }

    open() {
        if (this.#selected === null) this.move(0);
        else this.side.focus();
    }

    close() { if (this.#selected !== null) this.#go(null); }
}

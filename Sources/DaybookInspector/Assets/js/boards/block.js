// @ts-check
// A statement on a board: its title, its state, and its answer drawn.

import { call, isAbort } from "../base/api.js";
import { pictureButton } from "../base/controls.js";
import { foreign, h, icon, replaceChildren } from "../base/dom.js";
import { duration } from "../base/format.js";
import { fold } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { chart } from "../charts/chart.js";
import { canDraw } from "../charts/data.js";
import { paramsOf } from "../charts/picker.js";
import { openAlertDialog } from "../parts/alert-dialog.js";
import { answerTable, failureBox, revealButton, warningLines } from "../parts/answer.js";

export class BoardBlock {
    #status = h("span", { class: "muted", role: "status" });
    #body = h("div", { class: "blockbody" });

    /** @param {PageContext} context @param {StatementBlock} block
     * @param {boolean} hasHeading whether a heading stands right above */
    constructor(context, block, hasHeading) {
        const { t } = context;
        this.context = context;
        this.block = block;
        /** @type {ChartSettings} */
        this.settings = { kind: block.chart, x: block.x ?? undefined, y: block.y ?? undefined,
            series: block.series ?? undefined, title: block.title };
        this.element = h("section", { class: "block", "aria-label": block.title },
            h("div", { class: "line blocktools" }, hasHeading ? null : h("h4", null, foreign(block.title)),
                this.#status, h("span", { class: "gap" }),
                h("a", { class: "button quiet",
                    href: formatRoute({ screen: "sql", params: { sql: block.sql, ...paramsOf(this.settings) } }),
                    on: { click: context.runSQLOnce } }, icon("sql"), h("span", null, t("screen.sql"))),
                pictureButton("alerts", t("turn.open"), () => openAlertDialog(context, block.title, block.sql))),
            this.#body);
        this.#status.textContent = t("board.waiting");
    }

    /** @param {{ answer?: SQLAnswer, failure?: unknown }} state neither while it runs
     * @param {boolean} [reveals] whether what is masked was asked for */
    show({ answer, failure }, reveals = false) {
        const { t, language } = this.context;
        if (!answer && failure === undefined) {
            this.#status.textContent = t("sql.running");
            return;
        }
        if (!answer) {
            this.#status.textContent = "";
            replaceChildren(this.#body, failureBox(t("sql.failed"), failure));
            return;
        }
        this.#status.textContent = [t("sql.rows", { n: answer.rows.length }),
            duration(Math.max(1, answer.milliseconds) * 1_000_000, language),
            ...(answer.truncated ? [t("sql.truncated")] : [])].join(" · ");
        const table = h("div", { class: "result" }, answerTable(answer.columns, answer.rows));
        const isDrawn = this.settings.kind !== "table" && canDraw(answer, this.settings);
        replaceChildren(this.#body, warningLines(t, answer.warnings),
            revealButton(t, answer, reveals, (others) => this.#ask(others)),
            answer.rows.length === 0 ? h("p", { class: "muted" }, t("sql.none")) : isDrawn
                ? [chart(this.context, answer, this.settings), fold(t("chart.table"), table)] : table);
    }

    /** Asks this statement again, with masked values or without.
     * @param {boolean} reveals */
    async #ask(reveals) {
        this.show({});
        try {
            this.show({ answer: await call(reveals ? "sql?private=show" : "sql", { body: { sql: this.block.sql } }) },
                reveals);
        } catch (failure) {
            if (!isAbort(failure)) this.show({ failure });
        }
    }
}

// @ts-check
// Reading statements over the store.

import { call, isAbort, messageOf } from "../base/api.js";
import { breakable, foreign, h, replaceChildren } from "../base/dom.js";
import { duration } from "../base/format.js";
import { notice, section } from "../base/pane.js";
import { paramsOf, settingsOf } from "../charts/picker.js";
import { readyQuery, withoutOwn } from "../model/catalog.js";
import { sqlResult } from "./sql-result.js";

const columns = [
    ["id", "integer"], ["uid", "text"], ["time", "integer, ns"], ["kind", "text"], ["level", "integer, 1–24"],
    ["tag", "text"], ["message", "text"], ["module", "text"], ["attributes", "JSON"], ["context", "JSON"],
    ["session", "text"], ["installation", "text"], ["trace_id", "text"], ["span_id", "text"], ["parent_span_id", "text"],
    ["duration", "integer, ns"], ["file", "text"], ["function", "text"], ["line", "integer"],
];

const examples = [
    ["sql.exampleCounts", `SELECT tag, count(*) AS n\nFROM records\nWHERE ${withoutOwn}\nGROUP BY tag\nORDER BY n DESC`],
    ["sql.exampleErrors", [
        "SELECT id, datetime(time / 1000000000, 'unixepoch') AS at, tag, message",
        "FROM records", "WHERE level >= 17", `  AND ${withoutOwn}`, "ORDER BY id DESC", "LIMIT 50",
    ].join("\n")],
    ["sql.exampleHours", [
        "SELECT strftime('%Y-%m-%d %H:00', time / 1000000000, 'unixepoch') AS hour, count(*) AS n",
        "FROM records", `WHERE ${withoutOwn}`, "GROUP BY hour", "ORDER BY hour DESC",
    ].join("\n")],
];

/** @implements {PageScreen} */
export class SQL {
    /**
     * The statement that runs, or ran last.
     * @type {AbortController | null}
     */
    #request = null;
    /**
     * What the last statement answered.
     * @type {{ answer: SQLAnswer, reveals: boolean } | null}
     */
    #answered = null;
    /**
     * How it is drawn.
     * @type {ChartSettings}
     */
    #chart = { kind: "table" };
    #field;
    #cancel;
    #status = h("span", { class: "muted", role: "status" });
    #result;

    /** @param {PageContext} context */
    constructor(context) {
        const { t, limits } = context;
        this.context = context;
        this.#field = h("textarea", {
            class: "field editor", rows: "7", spellcheck: "false", autocapitalize: "off", autocomplete: "off",
            "aria-label": t("sql.statement"), placeholder: examples[0][1],
            on: { keydown: (event) => {
                if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) this.#run();
            } },
        });
        this.#cancel = h("button", { class: "button", type: "button", hidden: true,
            on: { click: () => this.#request?.abort() } }, t("sql.cancel"));
        this.#result = h("div", { class: "result", tabindex: "0", "aria-label": t("sql.result") },
            notice(t("sql.empty"), t("sql.emptyHint"), h("div", { class: "stackedonly" }, this.#examples())));
        this.main = h("section", { class: "pane sql" },
            h("div", { class: "toolbar stacked" }, this.#field,
                h("div", { class: "line" },
                    h("button", { class: "button primary", type: "button", on: { click: () => this.#run() } }, t("sql.run")),
                    this.#cancel, h("kbd", { class: "wide" }, "Ctrl ↵"), this.#status,
                    h("span", { class: "muted limits" },
                        t("sql.limits", { rows: limits.sql_rows, seconds: limits.sql_milliseconds / 1000 })))),
            this.#result);
        this.side = h("aside", { class: "pane schema", "aria-label": t("sql.schema") }, this.#schema());
    }

    #schema() {
        const { t, catalog } = this.context;
        const name = (/** @type {string} */ title, /** @type {() => void} */ click, /** @type {Child[]} */ ...content) =>
            h("li", null, h("button", { class: "column", type: "button", title, on: { click } }, content));
        return h("div", { class: "content" },
            section(t("sql.examples"), this.#examples()),
            section([t("sql.table"), " ", h("code", null, "records")], h("ul", { class: "columns" },
                columns.map(([column, type]) => name(t("sql.insert"), () => this.#insert(column),
                    h("code", null, column), h("span", { class: "muted" }, type))))),
            catalog.isEmpty ? null : section(t("sql.views"), h("ul", { class: "columns" },
                [...catalog.events.values()].map((found) => this.#view(found)))));
    }

    /**
     * A view, which is asked by a press, and its columns.
     * @param {DefinedEvent} found
     */
    #view(found) {
        const { t, catalog } = this.context;
        const names = [...new Set([...found.columns, ...catalog.common].map((column) => column.name))];
        return h("li", { class: "view" },
            h("button", { class: "column", type: "button", title: t("dict.query"),
                on: { click: () => this.#ask(readyQuery(found)) } },
            h("code", null, h("bdi", null, breakable(found.event.view)))),
            h("details", null, h("summary", { class: "muted" }, t("sql.columns", { n: names.length })),
                h("ul", { class: "columns" }, names.map((column) => h("li", null, h("button", { class: "column",
                    type: "button", title: t("sql.insert"), on: { click: () => this.#insert(column) } },
                h("code", null, foreign(column))))))));
    }

    #examples() {
        return h("ul", { class: "examples" }, examples.map(([words, sql]) => h("li", null, h("button",
            { class: "button quiet", type: "button", on: { click: () => this.#ask(sql) } }, this.context.t(words)))));
    }

    /** @param {Route} route */
    show({ params }) {
        const { sql } = params;
        this.main.dataset.selected = "false";
        const chart = settingsOf(params);
        if (JSON.stringify(chart) !== JSON.stringify(this.#chart)) {
            this.#chart = chart;
            this.#draw();
        }
        if (sql && sql !== this.#field.value.trim()) this.#field.value = sql;
        // Only a press within the page runs at once; an address that someone sent waits for the button.
        if (this.context.takeSQLOnce() && sql) this.#run();
    }

    /** @param {string} sql */
    #ask(sql) {
        this.#keepDraft();
        this.#chart = { kind: "table" };
        this.#field.value = sql;
        this.#run();
    }

    /** What was typed becomes a step, so that going back brings it back. */
    #keepDraft() {
        const draft = this.#field.value.trim();
        if (draft !== "") this.#go(draft, true);
    }

    /**
     * To the address of a statement, drawn as it is now.
     * @param {string} sql
     */
    #go(sql, replace = false) {
        this.context.navigate({ screen: "sql", params: { sql, ...paramsOf(this.#chart) } }, { replace });
    }

    /** @param {ChartSettings} settings */
    #choose(settings) {
        this.#chart = settings;
        this.#draw();
        this.#go(this.#field.value.trim(), true);
    }

    /** @param {string} name */
    #insert(name) {
        this.#field.setRangeText(name, this.#field.selectionStart, this.#field.selectionEnd, "end");
        this.#field.focus();
    }

    async #run(reveals = false) {
        const { t } = this.context;
        const sql = this.#field.value.trim();
        if (sql === "") return;
        this.#request?.abort();
        const own = this.#request = new AbortController();
        // Each statement that runs is a step.
        this.#go(sql);
        this.#status.textContent = t("sql.running");
        this.#cancel.hidden = false;
        try {
            const answer = await call(reveals ? "sql?private=show" : "sql", { body: { sql }, signal: own.signal });
            this.#status.textContent = [t("sql.rows", { n: answer.rows.length }), this.#took(answer.milliseconds),
                ...(answer.truncated ? [t("sql.truncated")] : [])].join(" · ");
            this.#answered = { answer, reveals };
            this.#draw();
        } catch (error) {
            if (this.#request !== own) return;
            this.#status.textContent = isAbort(error) ? t("sql.cancelled") : "";
            if (!isAbort(error)) this.#answered = null;
            if (!isAbort(error)) replaceChildren(this.#result, h("div", { class: "failure", role: "alert" },
                h("strong", null, t("sql.failed")), h("pre", null, foreign(messageOf(error)))));
        } finally {
            if (this.#request === own) this.#cancel.hidden = true;
        }
    }

    /** @param {number} milliseconds */
    #took(milliseconds) {
        return `${milliseconds > 0 ? "" : "< "}${duration(Math.max(1, milliseconds) * 1_000_000, this.context.language)}`;
    }

    /** The answer, once there is one. */
    #draw() {
        if (!this.#answered) return;
        const { answer, reveals } = this.#answered;
        replaceChildren(this.#result, answer.rows.length > 0
            ? sqlResult(this.context, answer, reveals, (others) => this.#run(others), this.#chart, (chart) => this.#choose(chart))
            : h("div", { class: "notice" }, h("h2", null, this.context.t("sql.none"))));
    }

    move() { return false; }
    open() { this.#field.focus(); }
    close() {}
    search() { this.#field.focus(); }
}

// @ts-check
// Read-only statements over the store.

import { call, isAbort } from "../base/api.js";
import { button, primaryButton, quietButton } from "../base/controls.js";
import { breakable, foreign, h, replaceChildren } from "../base/dom.js";
import { duration } from "../base/format.js";
import { notice, section } from "../base/pane.js";
import { paramsOf, settingsOf } from "../charts/picker.js";
import { readyQuery, withoutOwn } from "../model/catalog.js";
import { openAlertDialog } from "../parts/alert-dialog.js";
import { failureBox, revealButton, warningLines } from "../parts/answer.js";
import { openSaveDialog } from "../parts/save-dialog.js";
import { CompletionList } from "./completion-list.js";
import { sqlResult } from "./sql-result.js";
import { keepStatement, openHistory } from "./statement-history.js";

/** Readable times and whole hours, by kind of store. */
const dialects = {
    sqlite: { at: "datetime(time / 1000000000, 'unixepoch')",
        hour: "strftime('%Y-%m-%d %H:00', time / 1000000000, 'unixepoch')" },
    postgresql: { at: "to_timestamp(time / 1000000000)", hour: "date_trunc('hour', to_timestamp(time / 1000000000))" },
    clickhouse: { at: "fromUnixTimestamp64Nano(time, 'UTC')",
        hour: "toStartOfHour(fromUnixTimestamp64Nano(time, 'UTC'))" },
};

/** @param {keyof typeof dialects} dialect */
function examplesOf(dialect) {
    const { at, hour } = dialects[dialect];
    return [
        ["sql.exampleCounts", ["SELECT tag, count(*) AS n", "FROM records", `WHERE ${withoutOwn}`, "GROUP BY tag",
            "ORDER BY n DESC"].join("\n")],
        ["sql.exampleErrors", [`SELECT id, ${at} AS at, tag, message`, "FROM records", "WHERE level >= 17",
            `  AND ${withoutOwn}`, "ORDER BY id DESC", "LIMIT 50"].join("\n")],
        ["sql.exampleHours", [`SELECT ${hour} AS hour, count(*) AS n`, "FROM records", `WHERE ${withoutOwn}`,
            "GROUP BY hour", "ORDER BY hour DESC"].join("\n")],
        ["sql.exampleSlow", "SELECT name, count(*) AS n, avg(duration_ms) AS mean_ms, max(duration_ms) AS longest_ms\n"
            + "FROM spans\nGROUP BY name\nORDER BY longest_ms DESC\nLIMIT 50"],
        ["sql.exampleSessions", "SELECT version, count(*) AS sessions, sum(errors) AS errors\nFROM sessions\n"
            + "GROUP BY version\nORDER BY sessions DESC"],
    ];
}

/** @implements {PageScreen} */
export class SQL {
    /** @type {AbortController | null} the statement that runs, or ran last */
    #request = null;
    /** @type {{ answer: SQLAnswer, reveals: boolean, sql: string } | null} what the last statement answered */
    #answered = null;
    /** @type {ChartSettings} how it is drawn */
    #chart = { kind: "table" };
    #field;
    #cancel;
    #status = h("span", { class: "muted", role: "status" });
    #result;
    #schemaContent = h("div", { class: "schemaslot" });
    #phoneExamples = h("div", { class: "stackedonly" });
    #meter = h("progress", { class: "meter", hidden: true });
    /** @type {SQLTable[]} */
    #tables = [];
    /** @type {keyof typeof dialects} */
    #dialect = "sqlite";
    #completions;
    #timer = 0;

    /** @param {PageContext} context */
    constructor(context) {
        const { t, limits } = context;
        this.context = context;
        this.#field = h("textarea", {
            class: "field editor", rows: "7", spellcheck: "false", autocapitalize: "off", autocomplete: "off",
            "aria-label": t("sql.statement"), placeholder: examplesOf("sqlite")[0][1],
            on: { keydown: (event) => {
                if (this.#completions.takes(event)) event.preventDefault();
                else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) this.#run();
            } },
        });
        this.#completions = new CompletionList(this.#field, t("sql.completions"), () => ({
            tables: this.#tables, tags: [...new Set([...context.catalog.events.keys(),
                ...context.tags.all.map(({ tag }) => tag)])],
        }));
        this.#cancel = button("button", t("sql.cancel"), () => this.#request?.abort(), { hidden: true });
        this.#result = h("div", { class: "result", tabindex: "0", "aria-label": t("sql.result") },
            notice(t("sql.empty"), t("sql.emptyHint"), this.#phoneExamples));
        this.main = h("section", { class: "pane sql" },
            h("div", { class: "toolbar stacked" },
                h("div", { class: "completed" }, this.#field, this.#completions.element), h("div", { class: "line" },
                    primaryButton(t("sql.run"), () => this.#run()), this.#cancel,
                    quietButton(t("sql.history"), () => openHistory(context, (sql) => {
                        this.#put(sql);
                        context.navigate({ screen: "sql", params: { sql } });
                    })),
                    h("kbd", { class: "wide" }, "Ctrl ↵"), this.#status,
                    h("span", { class: "muted limits" },
                        t("sql.limits", { rows: limits.sql_rows, seconds: limits.sql_milliseconds / 1000 })))),
            this.#meter, this.#result);
        this.side = h("aside", { class: "pane schema", "aria-label": t("sql.schema") }, this.#schemaContent);
        this.#drawSchema();
        call("sql/schema").then(({ dialect, tables }) => {
            this.#tables = tables;
            if (dialect) this.#dialect = dialect;
            this.#drawSchema();
        }, () => {});
    }

    #drawSchema() {
        const { t, catalog } = this.context;
        /** @type {Map<string, DefinedEvent>} */
        const events = new Map([...catalog.events.values()].map((found) => [found.event.view, found]));
        replaceChildren(this.#schemaContent, h("div", { class: "content" },
            section(t("sql.examples"), this.#examples()),
            section(t("sql.tables"), h("ul", { class: "columns" }, this.#tables.filter(({ name }) => !events.has(name))
                .map((table) => this.#table(table, `SELECT *\nFROM ${table.name}\nLIMIT 100`)))),
            catalog.isEmpty ? null : section(t("sql.views"), h("ul", { class: "columns" },
                this.#tables.filter(({ name }) => events.has(name)).map((table) =>
                    this.#table(table, readyQuery(/** @type {DefinedEvent} */ (events.get(table.name)))))))));
        replaceChildren(this.#phoneExamples, this.#examples());
    }

    /** A table or view that can be queried, and its columns, which can be inserted.
     * @param {SQLTable} table @param {string} sql */
    #table(table, sql) {
        const { t } = this.context;
        return h("li", { class: "view" },
            button("column", h("code", null, h("bdi", null, breakable(table.name))), () => this.#ask(sql),
                { title: table.about || t("dict.query") }),
            h("details", { open: table.name === "records" },
                h("summary", { class: "muted" }, t("sql.columns", { n: table.columns.length })),
                h("ul", { class: "columns" }, table.columns.map(({ name, about }) => h("li", null,
                    button("column", [h("code", null, foreign(name)), h("span", { class: "muted columnabout" }, about)],
                        () => this.#insert(name), { title: about || t("sql.insert") }))))));
    }

    #examples() {
        return h("ul", { class: "examples" }, examplesOf(this.#dialect).map(([words, sql]) =>
            h("li", null, quietButton(this.context.t(words), () => this.#ask(sql)))));
    }

    /** @param {Route} route */
    show({ params }) {
        const { sql } = params;
        const chart = settingsOf(params);
        if (JSON.stringify(chart) !== JSON.stringify(this.#chart)) {
            this.#chart = chart;
            this.#draw();
        }
        if (sql && sql !== this.#field.value.trim()) this.#field.value = sql;
        // Only a click within the page runs it; a statement in a shared address waits for the button.
        if (this.context.takeSQLOnce() && sql) this.#run();
    }

    /** @param {string} sql */
    #ask(sql) {
        this.#put(sql);
        this.#run();
    }

    /** Replaces the statement.
     * @param {string} sql */
    #put(sql) {
        this.#keepDraft();
        this.#chart = { kind: "table" };
        this.#field.value = sql;
        this.#field.focus();
    }

    /** Makes the draft a history entry, so that going back restores it. */
    #keepDraft() {
        const draft = this.#field.value.trim();
        if (draft !== "") this.#go(draft, true);
    }

    /** @param {string} sql */
    #go(sql, replace = false) {
        this.context.navigate({ screen: "sql", params: { sql, ...paramsOf(this.#chart) } }, { replace });
    }

    /** @param {ChartSettings} settings */
    #choose(settings) {
        this.#chart = settings;
        this.#draw();
        this.#go(this.#field.value.trim(), true);
    }

    /** What can be made of the answered statement. */
    #tools() {
        const { context } = this;
        const { t } = context;
        const sql = this.#answered?.sql ?? "";
        return [quietButton(t("board.save"), () => openSaveDialog(context, sql, this.#chart)),
            quietButton(t("turn.open"), () => openAlertDialog(context, "", sql))];
    }

    /** @param {string} name */
    #insert(name) {
        this.#field.setRangeText(name, this.#field.selectionStart, this.#field.selectionEnd, "end");
        this.#field.focus();
    }

    async #run(reveals = false) {
        const { t, language } = this.context;
        const sql = this.#field.value.trim();
        if (sql === "") return;
        this.#request?.abort();
        const own = this.#request = new AbortController();
        // Each run is a history entry.
        this.#go(sql);
        this.#completions.close();
        this.#status.textContent = t("sql.running");
        this.#cancel.hidden = false;
        this.#follow();
        try {
            const answer = await call(reveals ? "sql?private=show" : "sql", { body: { sql }, signal: own.signal });
            const { rows: { length: n }, milliseconds } = answer;
            const took = `${milliseconds > 0 ? "" : "< "}${duration(Math.max(1, milliseconds) * 1_000_000, language)}`;
            this.#status.textContent = [t("sql.rows", { n }), took, ...(answer.truncated ? [t("sql.truncated")] : [])]
                .join(" · ");
            keepStatement(this.context.storage, { sql, at: Date.now(), rows: n, milliseconds });
            this.#answered = { answer, reveals, sql };
            this.#draw();
        } catch (error) {
            if (this.#request !== own) return;
            this.#status.textContent = isAbort(error) ? t("sql.cancelled") : "";
            if (isAbort(error)) return;
            this.#answered = null;
            replaceChildren(this.#result, failureBox(t("sql.failed"), error));
        } finally {
            if (this.#request === own) {
                this.#cancel.hidden = true;
                this.#meter.hidden = true;
                clearInterval(this.#timer);
            }
        }
    }

    /** Shows the elapsed time and the limit. */
    #follow() {
        const { t, limits, language } = this.context;
        const start = performance.now();
        clearInterval(this.#timer);
        this.#status.textContent = t("sql.running");
        this.#meter.max = limits.sql_milliseconds;
        this.#meter.value = 0;
        this.#timer = setInterval(() => {
            const elapsed = performance.now() - start;
            this.#meter.hidden = false;
            this.#meter.value = elapsed;
            this.#status.textContent = t("insight.progress", { time: duration(elapsed * 1e6, language),
                limit: duration(limits.sql_milliseconds * 1e6, language) });
        }, 500);
    }

    #draw() {
        if (!this.#answered) return;
        const { t } = this.context;
        const { answer, reveals } = this.#answered;
        const again = (/** @type {boolean} */ others) => this.#run(others);
        // A condition on a private value matches nothing until values are revealed.
        replaceChildren(this.#result,
            warningLines(t, answer.warnings),
            answer.rows.length > 0
            ? sqlResult(this.context, answer, reveals, again, this.#chart, (chart) => this.#choose(chart),
                this.#tools())
            : notice(t("sql.none"), null, revealButton(t, answer, reveals, again)));
    }

    move() { return false; }
    open() { this.#field.focus(); }
    close() {}
    search() { this.#field.focus(); }
}

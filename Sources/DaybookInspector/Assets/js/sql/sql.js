// Reading statements over the store.

import { call } from "../base/api.js";
import { readyQuery } from "../model/catalog.js";
import { breakable, foreign, h, replaceChildren } from "../base/dom.js";
import { duration } from "../base/format.js";
import { sqlResult } from "./sql-result.js";

const columns = [
    ["id", "integer"], ["uid", "text"], ["time", "integer, ns"], ["kind", "text"], ["level", "integer, 1–24"],
        ["tag", "text"],
    ["message", "text"], ["module", "text"], ["attributes", "JSON"], ["context", "JSON"], ["session", "text"],
        ["installation", "text"],
    ["trace_id", "text"], ["span_id", "text"], ["parent_span_id", "text"], ["duration", "integer, ns"],
        ["file", "text"],
    ["function", "text"], ["line", "integer"],
];

const examples = [
    ["sql.exampleCounts", "SELECT tag, count(*) AS n\nFROM records\nGROUP BY tag\nORDER BY n DESC"],
    ["sql.exampleErrors", [
        "SELECT id, datetime(time / 1000000000, 'unixepoch') AS at, tag, message",
        "FROM records", "WHERE level >= 17", "ORDER BY id DESC", "LIMIT 50",
    ].join("\n")],
    ["sql.exampleHours", [
        "SELECT strftime('%Y-%m-%d %H:00', time / 1000000000, 'unixepoch') AS hour, count(*) AS n",
        "FROM records", "GROUP BY hour", "ORDER BY hour DESC",
    ].join("\n")],
];

export function createSQL(context) {
    const { t, navigate, limits, catalog, language } = context;
    let request = null;
    const field = h("textarea", {
        class: "field editor", rows: "7", spellcheck: "false", autocapitalize: "off", autocomplete: "off",
            "aria-label": t("sql.statement"),
        placeholder: examples[0][1],
        on: { keydown: (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)
            && !event.isComposing) run(); } },
    });
    const runButton = h("button", { class: "button primary", type: "button", on: { click: () => run() } },
        t("sql.run"));
    const cancelButton = h("button", { class: "button", type: "button", hidden: true,
        on: { click: () => request?.abort() } }, t("sql.cancel"));
    const status = h("span", { class: "muted", role: "status" });
    const result = h("div", { class: "result", tabindex: "0", "aria-label": t("sql.result") });
    const main = h("section", { class: "pane sql" },
        h("div", { class: "toolbar stacked" }, field,
            h("div", { class: "line" }, runButton, cancelButton, h("kbd", { class: "wide" }, "Ctrl ↵"), status,
                h("span", { class: "muted limits" },
                    t("sql.limits", { rows: limits.sql_rows, seconds: limits.sql_milliseconds / 1000 })))),
        result);
    const side = h("aside", { class: "pane schema", "aria-label": t("sql.schema") },
        h("div", { class: "content" },
            h("section", { class: "section" }, h("h3", null, t("sql.examples")),
                h("ul", { class: "examples" }, examples.map(([name, sql]) =>
                h("li", null, h("button", { class: "button quiet", type: "button",
                    on: { click: () => ask(sql) } }, t(name)))))),
            h("section", { class: "section" }, h("h3", null, t("sql.table"), " ", h("code", null, "records")),
                h("ul", { class: "columns" }, columns.map(([name, type]) => h("li", null,
                    h("button", { class: "column", type: "button", title: t("sql.insert"),
                        on: { click: () => insert(name) } },
                        h("code", null, name), h("span", { class: "muted" }, type)))))),
            catalog.isEmpty ? null : h("section", { class: "section" }, h("h3", null, t("sql.views")),
                h("ul", { class: "columns" }, [...catalog.events.values()].map((found) => h("li", null,
                    h("button", { class: "column", type: "button", title: t("dict.query"),
                        on: { click: () => ask(readyQuery(found)) } }, h("code", null, h("bdi", null, breakable(found.event.view))))))))));
    welcome();

    function ask(sql) {
        field.value = sql;
        run();
    }

    function welcome() {
        replaceChildren(result, h("div", { class: "notice" }, h("h2", null, t("sql.empty")),
            h("p", null, t("sql.emptyHint"))));
    }

    function insert(name) {
        field.setRangeText(name, field.selectionStart, field.selectionEnd, "end");
        field.focus();
    }

    async function run() {
        const sql = field.value.trim();
        if (sql === "") return;
        request?.abort();
        const own = new AbortController();
        request = own;
        navigate({ screen: "sql", params: { sql } }, { replace: true });
        status.textContent = t("sql.running");
        cancelButton.hidden = false;
        try {
            const answer = await call("sql", { body: { sql }, signal: own.signal });
            const text = t("sql.rows", { n: answer.rows.length });
            status.textContent = [text, tookText(answer.milliseconds),
                ...(answer.truncated ? [t("sql.truncated")] : [])].join(" · ");
            show(answer, false);
        } catch (error) {
            if (request !== own) return;
            status.textContent = error.name === "AbortError" ? t("sql.cancelled") : "";
            if (error.name === "AbortError") return;
            replaceChildren(result, h("div", { class: "failure", role: "alert" }, h("strong", null, t("sql.failed")),
                h("pre", null, foreign(error.message))));
        } finally {
            if (request === own) cancelButton.hidden = true;
        }
    }

    function tookText(milliseconds) {
        return `${milliseconds > 0 ? "" : "< "}${duration(Math.max(1, milliseconds) * 1_000_000, language)}`;
    }

    function show(answer, reveals) {
        replaceChildren(result, answer.rows.length > 0
            ? sqlResult(context, answer, reveals, (others) => show(answer, others))
            : h("div", { class: "notice" }, h("h2", null, t("sql.none"))));
    }

    return {
        main,
        side,
        show({ params }) {
            main.dataset.selected = "false";
            if (params.sql && params.sql !== field.value.trim()) field.value = params.sql;
            // Only a press within the page runs at once; an address that someone sent waits for the button.
            if (context.takeSQLOnce() && params.sql) run();
        },
        move() { return false; },
        open() { field.focus(); },
        close() {},
        search() { field.focus(); },
    };
}

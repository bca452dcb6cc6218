// @ts-check
// An event of the dictionary: its meaning, columns, calls, how often it was seen, and a query to start with.

import { linkButton } from "../base/controls.js";
import { copyButton, foreign, h, icon, prose } from "../base/dom.js";
import { ago, clockTime, moment } from "../base/format.js";
import { linkList } from "../base/links.js";
import { badge, factList, fold, section, typeOf } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { readyQuery } from "../model/catalog.js";
import { compareVersions } from "../model/versions.js";
import { addButton } from "../parts/add-dialog.js";

/** @param {PageContext} context @param {DefinedEvent} defined @param {EventCoverage | undefined} report */
export function definition(context, defined, report) {
    const { t, catalog } = context;
    const { event, category, columns } = defined;
    return h("div", { class: "content" },
        h("h2", { class: "tag" }, foreign(event.tag)),
        h("p", { class: "when muted", "data-seen": "" }, seenText(context, event.tag)),
        event.obsolete ? h("div", { class: "warning" }, h("strong", null, t("dict.obsolete"))) : null,
        h("div", { class: "definition" }, prose(event.description)),
        h("div", { class: "actions" }, copyButton(t("copy.name"), t("copy.done"), () => event.tag),
            addButton(context, event.tag), recordsLink(t, event.tag)),
        linkList(context, "event", { category: category.name, event: event.name, tag: event.tag }),
        section(t("history.parameters"), columns.length > 0 ? columnTable(t, columns)
            : h("p", { class: "muted" }, t("dict.noColumns"))),
        catalog.common.length > 0
            ? fold(t("detail.common", { n: catalog.common.length }), columnTable(t, catalog.common)) : null,
        category.description
            ? fold(t("dict.category"), h("div", { class: "definition" }, prose(category.description))) : null,
        report ? callSection(t, report) : null,
        h("div", { "data-versions": "" }, versionSection(context, event.tag)),
        querySection(context, readyQuery(defined)),
        h("p", { class: "muted source" }, foreign(event.location)));
}

/** An event that was sent but is not defined.
 * @param {PageContext} context @param {string} tag */
export function undefinedEvent(context, tag) {
    const { t } = context;
    return h("div", { class: "content" }, h("h2", { class: "tag" }, foreign(tag)),
        h("div", { class: "warning" }, t("detail.undefined")), h("p", { "data-seen": "" }, seenText(context, tag)),
        h("div", { class: "actions" }, recordsLink(t, tag)));
}

/** @param {PageContext} context @param {string} tag */
export function seenText({ t, tags, language }, tag) {
    const summary = tags.of(tag);
    if (!summary) return t("dict.neverLong");
    const when = (/** @type {Nanoseconds} */ time) => moment(time, language, clockTime(time).slice(0, 8));
    return h("span", { class: "parts" }, [
        t("dict.count", { n: summary.count }), `${t("dict.first")} ${when(summary.first_time)}`,
        `${t("dict.last")} ${when(summary.last_time)}`, ago(summary.last_time, Date.now(), language),
    ].map((words) => h("span", null, words)));
}

/** @param {Translate} t @param {string} tag */
function recordsLink(t, tag) {
    return linkButton("history", t("dict.records"), formatRoute({ screen: "history", params: { tag } }));
}

/** Where the event is called, if a report says so.
 * @param {Translate} t @param {EventCoverage} report */
function callSection(t, { calls, called, fired }) {
    const more = Number(calls ?? 0) - called.length;
    return [calls === null ? null : section(t("cover.calls"), called.length === 0
        ? h("p", { class: "muted" }, t("cover.notCalled"))
        : h("ul", { class: "places" }, called.map(({ file, line }) => h("li", null, foreign(`${file}:${line}`))),
            more > 0 ? h("li", { class: "muted" }, t("json.more", { n: more })) : null)),
    fired === null ? null : section(t("cover.fired"), h("p", { class: fired === 0 ? "muted" : null },
        fired === 0 ? t("dict.never") : t("dict.count", { n: Number(fired) })))];
}

/** @param {PageContext} context @param {string} tag */
export function versionSection({ t, tags }, tag) {
    // Newest first; records without a version last.
    const versions = [...tags.of(tag)?.versions ?? []]
        .sort((left, right) => compareVersions(right.version ?? "", left.version ?? ""));
    if (versions.length === 0) return null;
    return section(t("cover.versions"), factList(versions.map(({ version, count }) => [
        version === null ? t("cover.noVersion") : foreign(version), t("dict.count", { n: Number(count) })])));
}

/** @param {PageContext} context @param {string} sql */
function querySection({ t, runSQLOnce }, sql) {
    return section(t("dict.query"), h("pre", { class: "sample" }, sql), h("div", { class: "actions" },
        h("a", { class: "button", href: formatRoute({ screen: "sql", params: { sql } }), on: { click: runSQLOnce } },
            icon("sql"), h("span", null, t("dict.run"))),
        copyButton(t("copy.sql"), t("copy.done"), () => sql)));
}

/** @param {Translate} t @param {ColumnDefinition[]} columns */
export function columnTable(t, columns) {
    return h("dl", { class: "parameters" }, columns.map((column) => {
        const term = [
            foreign(column.name, "key"), typeOf(t, column),
            column.classification !== "plain" && badge(t(`column.${column.classification}`)),
            column.obsolete && badge(t("dict.obsolete")),
        ];
        const values = column.values.map(({ value, description }) =>
            h("li", null, h("code", null, foreign(value)), description && [" ", foreign(description)]));
        return h("div", { class: "parameter", "data-obsolete": column.obsolete ? "true" : null },
            h("dt", null, term),
            h("dd", null, column.notes.map((note) => h("div", { class: "note" }, prose(note))),
                values.length > 0 && h("ul", { class: "values" }, values)));
    }));
}

// One record against its definition.

import { call } from "../base/api.js";
import { copyButton, foreign, h, icon, prose, replaceChildren } from "../base/dom.js";
import { ago, calendarDay, clockTime, cut, duration, levelName, valueText } from "../base/format.js";
import { jsonTree } from "../base/json-tree.js";
import { commonParameters, isPrivate, isUndefinedEvent, masked, ownParameters } from "../model/record.js";
import { badge, fold, paneTop, section, typeOf } from "../base/pane.js";
import { formatRoute } from "../base/route.js";

const longestValue = 4_000;

export function createDetail(context, { close }) {
    const { t, catalog, language } = context;
    const element = h("aside", { class: "pane detail", tabindex: "-1", "aria-label": t("detail.title") });
    let wanted = null;
    let reveals = false;
    clear();

    function clear() {
        wanted = null;
        element.dataset.empty = "true";
        replaceChildren(element, h("div", { class: "hint" }, h("p", null, t("detail.hint")), h("p", { class: "keys" },
            h("kbd", null, "j"), " ", h("kbd", null, "k"), ` ${t("detail.hintKeys")}`)));
    }

    async function show(id, known) {
        wanted = id;
        reveals = false;
        element.dataset.empty = "false";
        if (known) draw(known, null);
        try {
            const { record, nearest } = await call(`records/${id}`);
            // What is known already has been drawn; only the nearest name is news.
            if (wanted === id && (!known || nearest)) draw(record, nearest);
        } catch (error) {
            if (wanted === id && !known) draw(null, null, error);
        }
    }

    function draw(record, nearest, error) {
        element.scrollTop = 0;
        if (error) {
            const words = h("div", { class: "hint" }, h("p", null, error.message));
            replaceChildren(element, paneTop(t, t("detail.title"), close), words);
            return;
        }
        const defined = record.kind === "event" ? catalog.find(record.tag) : undefined;
        const own = ownParameters(record, catalog);
        const common = commonParameters(record, catalog);
        const hasPrivate = [...own, ...common].some(isPrivate);
        const shown = reveals ? record : masked(record, catalog, "••••");
        element.dataset.kind = record.kind;
        replaceChildren(element,
            paneTop(t, kindLine(record.kind), close),
            h("div", { class: "content" },
                h("h2", { class: "tag" }, foreign(record.tag)),
                h("p", { class: "when" }, `${calendarDay(record.time, language)}, ${clockTime(record.time)} `,
                    h("span", { class: "muted" }, ago(record.time, Date.now(), language))),
                record.message ? h("p", { class: "message" }, foreign(record.message)) : null,
                isUndefinedEvent(record, catalog) ? undefinedNote(nearest) : null,
                defined ? h("div", { class: "definition" }, prose(defined.event.description)) : null,
                h("div", { class: "actions" },
                    copyButton(t("copy.json"), t("copy.done"), () => JSON.stringify(shown, null, 2)),
                    defined ? link("dict", t("detail.dictionary"), { screen: "dict", path: [record.tag] }) : null,
                    link("search", t("detail.same"),
                        { screen: "history", params: { tag: record.tag, sel: String(record.id) } }),
                    record.session ? link("history", t("detail.session"),
                        { screen: "history", params: { session: record.session, sel: String(record.id) } }) : null),
                own.length > 0 ? section(t("detail.parameters"), parameterList(own)) : null,
                hasPrivate ? h("button", {
                    class: "button quiet", type: "button",
                    on: { click: () => { reveals = !reveals; draw(record, nearest); } },
                }, t(reveals ? "detail.mask" : "detail.reveal")) : null,
                common.length > 0 ? fold(t("detail.common", { n: common.length }), parameterList(common))
                    : null,
                fold(t("detail.record"), facts(record), true),
                fold(t("detail.json"), h("div", { class: "tree" }, jsonTree(shown, t, 2)))));
    }

    function kindLine(kind) {
        return h("span", { class: "kindline", "data-kind": kind }, icon(kind), t(`kind.${kind}`));
    }

    function link(picture, words, route) {
        return h("a", { class: "button quiet", href: formatRoute(route) }, icon(picture), h("span", null, words));
    }

    function undefinedNote(nearest) {
        return h("div", { class: "warning" }, h("strong", null, t("detail.undefined")), " ",
            nearest ? [t("detail.nearest"), " ", h("a", { href: formatRoute({ screen: "dict", path: [nearest] }) },
                foreign(nearest, "tag"))]
                : t("detail.noNearest"));
    }

    function parameterList(parameters) {
        return h("dl", { class: "parameters" }, parameters.map((parameter) => {
            const { column, state } = parameter;
            const declared = column?.values.find((value) => value.value === String(parameter.value));
            const term = [
                foreign(parameter.name, "key"), column && typeOf(t, column),
                state === "extra" && badge(t("record.extra"), "warning"),
                state === "missing" && badge(t("record.missing"), "error"),
            ];
            const notes = [
                declared?.description ? h("div", { class: "note" }, foreign(declared.description)) : null,
                column?.notes.map((note) => h("div", { class: "note" }, prose(note))),
            ];
            return h("div", { class: "parameter", "data-state": state },
                h("dt", null, term), h("dd", null, value(parameter), notes));
        }));
    }

    function value(parameter) {
        if (parameter.state === "absent" || parameter.state === "missing") return h("span", { class: "none" }, "–");
        if (isPrivate(parameter) && !reveals) return h("span", { class: "none" }, "••••");
        if (parameter.value !== null && typeof parameter.value === "object") {
            return h("div", { class: "tree" }, jsonTree(parameter.value, t, 1));
        }
        const text = valueText(parameter.value);
        const field = foreign(cut(text, longestValue), "value");
        if (text.length <= longestValue) return field;
        return [field, h("button", {
            class: "button quiet", type: "button",
            on: { click: (event) => { field.textContent = text; event.currentTarget.remove(); } },
        }, t("detail.whole", { n: text.length }))];
    }

    function facts(record) {
        const source = record.file ? `${record.file}${record.line ? `:${record.line}` : ""}` : null;
        const pairs = [
            ["id", record.id], ["uid", record.uid], [t("fact.level"), t(`level.${levelName(record.level)}`)],
            [t("fact.duration"), record.duration === null ? null : duration(record.duration)],
            [t("fact.module"), record.module],
            [t("fact.source"), source], [t("fact.function"), record.function], [t("fact.session"), record.session],
            [t("fact.installation"), record.installation], ["trace", record.trace_id], ["span", record.span_id],
            [t("fact.parent"), record.parent_span_id],
        ];
        const known = pairs.filter(([, fact]) => fact !== null && fact !== undefined && fact !== "");
        return h("dl", { class: "facts" },
            known.map(([label, fact]) => [h("dt", null, label), h("dd", null, foreign(fact))]));
    }

    return { element, show, clear };
}

// One record against its definition, with what stands around it.

import { call } from "../base/api.js";
import { copyText } from "../base/bridge.js";
import { codeSpans, copyButton, foreign, h, icon, prose, replaceChildren } from "../base/dom.js";
import { ago, duration, levelName, moment } from "../base/format.js";
import { searchableTree } from "../base/json-tree.js";
import { linkList } from "../base/links.js";
import { longText } from "../base/long-text.js";
import { fold, paneTop, section } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { openExport } from "../export/export-dialog.js";
import { commonParameters, isUndefinedEvent, masked, ownParameters } from "../model/record.js";
import { mask, parameterList } from "./parameter-list.js";
import { explanation } from "./explanation.js";
import { createSurroundings } from "./surroundings.js";

const errorLevel = 17;

export function createDetail(context, { close }) {
    const { t, catalog, language } = context;
    const element = h("aside", { class: "pane detail", tabindex: "-1", "aria-label": t("detail.title") });
    const surroundings = createSurroundings(context);
    let wanted = null;
    let shown = null;
    let reveals = false;
    clear();

    function clear() {
        wanted = null;
        shown = null;
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
        shown = record;
        const defined = record.kind === "event" ? catalog.find(record.tag) : undefined;
        const own = ownParameters(record, catalog);
        const common = commonParameters(record, catalog);
        const hasPrivate = [...own, ...common].some((parameter) => parameter.isPrivate);
        const visible = copied();
        const isCurrent = () => shown === record;
        element.dataset.kind = record.kind;
        const [category, ...rest] = record.tag.split(".");
        replaceChildren(element,
            paneTop(t, kindLine(record.kind), close),
            h("div", { class: "content" },
                h("h2", { class: "tag" }, foreign(record.tag)),
                h("p", { class: "when" }, `${moment(record.time, language)} `,
                    h("span", { class: "muted whole" }, ago(record.time, Date.now(), language))),
                record.message ? h("p", { class: "message" }, longText(t, record.message)) : null,
                isUndefinedEvent(record, catalog) ? undefinedNote(nearest) : null,
                defined ? h("div", { class: "definition" }, prose(defined.event.description)) : null,
                actions(record, defined),
                record.kind === "event" ? linkList(context, "event", { category, event: rest.join("."), tag: record.tag })
                    : null,
                findings(record),
                own.length > 0 ? section(t("detail.parameters"), parameterList(t, own, reveals, wrong(record))) : null,
                hasPrivate ? h("button", {
                    class: "button quiet", type: "button",
                    on: { click: () => { reveals = !reveals; draw(record, nearest); } },
                }, t(reveals ? "detail.mask" : "detail.reveal")) : null,
                record.level >= errorLevel || record.kind === "error" ? surroundings.leadingUp(record, isCurrent) : null,
                record.kind === "event" ? surroundings.comparison(record, reveals, isCurrent) : null,
                common.length > 0 ? fold(t("detail.common", { n: common.length }), parameterList(t, common, reveals, wrong(record)))
                    : null,
                surroundings.neighbours(record),
                explanation(context, record),
                fold(t("detail.record"), facts(record), true),
                fold(t("detail.json"), searchableTree(visible, t, 2))));
    }

    /** What a copy holds: no more than the page shows. */
    function copied() { return reveals ? shown : masked(shown, catalog, mask); }

    function actions(record, defined) {
        const params = (more) => ({ screen: "history", params: { ...more, sel: String(record.id) } });
        return h("div", { class: "actions" },
            copyButton(t("copy.json"), t("copy.done"), () => JSON.stringify(copied(), null, 2)),
            defined ? link("dict", t("detail.dictionary"), { screen: "dict", path: [record.tag] }) : null,
            record.kind === "request" ? link("net", t("screen.net"), { screen: "net", path: [String(record.id)] }) : null,
            link("search", t("detail.same"), params({ tag: record.tag })),
            record.session ? link("sessions", t("detail.session"), params({ session: record.session })) : null,
            record.trace_id ? link("timeline", t("detail.trace"), params({ trace: record.trace_id, view: "timeline" }))
                : null,
            h("button", { class: "button quiet", type: "button", on: { click: () => openExport(context, {
                records: async () => [record], name: `record-${record.id}` }) } },
            icon("share"), h("span", null, t("export.title"))));
    }

    /** The messages about one parameter. */
    function wrong({ violations = [] }) {
        return (name) => violations.filter(({ column }) => column === name).map(({ message }) => message);
    }

    /** What is wrong with the record as a whole; the rest stands at the parameters. */
    function findings(record) {
        const shownElsewhere = new Set([...ownParameters(record, catalog), ...commonParameters(record, catalog)]
            .map(({ name }) => name));
        const found = (record.violations ?? []).filter(({ kind, column }) => kind !== "undefined_event"
            && !shownElsewhere.has(column));
        return found.length === 0 ? null : h("div", { class: "warning" }, h("ul", null,
            found.map(({ message }) => h("li", null, codeSpans(message)))));
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

    function facts(record) {
        const source = record.file ? `${record.file}${record.line ? `:${record.line}` : ""}` : null;
        const pairs = [
            ["id", record.id], ["uid", record.uid], [t("fact.level"), t(`level.${levelName(record.level)}`)],
            [t("fact.duration"), record.duration === null ? null : duration(record.duration, language)],
            [t("fact.module"), record.module],
            [t("fact.source"), source], [t("fact.function"), record.function], [t("fact.session"), record.session],
            [t("fact.installation"), record.installation], ["trace", record.trace_id], ["span", record.span_id],
            [t("fact.parent"), record.parent_span_id],
        ];
        const known = pairs.filter(([, fact]) => fact !== null && fact !== undefined && fact !== "");
        return h("dl", { class: "facts" },
            known.map(([label, fact]) => [h("dt", null, label), h("dd", null, foreign(fact))]));
    }

    return {
        element,
        show,
        clear,
        /** Copies the record as the page shows it; false where none is shown. */
        async copy() {
            if (shown === null) return false;
            await copyText(JSON.stringify(copied(), null, 2));
            return true;
        },
    };
}

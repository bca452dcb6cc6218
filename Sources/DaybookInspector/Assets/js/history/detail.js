// @ts-check
// A record next to its definition, with its surroundings.

import { call, messageOf } from "../base/api.js";
import { copyText } from "../base/bridge.js";
import { linkButton, quietButton } from "../base/controls.js";
import { codeSpans, copyButton, foreign, h, icon, prose, replaceChildren } from "../base/dom.js";
import { ago, duration, levelName, moment } from "../base/format.js";
import { searchableTree } from "../base/json-tree.js";
import { linkList } from "../base/links.js";
import { fact, factList, fold, hint, longText, paneTop, section } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { ofKnown, quietExportButton } from "../export/export-dialog.js";
import { exactTag } from "../model/filter.js";
import { commonParameters, isError, isUndefinedEvent, ownParameters, sourceOf, violationText } from "../model/record.js";
import { addButton } from "../parts/add-dialog.js";
import { explanation } from "./explanation.js";
import { parameterList } from "./parameter-list.js";
import { comparison, leadingUp, neighbours } from "./surroundings.js";

export class Detail {
    /** @type {string | null} the number of the record that was asked for */
    #wanted = null;
    /** @type {LogRecord | null} */
    #shown = null;
    /** @type {string | null} the defined tag closest to an undefined one */
    #nearest = null;
    /** Whether the record is shown with its private values. */
    #reveals = false;

    /** @param {PageContext} context @param {() => void} close @param {Asking} ask */
    constructor(context, close, ask) {
        this.context = context;
        this.close = close;
        this.ask = ask;
        this.element = h("aside", { class: "pane detail", tabindex: "-1", "aria-label": context.t("detail.title") });
        this.clear();
    }

    clear() {
        const { t } = this.context;
        this.#wanted = null;
        this.#shown = null;
        this.element.dataset.empty = "true";
        replaceChildren(this.element, h("div", { class: "hint" }, h("p", null, t("detail.hint")),
            h("p", { class: "keys" }, h("kbd", null, "j"), " ", h("kbd", null, "k"), ` ${t("detail.hintKeys")}`)));
    }

    /** @param {string} id @param {LogRecord} [known] the record, where it is at hand */
    async show(id, known) {
        this.#wanted = id;
        this.#reveals = false;
        this.element.dataset.empty = "false";
        if (known) this.#draw(known, null);
        try {
            const { record, nearest } = await call(`records/${id}`);
            // A known record has been drawn; only the nearest name is new.
            if (this.#wanted === id && (!known || known.cut || nearest)) this.#draw(record, nearest);
        } catch (error) {
            if (this.#wanted === id && !known) this.#drawFailure(messageOf(error));
        }
    }

    /** Copies the record as shown; false if there is none. */
    async copy() {
        if (this.#shown === null) return false;
        await copyText(JSON.stringify(this.#shown, null, 2));
        return true;
    }

    /** Reveals the record's private values, which the collector logs, or masks them again.
     * @param {Integer} id */
    async #turn(id) {
        const reveals = !this.#reveals;
        try {
            const { record, nearest } = await call(`records/${id}${reveals ? "?private=show" : ""}`);
            if (this.#wanted !== String(id)) return;
            this.#reveals = reveals;
            this.#draw(record, nearest);
        } catch (error) {
            if (this.#wanted === String(id)) this.#drawFailure(messageOf(error));
        }
    }

    /** @param {string} message */
    #drawFailure(message) {
        const { t } = this.context;
        this.element.scrollTop = 0;
        replaceChildren(this.element, paneTop(t, t("detail.title"), this.close), hint(message));
    }

    /** @param {LogRecord} record @param {string | null} nearest */
    #draw(record, nearest) {
        const { t } = this.context;
        this.#shown = record;
        this.#nearest = nearest;
        this.element.scrollTop = 0;
        this.element.dataset.kind = record.kind;
        replaceChildren(this.element,
            paneTop(t, h("span", { class: "kindline", "data-kind": record.kind }, icon(record.kind),
                t(`kind.${record.kind}`)), this.close),
            h("div", { class: "content" }, this.#heading(record), this.#parameters(record), this.#surroundings(record),
                explanation(t, record), fold(t("detail.record"), facts(this.context, record, this.ask), true),
                fold("JSON", searchableTree(record, t, 2))));
    }

    /** The record's name, time, definition and actions.
     * @param {LogRecord} record */
    #heading(record) {
        const { t, catalog, language } = this.context;
        const defined = record.kind === "event" ? catalog.find(record.tag) : undefined;
        const [category, ...rest] = record.tag.split(".");
        return [
            h("h2", { class: "tag" }, foreign(record.tag), " ", this.ask("tag", record.tag, false)),
            h("p", { class: "when" }, `${moment(record.time, language)} `,
                h("span", { class: "muted whole" }, ago(record.time, Date.now(), language))),
            record.implausible ? h("p", { class: "warning" }, t("history.implausible")) : null,
            record.message ? h("p", { class: "message" }, longText(t, record.message)) : null,
            isUndefinedEvent(record, catalog) ? undefinedNote(t, this.#nearest) : null,
            defined ? h("div", { class: "definition" }, prose(defined.event.description)) : null,
            this.#actions(record, defined !== undefined),
            record.kind === "event"
                ? linkList(this.context, "event", { category, event: rest.join("."), tag: record.tag }) : null,
        ];
    }

    /** @param {LogRecord} record @param {boolean} isDefined */
    #actions(record, isDefined) {
        const { t } = this.context;
        const inHistory = (/** @type {Params} */ params) =>
            formatRoute({ screen: "history", params: { ...params, sel: String(record.id) } });
        return h("div", { class: "actions" },
            copyButton(t("copy.json"), t("copy.done"), () => JSON.stringify(record, null, 2)),
            isDefined
                ? linkButton("dict", t("detail.dictionary"), formatRoute({ screen: "dict", path: [record.tag] }))
                    : null,
            record.kind === "request"
                ? linkButton("net", t("screen.net"), formatRoute({ screen: "net", path: [String(record.id)] })) : null,
            record.kind === "event" ? addButton(this.context, record.tag) : null,
            linkButton("search", t("detail.same"), inHistory({ tag: exactTag(record.tag) })),
            record.session ? linkButton("sessions", t("detail.session"), inHistory({ session: record.session })) : null,
            record.trace_id
                ? linkButton("timeline", t("detail.trace"), inHistory({ trace: record.trace_id, view: "timeline" }))
                    : null,
            quietExportButton(this.context, () => ({ records: ofKnown(() => [record]), name: `record-${record.id}` })));
    }

    /** Violations of the record as a whole, and its own parameters.
     * @param {LogRecord} record */
    #parameters(record) {
        const { t, catalog } = this.context;
        const own = ownParameters(record, catalog);
        const common = commonParameters(record, catalog);
        return [
            findings(t, record, [...own, ...common]),
            own.length > 0 ? section(t("history.parameters"),
                parameterList(t, own, record.violations ?? [], this.ask)) : null,
            record.masked || this.#reveals
                ? quietButton(t(this.#reveals ? "detail.mask" : "detail.reveal"), () => this.#turn(record.id)) : null,
        ];
    }

    /** @param {LogRecord} record */
    #surroundings(record) {
        const { t, catalog } = this.context;
        const isCurrent = () => this.#shown === record;
        const common = commonParameters(record, catalog);
        return [
            isError(record) ? leadingUp(this.context, record, isCurrent) : null,
            record.kind === "event" ? comparison(this.context, record, this.#reveals, isCurrent) : null,
            common.length > 0 ? fold(t("detail.common", { n: common.length }),
                parameterList(t, common, record.violations ?? [], this.ask)) : null,
            neighbours(this.context, record),
        ];
    }
}

/** @param {Translate} t @param {string | null} nearest */
function undefinedNote(t, nearest) {
    return h("div", { class: "warning" }, h("strong", null, t("detail.undefined")), " ",
        nearest ? [t("detail.nearest"), " ", h("a", { href: formatRoute({ screen: "dict", path: [nearest] }) },
            foreign(nearest, "tag"))]
            : t("detail.noNearest"));
}

/** The violations without a parameter.
 * @param {Translate} t @param {LogRecord} record @param {Parameter[]} parameters */
function findings(t, { violations = [] }, parameters) {
    const names = new Set(parameters.map(({ name }) => name));
    const found = violations.filter(({ kind, column }) =>
        kind !== "undefined_event" && (column === null || !names.has(column)));
    return found.length === 0 ? null : h("div", { class: "warning" }, h("ul", null,
        found.map((violation) => h("li", null, codeSpans(violationText(t, violation))))));
}

/** @param {PageContext} context @param {LogRecord} record @param {Asking} ask */
function facts({ t, language }, record, ask) {
    /** @type {(text: string | null, params: Params) => Child} */
    const narrowing = (text, params) => (text
        ? h("a", { href: formatRoute({ screen: "history", params: { ...params, sel: String(record.id) } }) },
            foreign(text))
        : null);
    const asked = (/** @type {string} */ name, /** @type {Child} */ shown, /** @type {string | null} */ value) =>
        (value ? h("span", { class: "askedfact" }, shown, ask(name, value, false)) : null);
    return factList([
        ["id", fact(record.id)], ["uid", fact(record.uid)],
        [t("fact.level"), asked("level", fact(t(`level.${levelName(record.level)}`)), levelName(record.level))],
        [t("fact.duration"), fact(record.duration === null ? null : duration(record.duration, language))],
        [t("filter.module"), asked("module", narrowing(record.module, { module: record.module ?? "" }), record.module)],
        [t("fact.source"), asked("file", narrowing(sourceOf(record), { file: record.file ?? "" }), record.file)],
        [t("fact.function"), asked("function", fact(record.function), record.function)],
        [t("filter.session"), asked("session", fact(record.session), record.session)],
        [t("filter.installation"), asked("installation", fact(record.installation), record.installation)],
        ["trace", asked("trace", fact(record.trace_id), record.trace_id)], ["span", fact(record.span_id)],
        [t("fact.parent"), fact(record.parent_span_id)],
    ]);
}

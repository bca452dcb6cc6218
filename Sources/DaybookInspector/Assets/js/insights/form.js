// @ts-check
// The form of a question: its kind, its steps from the dictionary, and how they are joined.

import { button, choiceField, labelled, primaryButton, quietButton, verbatim } from "../base/controls.js";
import { h, replaceChildren } from "../base/dom.js";
import { isOwnTag } from "../model/catalog.js";
import { compareVersions } from "../model/versions.js";
import { fitted, isComplete, mostColumns, questionKinds, spans, withins } from "./question.js";

export class InsightForm {
    /** @type {InsightQuestion} */
    #question;
    #datalist = h("datalist", { id: "insight-events" });
    #versions = h("datalist", { id: "insight-versions" });
    #body = h("div", { class: "insightform" });
    /** What two events are compared by; stays, because it follows their names as they are written.
     * @type {HTMLInputElement} */
    #columnsField;

    /** @param {PageContext} context @param {InsightQuestion} question
     * @param {{ run: () => void, change: () => void }} actions `change`: another question stands in the form */
    constructor(context, question, actions) {
        this.context = context;
        this.actions = actions;
        this.#question = question;
        const compared = context.t("insight.columns");
        this.#columnsField = h("input", { class: "field", value: question.columns.join(", "), "aria-label": compared,
            ...verbatim, on: { change: () => this.#change({ columns: this.#columnsField.value.split(",")
                .map((name) => name.trim()).filter((name) => name !== "") }, false) } });
        this.runButton = primaryButton(context.t("sql.run"), () => this.actions.run());
        this.element = h("form", { class: "toolbar stacked", on: { submit: (event) => {
            event.preventDefault();
            this.actions.run();
        } } }, this.#body, this.#datalist, this.#versions);
        context.tags.listen(() => this.#fillLists());
        this.#fillLists();
        this.#draw();
    }

    get question() { return this.#question; }

    set question(question) {
        this.#question = question;
        this.#columnsField.value = question.columns.join(", ");
        this.#draw();
    }

    focus() { this.element.querySelector("input")?.focus(); }

    /** @param {Partial<InsightQuestion>} change */
    #change(change, redraws = true) {
        const question = { ...this.#question, ...change };
        if (change.steps || change.kind) question.columns = this.#differing(question.steps);
        this.#question = fitted(question);
        if (redraws) this.#draw();
        this.#columnsField.value = this.#question.columns.join(", ");
        this.runButton.disabled = !isComplete(this.#question);
        this.actions.change();
    }

    #fillLists() {
        const { catalog, tags } = this.context;
        const seen = tags.all.filter(({ kind, tag }) => kind === "event" && !isOwnTag(tag));
        const names = new Set([...catalog.events.keys(), ...seen.map(({ tag }) => tag)]);
        replaceChildren(this.#datalist, [...names].sort().map((name) => h("option", { value: name })));
        const versions = new Set(seen.flatMap((tag) => tag.versions.map(({ version }) => version ?? "")));
        replaceChildren(this.#versions, [...versions].filter((name) => name !== "")
            .sort((left, right) => compareVersions(right, left))
            .map((name) => h("option", { value: name })));
    }

    #draw() {
        const { t } = this.context;
        const { kind } = this.#question;
        replaceChildren(this.#body,
            h("div", { class: "line kinds", role: "group", "aria-label": t("insight.kind") },
                questionKinds.map((name) =>
                button("button", t(`insight.${name}`), () => this.#change({ kind: /** @type {InsightKind} */ (name) }),
                    { "aria-pressed": String(name === kind) }))),
            h("ol", { class: "insightsteps" }, this.#question.steps.map((step, index) => this.#step(step, index))),
            kind !== "funnel" || this.#question.steps.length >= 10 ? null : quietButton(t("insight.addStep"), () => {
                this.#change({ steps: [...this.#question.steps, ""] });
                /** @type {HTMLInputElement | null} */
                (this.#body.querySelector("ol li:last-child input"))?.focus();
            }),
            kind !== "funnel" ? null : h("ul", { class: "insightsteps" }, this.#excluded()),
            h("div", { class: "choice" }, this.#choices()));
        this.runButton.disabled = !isComplete(this.#question);
    }

    /** An event and its conditions: `search.search` and `order = "popular"`.
     * @param {string} label @param {string} step @param {string} placeholder @param {(step: string) => void} change */
    #event(label, step, placeholder, change) {
        const { t } = this.context;
        const open = step.indexOf("(");
        const event = open < 0 ? step : step.slice(0, open);
        const test = open < 0 ? "" : step.slice(open + 1).replace(/\)$/, "");
        const field = h("input", { class: "field event", list: "insight-events", value: event, "aria-label": label,
            placeholder, ...verbatim });
        const tests = h("input", { class: "field tests", value: test,
            "aria-label": t("insight.testsOf", { step: label }), placeholder: t("insight.tests"), ...verbatim });
        const read = () => {
            const name = field.value.trim();
            const narrowed = tests.value.trim();
            change(narrowed === "" ? name : `${name}(${narrowed})`);
        };
        field.addEventListener("input", read);
        tests.addEventListener("input", read);
        return [h("span", { class: "muted steplabel" }, label), field, tests];
    }

    /** @param {string} step @param {number} index */
    #step(step, index) {
        const { t } = this.context;
        const { kind, steps } = this.#question;
        const label = kind === "funnel" ? t("insight.step", { n: index + 1 }) : kind === "path" ? t("insight.after")
            : kind === "retention" ? t(index === 0 ? "insight.first" : "insight.returning")
                : kind === "differ" ? t("insight.side", { n: index + 1 }) : t("insight.event");
        const placeholder = t(kind === "retention" && index === 1 ? "insight.same" : "kind.event");
        return h("li", null, this.#event(label, step, placeholder, (text) => {
            const changed = [...this.#question.steps];
            changed[index] = text;
            this.#change({ steps: changed }, false);
        }), kind === "funnel" && steps.length > 2
                ? quietButton("×", () => this.#change({ steps: steps.filter((_, place) => place !== index) }),
                    { "aria-label": t("insight.removeStep", { n: index + 1 }) }) : null);
    }

    /** The event that ends a way through a funnel. */
    #excluded() {
        const { t } = this.context;
        return h("li", null, this.#event(t("insight.without"), this.#question.without, t("insight.nothingBetween"),
            (without) => this.#change({ without }, false)));
    }

    /** What two events may differ in: the version, and the columns of both.
     * @param {string[]} steps */
    #differing(steps) {
        const names = steps.flatMap((step) => this.#columns(() => true, step));
        return [...new Set(["version", ...names])].slice(0, mostColumns);
    }

    /** Columns that an answer can be divided by: those of the first event, and common ones.
     * @param {(column: ColumnDefinition) => boolean} [isFit] */
    #columns(isFit = () => true, step = this.#question.steps[0]) {
        const { catalog } = this.context;
        const tag = step.replace(/\(.*/s, "");
        const own = catalog.events.get(tag)?.columns ?? [];
        return [...new Set([...own, ...catalog.common].filter((column) => column.classification === "plain" && isFit(column))
            .map((column) => column.name))];
    }

    #choices() {
        const { t, catalog } = this.context;
        const { kind, anyOrder, number, buckets, within, joining, version, versions, parameter, period, last } = this.#question;
        const usual = kind === "retention" ? "installation" : "session";
        const joinings = [...new Set(["session", "installation", ...catalog.common.map((column) => column.name)])];
        return [
            kind !== "differ" ? null : labelled(t("insight.columns"), this.#columnsField),
            kind !== "measure" ? null : this.#select(t("insight.number"), number, [["_duration", t("insight.duration")],
                ...this.#columns((column) => /^!?(small|big)?(int|integer|float|double)/.test(column.type))
                    .map((name) => [name, name])], (chosen) => this.#change({ number: chosen })),
            kind !== "measure" ? null : this.#select(t("insight.show"), buckets ? "buckets" : "",
                [["", t("insight.percentiles")], ["buckets", t("insight.buckets")]],
                (chosen) => this.#change({ buckets: chosen === "buckets" })),
            kind !== "funnel" ? null : this.#select(t("insight.order"), anyOrder ? "any" : "",
                [["", t("insight.inOrder")], ["any", t("insight.anyOrder")]],
                (chosen) => this.#change({ anyOrder: chosen === "any" })),
            !["funnel", "path"].includes(kind) ? null : this.#select(t("insight.within"), within,
                withins.map((name) => [name, this.#time(name) || t("insight.anyTime")]),
                (chosen) => this.#change({ within: chosen })),
            ["measure", "differ"].includes(kind) ? null : this.#select(
                t(kind === "count" ? "insight.counted" : "insight.joining"), joining || usual,
                joinings.map((name) => [name, name === "session" ? t("insight.session")
                    : name === "installation" ? t("insight.installation") : name]),
                (chosen) => this.#change({ joining: chosen === usual ? "" : chosen })),
            kind === "differ" ? null : this.#select(t("insight.by"), version ? "version" : parameter ? `=${parameter}` : "",
                [["", t("insight.all")], ...(kind === "retention" ? [] : [["version", t("insight.byVersion")]]),
                    ...this.#columns().map((name) => [`=${name}`, name])], (chosen) => this.#change({
                    version: chosen === "version", versions: [], parameter: chosen.startsWith("=") ? chosen.slice(1) : "" })),
            version ? [0, 1].map((index) => this.#version(versions, index)) : null,
            kind === "path" || kind === "differ" ? null : this.#select(t("insight.period"), period, [
                ...(kind === "retention" ? [] : [["", t("insight.noPeriod")]]), ["day", t("insight.byDay")],
                ["week", t("insight.byWeek")]], (chosen) =>
                this.#change({ period: /** @type {"" | "day" | "week"} */ (chosen) })),
            this.#select(t("insight.last"), last, spans.map((name) => [name, this.#time(name) || t("insight.allTime")]),
                (chosen) => this.#change({ last: chosen })),
        ];
    }

    /** `10m` in words; empty for none.
     * @param {string} name */
    #time(name) {
        const unit = { m: "minute", h: "hour", d: "day" }[name.slice(-1)];
        return unit ? new Intl.NumberFormat(this.context.language, { style: "unit", unit, unitDisplay: "long" })
            .format(Number.parseInt(name, 10)) : "";
    }

    /** One of the two compared versions.
     * @param {string[]} versions @param {number} index */
    #version(versions, index) {
        const { t } = this.context;
        const label = t("insight.compared", { n: index + 1 });
        return labelled(label, h("input", { class: "field", list: "insight-versions", value: versions[index] ?? "",
            "aria-label": label, placeholder: t("insight.allVersions"), autocomplete: "off", on: { change: (event) => {
                const changed = [...this.#question.versions];
                changed[index] = /** @type {HTMLInputElement} */ (event.target).value.trim();
                this.#change({ versions: changed.filter((name) => name) }, false);
            } } }));
    }

    /** @param {string} label @param {string} value @param {string[][]} options
     * @param {(chosen: string) => void} choose */
    #select(label, value, options, choose) {
        const known = options.some(([name]) => name === value) ? options : [...options, [value, value.replace(/^=/, "")]];
        return labelled(label, choiceField(known, value, choose, { "aria-label": label }));
    }
}

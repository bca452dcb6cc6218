// @ts-check
// A release at a glance: the newest version next to the one before. Every number links to its records.

import { asError, call, isAbort, messageOf } from "../base/api.js";
import { choiceField } from "../base/controls.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { numberText, shortMoment } from "../base/format.js";
import { badge, failureNotice, notice, section } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { head, numberCell, numberHead, table } from "../base/table.js";
import { exactTag } from "../model/filter.js";
import { progress } from "../model/progress.js";
import { stateBadge } from "../parts/alert-state.js";
import { change, recordFigures, violationFigure } from "./figures.js";

/** @typedef {ReleaseName & ReturnType<typeof change>} JudgedName */

/** Ticks belong to a run, not to a version. */
const nobody = { has: () => false };
/** @type {Record<string, string | null>} */
const levels = { new: null, missing: "error", more: "warning", less: "warning", same: null };

/** The records that a number counts.
 * @param {string} tag @param {Kind} kind @param {string} version */
function recordsOf(tag, kind, version) {
    return formatRoute({ screen: "history", params: { tag: exactTag(tag), kind, version } });
}

/** Names that several kinds of records share: the kind is shown, too.
 * @param {ReleaseName[]} names */
function sharedNames(names) {
    /** @type {Set<string>} */
    const seen = new Set();
    return new Set(names.flatMap(({ tag }) => (seen.has(tag) ? [tag] : (seen.add(tag), []))));
}

/** @implements {PageScreen} */
export class Releases {
    /** @type {ReleaseComparison | null} */
    #found = null;
    /** @type {AbortController | null} */
    #request = null;
    #body = h("div", { class: "content releases", tabindex: "-1" });
    #choice = h("div", { class: "line" });

    /** @param {PageContext} context */
    constructor(context) {
        const { t } = context;
        this.context = context;
        this.main = h("section", { class: "pane release" },
            h("div", { class: "toolbar" }, h("h1", null, t("screen.releases")), this.#choice),
            h("div", { class: "scrolled" }, this.#body));
        this.side = h("aside", { class: "pane", hidden: true });
    }

    /** @param {Route} route */
    async show({ params: { version, against } }) {
        this.#request?.abort();
        const { signal } = this.#request = new AbortController();
        try {
            this.#found = await call("releases", { signal }, { version, against });
            this.#draw(signal);
        } catch (error) {
            if (isAbort(error)) return;
            replaceChildren(this.#choice);
            replaceChildren(this.#body, failureNotice(this.context.t, asError(error),
                () => this.show({ screen: "releases", path: [], params: { version, against } })));
        }
    }

    /** @param {AbortSignal} signal */
    #draw(signal) {
        const { t, navigate } = this.context;
        const found = this.#found;
        if (!found) return;
        const { version, against, versions, names, more } = found;
        if (version === null) {
            replaceChildren(this.#choice);
            replaceChildren(this.#body, notice(t("release.empty"), t("release.emptyHint")));
            return;
        }
        const picker = (/** @type {"version" | "against"} */ name, /** @type {string | null} */ chosen) => {
            const options = versions.map((one) => [one.version, one.version]);
            return choiceField(chosen === null ? [["", "–"], ...options] : options, chosen, (value) => navigate({
                screen: "releases", params: { version, against, [name]: value } }),
                { "aria-label": t(`release.${name}`) });
        };
        replaceChildren(this.#choice, picker("version", version), h("span", { class: "muted" }, t("release.than")),
            picker("against", against));
        const [all, allBefore] = [0, 1].map((index) =>
            names.reduce((sum, one) => sum + Number(index === 0 ? one.count : one.before), 0));
        const judged = names.map((one) => ({ ...one, ...change(one, all, allBefore) }));
        replaceChildren(this.#body, this.#tiles(found, version, signal),
            against === null ? null : [this.#changed("new", judged, version),
                this.#changed("missing", judged, against)],
            this.#checklists(version, signal), this.#alerts(signal),
            section(t("release.names"), this.#table(judged, version, against),
                Number(more) > 0 ? h("p", { class: "muted" }, t("release.more", { n: Number(more) })) : null,
                found.partial ? h("p", { class: "muted" }, t("release.partial")) : null));
    }

    /** @param {ReleaseComparison} found @param {string} version @param {AbortSignal} signal */
    #tiles({ against, versions }, version, signal) {
        const { t, live, language } = this.context;
        const link = (/** @type {string} */ of, /** @type {Record<string, string>} */ params,
            /** @type {number} */ count) =>
            h("a", { href: formatRoute({ screen: "history", params: { version: of, ...params } }) },
                numberText(count, language));
        const tile = (/** @type {string} */ words, /** @type {Record<string, string>} */ params) => {
            const [now, before] = [h("dd", null, "…"), h("dd", { class: "muted before" }, against === null ? "" : "…")];
            return { element: h("div", { class: "tile" }, h("dt", { class: "muted" }, words), now, before),
                set: (/** @type {number} */ count, /** @type {number | null} */ other) => {
                    replaceChildren(now, link(version, params, count));
                    replaceChildren(before, other === null || against === null ? null
                        : [t("release.before"), " ", link(against, params, other)]);
                }, fail: (/** @type {unknown} */ error) => {
                    if (!isAbort(error)) replaceChildren(now, foreign(messageOf(error), "wrong"));
                } };
        };
        const [records, errors, violations] = [tile(t("release.records"), {}),
            tile(t("release.errors"), { level: "error" }), tile(t("screen.violations"), { violations: "1" })];
        const count = async () => {
            const now = await recordFigures(version, signal);
            const before = against === null ? null : await recordFigures(against, signal);
            records.set(now.records, before?.records ?? null);
            errors.set(now.errors, before?.errors ?? null);
        };
        const judge = async () => {
            await live.heard();
            violations.set(await violationFigure(version, live.head, signal),
                against === null ? null : await violationFigure(against, live.head, signal));
        };
        count().catch((error) => {
            records.fail(error);
            errors.fail(error);
        });
        judge().catch((error) => violations.fail(error));
        const own = versions.find((one) => one.version === version);
        const moment = (/** @type {Nanoseconds} */ time) => shortMoment(time, Date.now(), language);
        return h("dl", { class: "tiles" }, records.element, errors.element, violations.element,
            own ? h("div", { class: "tile" }, h("dt", { class: "muted" }, t("release.first")),
                h("dd", { class: "small" }, moment(own.first_time)),
                h("dd", { class: "muted before" }, t("release.last"), " ", moment(own.last_time))) : null);
    }

    /** Names that only one of the two versions has.
     * @param {"new" | "missing"} state @param {JudgedName[]} names @param {string} of whose records they are */
    #changed(state, names, of) {
        const { t, catalog } = this.context;
        const found = names.filter((one) => one.state === state && one.kind !== "message");
        const shared = sharedNames(names);
        return section(t(state === "new" ? "release.new" : "release.missing"), found.length === 0
            ? h("p", { class: "muted" }, t("release.none"))
            : h("ul", { class: "changedlist" }, found.map(({ tag, kind, count, before }) => h("li", null,
                h("a", { href: recordsOf(tag, kind, of) }, foreign(tag, "tag")),
                shared.has(tag) ? h("span", { class: "muted" }, t(`kind.${kind}`)) : null,
                h("span", { class: "muted" }, t("dict.count", { n: Number(state === "new" ? count : before) })),
                kind !== "event" || catalog.isEmpty || catalog.find(tag) ? null
                    : badge(t("record.undefined"), "warning")))));
    }

    /** @param {string} version @param {AbortSignal} signal */
    #checklists(version, signal) {
        const { t } = this.context;
        const list = h("ul", { class: "changedlist" }, h("li", { class: "muted" }, "…"));
        const part = section(t("screen.check"), list);
        call("checklists", { signal }, { version }).then(({ checklists }) => {
            part.hidden = checklists.length === 0;
            replaceChildren(list, checklists.map((checklist) => {
                const { done, all, failed } = progress(checklist, nobody);
                return h("li", null, h("a", { href: formatRoute({ screen: "check", path: [checklist.id],
                    params: { version } }) },
                    foreign(checklist.title)), h("span", { class: "muted" }, t("check.progress", { done, all })),
                failed > 0 ? badge(t("check.failures", { n: failed }), "error") : null);
            }));
        }).catch((error) => {
            if (!isAbort(error)) replaceChildren(list, h("li", { class: "wrong" }, messageOf(error)));
        });
        return part;
    }

    /** @param {AbortSignal} signal */
    #alerts(signal) {
        const { t } = this.context;
        const list = h("ul", { class: "changedlist" });
        const part = section(t("screen.alerts"), list);
        part.hidden = true;
        call("alerts", { signal }).then(({ alerts, notices }) => {
            part.hidden = alerts.length === 0;
            const loud = alerts.filter(({ state }) => state !== "inactive");
            replaceChildren(list, loud.map(({ name, state }) => h("li", null,
                h("a", { href: formatRoute({ screen: "alerts", path: [name] }) }, foreign(name)),
                stateBadge(t, state))),
            h("li", { class: "muted" }, t("release.quiet", { n: alerts.length - loud.length }),
                notices === null ? null : ` · ${t("release.notices", { delivered: Number(notices.delivered),
                    waiting: Number(notices.waiting), dropped: Number(notices.dropped) })}`));
        }, () => {});
        return part;
    }

    /** @param {JudgedName[]} names @param {string} version @param {string | null} against */
    #table(names, version, against) {
        const { t, language } = this.context;
        const shared = sharedNames(names);
        const number = (/** @type {JudgedName} */ { tag, kind }, /** @type {string} */ of,
            /** @type {Integer} */ count) =>
            numberCell(Number(count) === 0 ? "0"
                : h("a", { href: recordsOf(tag, kind, of) }, numberText(Number(count), language)));
        const factor = new Intl.NumberFormat(language, { maximumSignificantDigits: 2 });
        return h("div", { class: "result" }, table(null, [head(t("history.name")), numberHead(foreign(version)),
            against === null ? null : [numberHead(foreign(against)),
                numberHead(t("release.change"), t("release.changeHint"))]],
        names.map((one) => h("tr", { "data-kind": one.kind, "data-state": one.state },
            h("td", null, foreign(one.tag), shared.has(one.tag)
                ? h("span", { class: "muted" }, " ", t(`kind.${one.kind}`)) : null),
            number(one, version, one.count),
            against === null ? null : [number(one, against, one.before), numberCell(one.factor === null
                ? badge(t(one.state === "new" ? "release.isNew" : "release.isMissing"), levels[one.state])
                : h("span", { class: one.state === "same" ? "muted" : "wrong" },
                    `× ${factor.format(one.factor)}`))]))));
    }

    // Keys.

    move() { return false; }
    open() { this.#body.focus(); }
    close() {}
}

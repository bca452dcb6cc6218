// @ts-check
// What is wrong with the records beside the list: violations by event and column, and what senders have lost.

import { call, recordQuery } from "../base/api.js";
import { codeSpans, foreign, h, replaceChildren } from "../base/dom.js";
import { section } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { adding } from "../model/filter.js";

const mostRecords = 1_000;
const groupsPause = 3_000;
const lossesPause = 5_000;

/** @typedef {{ tag: string, kind: string, column: string | null, message: string, count: number }} ViolationGroup */

/**
 * Violations by event and column, the most frequent first; the message is the first one's.
 * @param {LogRecord[]} records
 */
export function grouped(records) {
    /** @type {Map<string, ViolationGroup>} */
    const groups = new Map();
    for (const { tag, violations = [] } of records) {
        for (const { kind, column, message } of violations) {
            const key = JSON.stringify([tag, kind, column ?? null]);
            const known = groups.get(key);
            if (known) known.count += 1;
            else groups.set(key, { tag, kind, column: column ?? null, message, count: 1 });
        }
    }
    return [...groups.values()].sort((left, right) => right.count - left.count);
}

/** The violations of the filtered records; filled while the address asks for them. */
export class ViolationGroups {
    /** @type {RecordQuery | null} */
    #filter = null;
    #drawnHead = -1;

    /**
     * @param {PageContext} context
     * @param {() => Params} params the address's
     * @param {(change: Params) => void} apply puts others there
     */
    constructor(context, params, apply) {
        this.context = context;
        this.params = params;
        this.apply = apply;
        this.element = h("div", { class: "content groups", hidden: true });
        setInterval(() => {
            if (!this.element.hidden && this.element.isConnected && context.live.head !== this.#drawnHead) this.#load();
        }, groupsPause);
    }

    /**
     * @param {RecordQuery} next
     * @param {boolean} areWanted
     */
    show(next, areWanted) {
        this.element.hidden = !areWanted;
        if (!areWanted || JSON.stringify(next) === JSON.stringify(this.#filter)) return;
        this.#filter = next;
        this.#load();
    }

    async #load() {
        const own = this.#filter;
        this.#drawnHead = this.context.live.head;
        try {
            const { records } = await call(`records?${recordQuery({ ...own, violations: "1", limit: mostRecords })}`);
            if (own === this.#filter) this.#draw(grouped(records));
        } catch {
            this.#drawnHead = -1;
        }
    }

    /** @param {ViolationGroup[]} groups */
    #draw(groups) {
        replaceChildren(this.element, groups.length === 0 ? null : section(this.context.t("violations.groups"),
            h("ul", { class: "facet" }, groups.map((group) => this.#line(group)))));
    }

    /** @param {ViolationGroup} group */
    #line({ tag, message, count }) {
        const { t, catalog } = this.context;
        return h("li", { class: "violationgroup" },
            h("button", { class: "facetvalue", type: "button",
                on: { click: () => this.apply(adding(this.params(), "tag", tag)) } },
            h("span", { class: "facettext" }, foreign(tag)), h("span", { class: "number" }, String(count))),
            h("p", { class: "muted" }, codeSpans(message), " ", catalog.find(tag)
                ? h("a", { href: formatRoute({ screen: "dict", path: [tag] }) }, t("detail.dictionary")) : null));
    }
}

// The reasons of a sender's ledger: see docs/formats/otlp.md. Another sender may have others.
export const reasons = ["rejected", "disk_limit", "memory_full", "oversized", "damaged", "output_removed", "expired",
    "closed", "taken_over", "process_ended", "unreadable", "transformed", "not_answering"];

/** What senders say they have lost: records that no list can show. Seen only where something was lost. */
export class Losses {
    #drawnHead = -1;

    /** @param {PageContext} context */
    constructor(context) {
        this.context = context;
        this.element = h("div", { class: "content groups", hidden: true });
        setInterval(() => {
            const isSeen = this.element.parentElement?.isConnected && !document.hidden;
            if (isSeen && context.live.head !== this.#drawnHead) this.load();
        }, lossesPause);
    }

    async load() {
        this.#drawnHead = this.context.live.head;
        try {
            this.#draw((await call("losses")).losses);
        } catch {
            this.#drawnHead = -1;
        }
    }

    /** @param {Loss[]} losses */
    #draw(losses) {
        this.element.hidden = losses.length === 0;
        replaceChildren(this.element, section(this.context.t("losses.title"),
            h("ul", { class: "facet" }, losses.map((loss) => this.#line(loss)))));
    }

    /** @param {Loss} loss */
    #line({ count, reason, installation, version }) {
        const { t, language } = this.context;
        const n = new Intl.NumberFormat(language).format(Number(count));
        return h("li", { class: "loss" }, h("strong", null, t("losses.line", { n,
            reason: reasons.includes(reason) ? t(`loss.${reason}`) : reason.replaceAll("_", " ") })),
        h("span", { class: "muted" }, [installation, version].filter(Boolean)
            .flatMap((part, index) => [index > 0 ? " · " : null, foreign(part)])));
    }
}

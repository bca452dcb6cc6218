// @ts-check
// What is wrong with the records: violations by event and column, and what senders have lost.

import { eachPage } from "../base/api.js";
import { button } from "../base/controls.js";
import { codeSpans, foreign, h, replaceChildren } from "../base/dom.js";
import { numberText } from "../base/format.js";
import { section } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { violationText } from "../model/record.js";
import { ViolationTally } from "../model/violation-tally.js";

const groupsPause = 3_000;
const lossesPause = 5_000;
/** The violations of the filtered records, counted while the address asks for them. */
export class ViolationGroups {
    /** @type {ViolationTally | null} */
    #tally = null;

    /** @param {PageContext} context @param {() => Params} params the address's
     * @param {(name: string, value: string, how: "only" | "not", more: Params) => void} narrow */
    constructor(context, params, narrow) {
        this.context = context;
        this.params = params;
        this.narrow = narrow;
        this.element = h("div", { class: "content groups", hidden: true });
        setInterval(() => {
            if (!this.element.hidden && this.element.isConnected && !document.hidden) this.#load();
        }, groupsPause);
    }

    /** @param {RecordQuery} next @param {boolean} areWanted */
    show(next, areWanted) {
        this.element.hidden = !areWanted;
        if (!areWanted || (this.#tally && JSON.stringify(next) === JSON.stringify(this.#tally.filter))) return;
        this.#tally = new ViolationTally(next);
        replaceChildren(this.element);
        this.#load();
    }

    async #load() {
        const tally = this.#tally;
        await tally?.count(Number(this.context.live.head), Date.now(), () => {
            if (tally === this.#tally) this.#draw(tally);
        }).catch(() => {});
    }

    /** @param {ViolationTally} tally */
    #draw({ groups, isWhole }) {
        const { t } = this.context;
        replaceChildren(this.element, groups.length === 0 ? null : section(t("violations.groups"),
            isWhole ? null : h("p", { class: "muted", role: "status" }, t("violations.counting")),
            h("ul", { class: "facet" }, groups.map((group) => this.#line(group)))));
    }

    /** @param {ViolationGroup} group */
    #line({ count, ...violation }) {
        const { t, catalog } = this.context;
        const { tag, kind, column } = violation;
        const cause = column === null ? kind : `${kind}:${column}`;
        return h("li", { class: "violationgroup" },
            button("facetvalue", [h("span", { class: "facettext" }, foreign(tag)),
                h("span", { class: "number" }, String(count))],
                () => this.narrow("tag", tag, "only", { violations: cause })),
            h("p", { class: "muted" }, codeSpans(violationText(t, violation)), " ", catalog.find(tag)
                ? h("a", { href: formatRoute({ screen: "dict", path: [tag] }) }, t("detail.dictionary")) : null));
    }
}

// The reasons in a sender's ledger: see docs/formats/otlp.md. Other senders may have others.
export const reasons = ["rejected", "disk_limit", "memory_full", "oversized", "damaged", "output_removed", "expired",
    "closed", "taken_over", "process_ended", "unreadable", "transformed", "not_answering"];

/** The number of lines, largest losses first. */
const mostLosses = 200;

/** One line per version, owner and reason of each sender, the largest first: a loss may be spread over pages.
 * @param {Loss[]} losses */
export function added(losses) {
    /** @type {Map<string, Loss>} */
    const sums = new Map();
    for (const loss of losses) {
        const key = JSON.stringify([loss.installation, loss.version, loss.owner, loss.reason]);
        sums.set(key, { ...loss, count: Number(loss.count) + Number(sums.get(key)?.count ?? 0) });
    }
    return [...sums.values()].sort((left, right) => Number(right.count) - Number(left.count));
}

/** What senders report as lost: records that no list can show. Hidden without losses. */
export class Losses {
    #drawnHead = -1;

    /** @param {PageContext} context */
    constructor(context) {
        this.context = context;
        this.element = h("div", { class: "content groups", hidden: true });
        setInterval(() => {
            const isSeen = this.element.parentElement?.isConnected && !document.hidden;
            if (isSeen && context.live.head !== this.#drawnHead) this.#load();
        }, lossesPause);
    }

    /** The first load; later ones follow by themselves. */
    begin() { if (this.#drawnHead < 0) this.#load(); }

    async #load() {
        this.#drawnHead = this.context.live.head;
        try {
            /** @type {Loss[]} */
            const losses = [];
            await eachPage("losses", (page) => { losses.push(...page.losses); });
            this.#draw(added(losses).slice(0, mostLosses));
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
    #line({ count, reason, installation, version, owner }) {
        const { t, language } = this.context;
        const n = numberText(Number(count), language);
        return h("li", { class: "loss" }, h("strong", null, t("losses.line", { n,
            reason: reasons.includes(reason) ? t(`loss.${reason}`) : reason.replaceAll("_", " ") })),
        h("span", { class: "muted" }, [installation, version].filter(Boolean)
            .flatMap((part, index) => [index > 0 ? " · " : null, foreign(part)]),
        owner?.startsWith("unproven:") ? ` ${t("losses.unproven", { key: owner.slice("unproven:".length) || "–" })}`
            : null));
    }
}

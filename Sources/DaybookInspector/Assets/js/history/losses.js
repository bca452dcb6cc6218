// What senders say they have lost: records that no list can show.

import { call } from "../base/api.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { section } from "../base/pane.js";

const pause = 5_000;
// The reasons of a sender's ledger: see docs/formats/otlp.md. Another sender may have others.
export const reasons = ["rejected", "disk_limit", "memory_full", "oversized", "damaged", "output_removed", "expired", "closed",
    "taken_over", "process_ended", "unreadable", "transformed", "not_answering"];

/** Shown only where something was lost. */
export function createLosses({ t, live, language }) {
    const element = h("div", { class: "content groups", hidden: true });
    let drawnHead = -1;
    setInterval(() => { if (element.parentElement?.isConnected && live.head !== drawnHead && !document.hidden) load(); }, pause);

    async function load() {
        drawnHead = live.head;
        try {
            draw((await call("losses")).losses);
        } catch {
            drawnHead = -1;
        }
    }

    function draw(losses) {
        element.hidden = losses.length === 0;
        const number = new Intl.NumberFormat(language);
        replaceChildren(element, section(t("losses.title"), h("ul", { class: "facet" }, losses.map((loss) =>
            h("li", { class: "loss" }, h("strong", null, t("losses.line", { n: number.format(Number(loss.count)),
                reason: reasons.includes(loss.reason) ? t(`loss.${loss.reason}`) : loss.reason.replaceAll("_", " ") })),
                h("span", { class: "muted" }, [loss.installation, loss.version].filter(Boolean)
                    .flatMap((part, index) => [index > 0 ? " · " : null, foreign(part)])))))));
    }

    return { element, load };
}

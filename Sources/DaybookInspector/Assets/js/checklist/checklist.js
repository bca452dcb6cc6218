// @ts-check
// Checklists: what must be seen before a release, judged by the engine as records arrive.

import { ApiError, call, messageOf } from "../base/api.js";
import { saveFile } from "../base/bridge.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { ago } from "../base/format.js";
import { failureNotice, notice, paneTop, revealCurrent, scrollToEdge, textButton } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { runBoard } from "./board.js";
import { itemLine } from "./checklist-item.js";
import { progress } from "./progress.js";
import { openPairDialog, openRunDialog } from "./run-dialogs.js";

/** @typedef {import("./progress.js").Share} Share */

const pause = 1_000;

/** @implements {PageScreen} */
export class Checklists {
    /** @type {ChecklistBoard | null} */
    #answer = null;
    /** @type {Error | null} */
    #failure = null;
    /**
     * The id in the address.
     * @type {string | null}
     */
    #selected = null;
    /**
     * The scenario that is scrolled to once it is there.
     * @type {string | null}
     */
    #scenarioWanted = null;
    /**
     * The number of an installation's run, as in the address; null for the checklist's own.
     * @type {string | null}
     */
    #run = null;
    /** Up to which number the verdicts were asked for. */
    #askedHead = -1;
    #list;

    /** @param {PageContext} context */
    constructor(context) {
        const { t, live, storage } = context;
        this.context = context;
        this.#list = h("div", { class: "tree-list", tabindex: "0", "data-keys": "list", "aria-label": t("screen.check") });
        this.main = h("section", { class: "pane checklists" },
            h("div", { class: "toolbar" }, h("h1", null, t("screen.check"))), this.#list);
        this.side = h("aside", { class: "pane checklist", tabindex: "-1", "aria-label": t("screen.check") });
        this.ticks = new BrowserTicks(storage, () => this.#draw());
        setInterval(() => {
            if (this.main.isConnected && this.#isBehind && live.state === "open") this.#load();
        }, pause);
    }

    /** @param {Route} route */
    show({ path, params }) {
        const selected = path[0] ?? null;
        if (selected !== this.#selected) this.side.scrollTop = 0;
        this.#selected = selected;
        this.#scenarioWanted = path[1] ?? null;
        this.#run = params.run ?? null;
        this.#draw();
        this.#load();
    }

    get #isBehind() {
        return this.context.live.head !== this.#askedHead || Number(this.#answer?.judged) < Number(this.#answer?.head);
    }

    async #load() {
        this.#askedHead = this.context.live.head;
        const asked = this.#run;
        try {
            const news = await call(`checklists${asked === null ? "" : `?run=${encodeURIComponent(asked)}`}`);
            if (asked !== this.#run) return;
            const isSame = this.#failure === null && JSON.stringify(news) === JSON.stringify(this.#answer);
            [this.#answer, this.#failure] = [news, null];
            if (isSame) return;
        } catch (error) {
            // A run that has ended is on the board, or in the history.
            if (this.#run !== null && error instanceof ApiError && error.code === "not_found") {
                return this.#go(this.#selected, true);
            }
            [this.#failure, this.#askedHead] = [error instanceof Error ? error : new Error(messageOf(error)), -1];
        }
        this.#draw();
    }

    get #checklists() { return this.#answer?.checklists ?? []; }

    /** The chosen checklist; beside the list the first one stands for no choice. */
    get #current() {
        return this.#checklists.find(({ id }) => id === this.#selected)
            ?? (this.context.isStacked() ? undefined : this.#checklists[0]);
    }

    // Drawing.

    #draw() {
        this.#drawList();
        this.#drawSide();
    }

    #drawList() {
        const { t } = this.context;
        if (this.#failure && !this.#answer) {
            replaceChildren(this.#list, failureNotice(t, this.#failure, () => this.#load()));
        } else if (this.#answer?.checklists.length === 0) {
            replaceChildren(this.#list, notice(t("check.empty"), t("check.emptyHint"),
                h("pre", { class: "sample" }, "daybook serve --checklists LogChecklists")));
        } else {
            const current = this.#current;
            replaceChildren(this.#list, this.#checklists.map((checklist) => {
                const share = progress(checklist, this.ticks);
                return h("a", {
                    class: "entry tall", href: formatRoute({ screen: "check", path: [checklist.id] }),
                    "aria-current": checklist === current ? "true" : null,
                }, h("span", { class: "entrytop" }, foreign(checklist.title, "tag"), shareText(t, share)), meter(t, share));
            }));
        }
    }

    #drawSide() {
        const { t } = this.context;
        const checklist = this.#current;
        this.side.dataset.empty = String(!checklist);
        this.main.dataset.selected = String(this.#selected !== null);
        if (!checklist) {
            const words = this.#selected !== null && this.#answer ? t("check.gone") : t("check.hint");
            replaceChildren(this.side,
                this.#checklists.length === 0 ? null : h("div", { class: "hint" }, h("p", null, words)));
            return;
        }
        const share = progress(checklist, this.ticks);
        const scroll = this.side.scrollTop;
        replaceChildren(this.side,
            paneTop(t, t("check.progress", share), () => this.#go(null)),
            h("div", { class: "content" },
                h("div", { class: "titleline" }, h("h2", null, foreign(checklist.title)), this.#actions(checklist)),
                meter(t, share), this.#runNote(checklist), this.#coverage(checklist),
                runBoard(this.context, checklist, this.#run),
                checklist.scenarios.map((scenario) => this.#scenario(checklist, scenario))));
        this.side.scrollTop = scroll;
        if (this.#scenarioWanted === null) return;
        this.side.querySelector(`[data-scenario="${CSS.escape(this.#scenarioWanted)}"]`)?.scrollIntoView();
        this.#scenarioWanted = null;
    }

    /**
     * @param {Checklist} checklist
     * @param {Scenario} scenario
     */
    #scenario(checklist, scenario) {
        const { context, ticks } = this;
        const share = progress({ ...checklist, scenarios: [scenario] }, ticks);
        return h("section", { class: "section", "data-scenario": scenario.id },
            h("h3", null, foreign(scenario.title), shareText(context.t, share)),
            h("ul", { class: "items" }, scenario.items.map((item) => itemLine(context, ticks, checklist, scenario, item))));
    }

    /**
     * Which records the verdicts are about, where these are not simply all.
     * @param {Checklist} checklist
     */
    #coverage(checklist) {
        const { t } = this.context;
        const [judged, head, since] = [this.#answer?.judged, this.#answer?.head, checklist.since].map(Number);
        if (judged < head) return h("p", { class: "muted", role: "status" }, t("check.judging", { judged, head }));
        return since > 0 ? h("p", { class: "muted" }, t("check.since", { since: String(since) })) : null;
    }

    /**
     * Whose run it is, and who signed it off.
     * @param {Checklist} checklist
     */
    #runNote({ id, run, signed_off: signed }) {
        const { t, language } = this.context;
        const words = (/** @type {RunNote} */ note) => [note.tester, note.persona, note.build].filter(Boolean)
            .flatMap((part, index) => [index > 0 ? " · " : null, foreign(part)]);
        return [
            run && (run.persona || run.tester || run.build)
                ? h("p", { class: "muted" }, `${t("check.run")} `, words(run)) : null,
            this.#run === null ? null : h("p", null, h("a", { href: formatRoute({ screen: "check", path: [id] }) },
                t("check.ownRun"))),
            signed ? h("p", { class: "sound" }, `${t("check.signed")} `, words(signed), ", ",
                h("span", { class: "whole" }, ago(signed.time, Date.now(), language))) : null,
        ];
    }

    // What can be done with a checklist.

    /** @param {Checklist} checklist */
    #actions(checklist) {
        const { t, limits } = this.context;
        const signOff = textButton(t("check.signOff"), () => this.#signOff(checklist), t("check.signOffHint"));
        // A phone's run begins and ends with its pairing.
        if (this.#run !== null) return h("div", { class: "line" }, signOff);
        return h("div", { class: "line checktools" },
            textButton(t("check.restart"), () => this.#restart(checklist), t("check.restartHint")), signOff,
            limits.pairing ? textButton(t("pair.open"), () => this.#pair(checklist), t("pair.hint")) : null,
            textButton("Markdown", () => this.#saveReport(checklist), t("check.report")));
    }

    /** @param {Checklist} checklist */
    #restart(checklist) {
        openRunDialog(this.context, checklist, "start", async (body) => {
            await call(`checklists/${encodeURIComponent(checklist.id)}/restart`, { body });
            await this.#load();
        });
    }

    /** @param {Checklist} checklist */
    #signOff(checklist) {
        openRunDialog(this.context, checklist, "signoff", async ({ tester, build }) => {
            const ticked = checklist.scenarios.flatMap((scenario) => scenario.items
                .filter((item) => item.state === "manual" && this.ticks.has(checklist, scenario, item))
                .map((item) => item.text));
            await call(`checklists/${encodeURIComponent(checklist.id)}/signoff`, {
                body: { tester, build, ticked, run: this.#run === null ? null : Number(this.#run) } });
            await this.#load();
        });
    }

    /**
     * Until a run is under way that was not when the dialog was opened.
     * @param {Checklist} checklist
     */
    #pair(checklist) {
        const underWay = () => (this.#checklists.find(({ id }) => id === checklist.id)?.board ?? [])
            .filter(({ state }) => state === "under_way").map(({ id }) => id);
        const before = underWay();
        openPairDialog(this.context, checklist, async () => {
            await this.#load();
            return underWay().some((number) => !before.includes(number));
        });
    }

    /** @param {Checklist} checklist */
    async #saveReport({ id }) {
        try {
            const { markdown } = await call(`checklists/${encodeURIComponent(id)}/report`);
            saveFile(`${id}.md`, "text/markdown", markdown);
        } catch (error) {
            this.context.announce(messageOf(error));
        }
    }

    // Keys.

    /** @param {string | null} id */
    #go(id, replace = false) {
        this.context.navigate({ screen: "check", path: id === null ? [] : [id] }, { replace });
    }

    /** @param {number} step */
    move(step) {
        const all = this.#checklists;
        if (all.length === 0) return;
        const index = all.findIndex((checklist) => checklist === this.#current);
        this.#go(all[Math.min(Math.max(index + step, 0), all.length - 1)].id, true);
        revealCurrent(this.#list);
    }

    /** @param {boolean} isLast */
    edge(isLast) { scrollToEdge(this.#list, isLast); }

    open() { this.side.focus(); }

    close() { if (this.#selected !== null) this.#go(null); }
}

/** Ticks of manual items: they stay in this browser, and belong to one run. */
class BrowserTicks {
    /**
     * @param {BrowserStorage} storage
     * @param {() => void} changed
     */
    constructor(storage, changed) {
        this.storage = storage;
        this.changed = changed;
    }

    /**
     * @param {Checklist} checklist
     * @param {Scenario} scenario
     * @param {ChecklistItem} item
     */
    has(checklist, scenario, item) { return this.storage.get(tickKey(checklist, scenario, item)) === "1"; }

    /**
     * @param {Checklist} checklist
     * @param {Scenario} scenario
     * @param {ChecklistItem} item
     * @param {boolean} isTicked
     */
    set(checklist, scenario, item, isTicked) {
        this.storage.set(tickKey(checklist, scenario, item), isTicked ? "1" : null);
        this.changed();
    }
}

/**
 * @param {Checklist} checklist
 * @param {Scenario} scenario
 * @param {ChecklistItem} item
 */
function tickKey(checklist, scenario, item) { return `tick/${checklist.id}/${checklist.since}/${scenario.id}/${item.id}`; }

/**
 * @param {Translate} t
 * @param {Share} share
 */
function shareText(t, { done, failed, all }) {
    return h("span", { class: "share" },
        failed > 0 ? h("span", { class: "failures" }, t("check.failures", { n: failed })) : null,
        h("span", { class: "muted" }, t("check.progress", { done, all })));
}

/**
 * @param {Translate} t
 * @param {Share} share
 */
function meter(t, { done, failed, all }) {
    const state = failed > 0 ? "failed" : done === all && all > 0 ? "done" : "open";
    return h("progress", { class: "meter", max: String(Math.max(1, all)), value: String(done), "data-state": state,
        "aria-label": t("check.progress", { done, all }) });
}

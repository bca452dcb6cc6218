// @ts-check
// Checklists: what must be seen before a release, judged as records arrive.

import { call, messageOf, recordQuery } from "../base/api.js";
import { saveFile } from "../base/bridge.js";
import { textButton } from "../base/controls.js";
import { failureLine } from "../base/dialog.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { ListScreen } from "../base/list-screen.js";
import { failureNotice, hint, notice, paneTop } from "../base/pane.js";
import { isUnjudged, progress } from "../model/progress.js";
import { runBoard, runList } from "./board.js";
import { itemLine, waived } from "./checklist-item.js";
import { openEditor } from "./editor.js";
import { choiceFields, choiceNames, choiceOf, firstChoice, judgedWords, runHead } from "./judging.js";
import { reasonText } from "./reason.js";
import { openPairDialog, openSignOffDialog, openStartDialog } from "./run-dialogs.js";
import { BrowserTicks } from "./ticks.js";

const pause = 1_000;

/** @implements {PageScreen} */
export class Checklists extends ListScreen {
    /** @type {ChecklistBoard | null} */
    #answer = null;
    /** @type {string | null} the scenario that is scrolled to once it is there */
    #scenarioWanted = null;
    /** @type {string | null} the number of a run, as in the address; null for chosen records */
    #run = null;
    /** @type {Params} the address's parameters: which records are judged */
    #params = {};
    /** @type {SessionSummary[]} the latest first: what can be chosen */
    #sessions = [];
    /** The selectable versions, newest first, as on the Releases screen; `of` holds those that sessions had at the
     * time.
     * @type {{ of: string | null, all: string[] }} */
    #versions = { of: null, all: [] };
    /** @type {{ of: string | null, runs: StoredRun[] }} the runs of the checklist that is shown, the latest first */
    #runs = { of: null, runs: [] };
    /** The head when the verdicts were requested. */
    #askedHead = -1;

    /** @param {PageContext} context */
    constructor(context) {
        super(context, "check", "checklists", "checklist");
        const { t, live, storage } = context;
        this.toolbar.append(h("span", { class: "gap" }), textButton(t("edit.new"), () => this.#edit(null)));
        this.ticks = new BrowserTicks(storage, () => this.draw());
        setInterval(() => {
            if (this.main.isConnected && this.#isBehind && !this.order.isWaiting && live.state === "open") this.#load();
        }, pause);
    }

    /** @param {Route} route */
    show({ path, params }) {
        const before = this.#question;
        if (this.select(path)) this.side.scrollTop = 0;
        this.#scenarioWanted = path[1] ?? null;
        this.#run = params.run ?? null;
        this.#params = params;
        this.draw();
        this.#load(before === this.#question ? this.order.ask() : this.order.askAnew());
    }

    /** The query for a run, or for the records that the address selects. */
    get #query() {
        return recordQuery(this.#run === null ? choiceOf(this.#params) : { run: this.#run });
    }

    /** An answer to a different question must not be shown. */
    get #question() { return JSON.stringify([this.selected, this.#query, this.#isChosen]); }

    /** Whether the address says which records to judge, even if it is all of them. */
    get #isChosen() { return this.#run !== null || this.#params.all === "1" || this.#query !== ""; }

    get #isBehind() {
        return this.context.live.head !== this.#askedHead || Number(this.#answer?.judged) < Number(this.#answer?.head);
    }

    /** @param {() => boolean} isNews */
    async #load(isNews = this.order.ask()) {
        this.#askedHead = this.context.live.head;
        const [asked, isChosen] = [this.#query, this.#isChosen];
        await this.ask(async () => {
            const { sessions } = await call("sessions?limit=200");
            const versions = await this.#versionsWith(sessions);
            const first = firstChoice(versions.all);
            if (!isChosen && first.version) return () => {
                this.#choose(first, true);
                return false;
            };
            const news = await call(`checklists${asked === "" ? "" : `?${asked}`}`);
            const id = this.#shownOf(news.checklists)?.id ?? null;
            const runs = id === null ? [] : (await call(`runs?${recordQuery({ checklist: id })}`)).runs;
            return () => {
                const isSame = JSON.stringify([news, runs]) === JSON.stringify([this.#answer, this.#runs.runs]);
                [this.#sessions, this.#answer, this.#runs] = [sessions, news, { of: id, runs }];
                return !isSame;
            };
        }, isNews);
        if (this.failure) this.#askedHead = -1;
    }

    /** The versions of all records; asked for again only when sessions have new ones, because the answer counts every
     * name.
     * @param {SessionSummary[]} sessions */
    async #versionsWith(sessions) {
        const of = JSON.stringify([...new Set(sessions.map(({ version }) => version))].sort());
        if (of === this.#versions.of) return this.#versions;
        const { versions } = await call("releases");
        return this.#versions = { of, all: versions.map(({ version }) => version) };
    }

    /** The selected checklist; with panes side by side the first one by default.
     * @param {Checklist[]} checklists */
    #shownOf(checklists) {
        return checklists.find(({ id }) => id === this.selected)
            ?? (this.context.isStacked() ? undefined : checklists[0]);
    }

    /** Judges other records; what is not named stays.
     * @param {{ [name: string]: string | null | undefined }} change */
    #choose(change, replace = false) {
        const choice = { ...choiceOf(this.#params), ...change };
        const isAll = choiceNames.every((name) => !choice[name]);
        this.context.navigate({ screen: "check", path: this.selected === null ? [] : [this.selected],
            params: { ...choice, all: isAll ? "1" : null } }, { replace });
    }

    get #checklists() { return this.#answer?.checklists ?? []; }

    get #shown() { return this.#shownOf(this.#checklists); }

    /** @override */
    get ids() { return this.#checklists.map(({ id }) => id); }

    /** @override */
    get current() { return this.#shown?.id ?? null; }

    /** @override */
    get params() { return this.#run === null ? { ...this.#params } : {}; }

    // Drawing.

    /** @override */
    draw() {
        this.#drawList();
        this.#drawSide();
    }

    #drawList() {
        const { t } = this.context;
        replaceChildren(this.list, this.failure && !this.#answer ? failureNotice(t, this.failure, () => this.#load())
            : this.#answer?.checklists.length === 0 ? notice(t("check.empty"), t("check.emptyHint"),
                h("pre", { class: "sample" }, "daybook serve --checklists LogChecklists"))
            : this.#checklists.map((checklist) => {
                const share = progress(checklist, this.ticks);
                return this.entry(checklist.id, h("span", { class: "entrytop" }, foreign(checklist.title, "tag"),
                    shareText(t, share, isUnjudged(checklist))), meter(t, share, isUnjudged(checklist)));
            }));
    }

    #drawSide() {
        const { t } = this.context;
        const checklist = this.#shown;
        this.side.dataset.empty = String(!checklist);
        if (!checklist) {
            const words = t(this.selected !== null && this.#answer ? "check.gone" : "check.hint");
            return replaceChildren(this.side, this.#checklists.length === 0 ? null : hint(words));
        }
        const share = progress(checklist, this.ticks);
        const scroll = this.side.scrollTop;
        replaceChildren(this.side,
            paneTop(t, t("check.progress", share), () => this.go(null)),
            h("div", { class: "content" },
                h("div", { class: "titleline" }, h("h2", null, foreign(checklist.title)), this.#actions(checklist)),
                meter(t, share, isUnjudged(checklist)),
                isUnjudged(checklist) ? h("p", { class: "warning", role: "status" }, t("check.nothingJudged")) : null,
                this.failure ? failureLine(this.failure.message) : null,
                runHead(this.context, checklist), this.#run === null
                    ? choiceFields(this.context, checklist, this.#sessions,
                    this.#versions.all, (change) => this.#choose(change.version === undefined ? change
                        : { ...change, installation: null, session: null })) : null,
                this.#coverage(checklist), runBoard(this.context, checklist, this.#run),
                this.#runs.of === checklist.id ? runList(this.context, checklist.id, this.#runs.runs, this.#run) : null,
                checklist.scenarios.map((scenario) => this.#scenario(checklist, scenario))));
        this.side.scrollTop = scroll;
        if (this.#scenarioWanted === null) return;
        this.side.querySelector(`[data-scenario="${CSS.escape(this.#scenarioWanted)}"]`)?.scrollIntoView();
        this.#scenarioWanted = null;
    }

    /** @param {Checklist} checklist @param {Scenario} scenario */
    #scenario(checklist, scenario) {
        const { context, ticks } = this;
        const share = progress({ ...checklist, scenarios: [scenario] }, ticks);
        return h("section", { class: "section", "data-scenario": scenario.id },
            h("h3", null, foreign(scenario.title), shareText(context.t, share)),
            scenario.problem && !isUnjudged(checklist) ? h("p", { class: "because wrong" },
                foreign(reasonText(context.language, scenario.problem, scenario.phrases))) : null,
            waived(context, scenario.waiver),
            h("ul", { class: "items" }, scenario.items.map((item) =>
                itemLine(context, ticks, checklist, scenario, item))));
    }

    /** Which records the verdicts are about, unless it is simply all.
     * @param {Checklist} checklist */
    #coverage(checklist) {
        const { t } = this.context;
        const [judged, head] = [this.#answer?.judged, this.#answer?.head].map(Number);
        return [this.#run === null && judged < head
            ? h("p", { class: "muted", role: "status" }, t("check.judging", { judged, head })) : null,
        judgedWords(this.context, checklist)];
    }

    // Actions.

    /** @param {Checklist} checklist */
    #actions(checklist) {
        const { t, limits } = this.context;
        const { run, signed_off: signed } = checklist;
        const isOver = Boolean(run?.finished);
        return h("div", { class: "line checktools" },
            textButton(t("check.start"), () => this.#start(checklist), t("check.startHint")),
            signed ? null : textButton(t("check.signOff"), () => this.#signOff(checklist), t("check.signOffHint")),
            run && !isOver ? textButton(t("check.finish"), () => this.#finish(run), t("check.finishHint")) : null,
            limits.pairing && !run ? textButton(t("pair.open"), () => this.#pair(checklist), t("pair.hint")) : null,
            textButton(t("edit.open"), () => this.#edit(checklist.id), t("edit.hint")),
            textButton("Markdown", () => this.#saveReport(checklist, "markdown"), t("check.report")),
            textButton("JUnit", () => this.#saveReport(checklist, "junit"), t("check.junit")));
    }

    /** @param {string | null} id */
    #edit(id) {
        openEditor(this.context, id, (saved) => {
            if (id !== saved) this.go(saved);
            this.#load();
        });
    }

    /** @param {Checklist} checklist */
    #start(checklist) {
        openStartDialog(this.context, checklist, this.#sessions, async (body) => {
            const { id } = await call("runs/start", { body: { checklist: checklist.id, ...body } });
            this.#show(checklist.id, id);
        });
    }

    /** @param {Checklist} checklist */
    #signOff(checklist) {
        openSignOffDialog(this.context, checklist, this.ticks, async (body) => {
            const { version, installation, session, persona } = checklist.judging;
            const of = this.#run === null ? { version, installation, session, persona } : { run: Number(this.#run) };
            const ticked = checklist.scenarios.flatMap((scenario) => scenario.items
                .filter((item) => item.state === "manual" && this.ticks.has(checklist, scenario, item))
                .map((item) => `${scenario.id}/${item.id}`));
            const { run } = await call(`checklists/${encodeURIComponent(checklist.id)}/signoff`, {
                body: { ...of, ...body, ticked } });
            this.#show(checklist.id, run);
        });
    }

    /** @param {string} id @param {Integer} run */
    #show(id, run) {
        this.context.navigate({ screen: "check", path: [id], params: { run } });
        this.#load();
    }

    /** @param {StoredRun} run */
    async #finish({ id }) {
        try {
            await call(`runs/${id}/finish`, { method: "POST" });
            await this.#load();
        } catch (error) {
            this.context.announce(messageOf(error));
        }
    }

    /** Closes once a run has started that was not there when the dialog opened.
     * @param {Checklist} checklist */
    #pair(checklist) {
        const underWay = () => (this.#checklists.find(({ id }) => id === checklist.id)?.board ?? [])
            .filter(({ state }) => state === "under_way").map(({ id }) => id);
        const before = underWay();
        openPairDialog(this.context, checklist, async () => {
            await this.#load();
            return underWay().some((number) => !before.includes(number));
        });
    }

    /** @param {Checklist} checklist @param {"markdown" | "junit"} format */
    async #saveReport({ id }, format) {
        try {
            const query = `${this.#query === "" ? "" : `${this.#query}&`}${recordQuery({ format,
                // Inside an app nobody else can open the page's address.
                link: location.protocol.startsWith("http") ? location.href : null })}`;
            const { markdown, junit } = await call(`checklists/${encodeURIComponent(id)}/report?${query}`);
            const name = this.#run === null ? id : `${id}-${this.#run}`;
            if (format === "junit") saveFile(`${name}.xml`, "application/xml", junit ?? "");
            else saveFile(`${name}.md`, "text/markdown", markdown ?? "");
        } catch (error) {
            this.context.announce(messageOf(error));
        }
    }

    /** @override */
    open() { this.side.focus(); }
}

/** @param {Translate} t @param {ItemShare} share */
function shareText(t, { done, failed, all }, isUnjudged = false) {
    return h("span", { class: "share" },
        isUnjudged ? h("span", { class: "failures" }, t("check.unjudged")) : null,
        failed > 0 ? h("span", { class: "failures" }, t("check.failures", { n: failed })) : null,
        h("span", { class: "muted" }, t("check.progress", { done, all })));
}

/** @param {Translate} t @param {ItemShare} share */
function meter(t, { done, failed, all }, isUnjudged = false) {
    const state = failed > 0 ? "failed" : done === all && all > 0 && !isUnjudged ? "done" : "open";
    return h("progress", { class: "meter", max: String(Math.max(1, all)), value: String(done), "data-state": state,
        "aria-label": t("check.progress", { done, all }) });
}

// @ts-check
// Asks insights. One is asked as the question changes; one that takes long runs in the background,
// and the page polls it.

import { call } from "../base/api.js";
import { button, quietButton } from "../base/controls.js";
import { copyButton, foreign, h, replaceChildren } from "../base/dom.js";
import { duration } from "../base/format.js";
import { fold, notice, section } from "../base/pane.js";
import { failureBox } from "../parts/answer.js";
import { drawAnswer } from "./answer.js";
import { InsightForm } from "./form.js";
import { insightText, isComplete, readQuestion, writeQuestion } from "./question.js";

/** Milliseconds between polls. */
const pause = 300;

/** Milliseconds without a change before a question is asked. */
const typingPause = 200;

/** @implements {PageScreen} */
export class Insights {
    /** @type {{ text: string, id: number | null, isCancelled: boolean } | null} the insight that runs, or ran last */
    #job = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} asks the question that is being written */
    #asking;
    #form;
    #cancel;
    #meter = h("progress", { class: "meter", hidden: true });
    #status = h("span", { class: "muted", role: "status" });
    #result;
    #told;

    /** @param {PageContext} context */
    constructor(context) {
        const { t } = context;
        this.context = context;
        this.#form = new InsightForm(context, readQuestion({}), { run: () => this.#run(), change: () => {
            this.#result.dataset.stale = "true";
            this.#tellText();
            this.#ask();
        } });
        this.#cancel = button("button", t("sql.cancel"), () => this.#stop(), { hidden: true });
        this.#result = h("div", { class: "result", tabindex: "0", "aria-label": t("sql.result") },
            notice(t("insight.empty"), t("insight.emptyHint")));
        this.#told = h("div", { class: "content" });
        this.main = h("section", { class: "pane insights" }, this.#form.element,
            h("div", { class: "line insightrun" }, this.#form.runButton, this.#cancel, this.#status), this.#meter,
            this.#result);
        this.side = h("aside", { class: "pane schema", "aria-label": t("screen.sql") }, this.#told);
        this.#tellText();
    }

    /** @param {Route} route */
    show({ params }) {
        const question = readQuestion(params);
        // The form follows the address; an address without a question leaves it.
        if (params.kind && this.#text(question) !== this.#text(this.#form.question)) {
            this.#form.question = question;
            this.#tellText();
            this.#ask();
        }
    }

    /** @param {InsightQuestion} question */
    #text(question) { return insightText(question, new Date().getTimezoneOffset()); }

    /** Asks the question as far as it is written, once it stays unchanged. */
    #ask() {
        clearTimeout(this.#asking);
        this.#asking = setTimeout(() => this.#run({ isTyped: true }), typingPause);
    }

    /** @param {{ isTyped?: boolean }} options `isTyped`: nobody has asked to run it, so that it may neither take long nor
     *      be called wrong */
    async #run({ isTyped = false } = {}) {
        const { navigate, t } = this.context;
        clearTimeout(this.#asking);
        const question = this.#form.question;
        if (!isComplete(question)) return;
        if (isTyped && !this.main.isConnected) return;
        navigate({ screen: "insights", params: writeQuestion(question) }, { replace: isTyped });
        await this.#stop();
        const job = this.#job = { text: this.#text(question), id: /** @type {number | null} */ (null),
            isCancelled: false };
        if (!isTyped) this.#drawRunning(true);
        try {
            let answer = await call("insights", { body: { insight: job.text } });
            job.id = answer.id;
            if (isTyped && answer.running) {
                if (this.#job === job) this.#status.textContent = t("insight.long");
                await call(`insights/${answer.id}`, { method: "DELETE" });
                return;
            }
            if (job.isCancelled) await call(`insights/${answer.id}`, { method: "DELETE" });
            while (answer.running && this.#job === job) {
                this.#drawProgress(answer);
                this.#tell(answer);
                await new Promise((done) => { setTimeout(done, pause); });
                answer = await call(`insights/${answer.id}`);
            }
            if (this.#job === job) this.#draw(answer);
        } catch (error) {
            if (this.#job === job && !isTyped) this.#drawFailure(job.isCancelled, error);
        } finally {
            if (this.#job === job) this.#drawRunning(false);
        }
    }

    async #stop() {
        const job = this.#job;
        if (!job || this.#cancel.hidden) return;
        job.isCancelled = true;
        if (job.id !== null) await call(`insights/${job.id}`, { method: "DELETE" }).catch(() => {});
    }

    /** @param {boolean} runs */
    #drawRunning(runs) {
        this.#cancel.hidden = !runs;
        this.#meter.hidden = !runs;
        if (runs) {
            this.#result.dataset.stale = "true";
            this.#meter.removeAttribute("value");
            this.#status.textContent = this.context.t("sql.running");
        }
    }

    /** @param {InsightAnswer} answer */
    #drawProgress({ milliseconds, limit_milliseconds: limit, progress }) {
        const { t, language } = this.context;
        this.#meter.max = Number(progress?.total ?? limit);
        this.#meter.value = Number(progress?.done ?? milliseconds);
        this.#status.textContent = t("insight.progress", {
            time: duration(Math.max(milliseconds, 1) * 1e6, language), limit: duration(limit * 1e6, language) });
    }

    /** @param {InsightAnswer} answer */
    #draw(answer) {
        const { t, language } = this.context;
        this.#status.textContent = [t("insight.took",
            { time: duration(Math.max(answer.milliseconds, 1) * 1e6, language) }),
            ...(answer.truncated ? [t("sql.truncated")] : []),
            ...(answer.more_values ? [t("insight.moreValues", { n: answer.more_values })] : [])].join(" · ");
        this.#result.dataset.stale = "false";
        replaceChildren(this.#result,
            answer.warnings.map((words) => h("p", { class: "warningline" }, foreign(words))),
            drawAnswer(this.context, answer),
            // A phone has no second pane.
            h("div", { class: "stackedonly" }, fold(t("screen.sql"), this.#statement(answer))));
        this.#tell(answer);
    }

    /** @param {boolean} isCancelled @param {unknown} failure */
    #drawFailure(isCancelled, failure) {
        const { t } = this.context;
        this.#result.dataset.stale = String(isCancelled);
        this.#status.textContent = isCancelled ? t("sql.cancelled") : "";
        if (!isCancelled) replaceChildren(this.#result, failureBox(t("insight.failed"), failure));
    }

    /** The question's text before it has run. */
    #tellText() {
        const { t } = this.context;
        const question = this.#form.question;
        replaceChildren(this.#told, isComplete(question) ? this.#textSection(this.#text(question))
            : section(t("insight.text"), h("p", { class: "muted" }, t("insight.choose"))));
    }

    /** @param {string} text */
    #textSection(text) {
        const { t } = this.context;
        return section(t("insight.text"), h("pre", { class: "statement" }, foreign(text)),
            h("div", { class: "actions" }, copyButton(t("copy.sql"), t("copy.done"), () => text)));
    }

    /** @param {InsightAnswer} answer */
    #tell(answer) {
        replaceChildren(this.#told, this.#textSection(answer.insight),
            section(this.context.t("screen.sql"), this.#statement(answer)));
    }

    /** @param {InsightAnswer} answer */
    #statement({ sql }) {
        const { t, navigate } = this.context;
        return [h("pre", { class: "statement" }, foreign(sql)),
            h("div", { class: "actions" }, copyButton(t("copy.sql"), t("copy.done"), () => sql),
                quietButton(t("insight.openSQL"), () => navigate({ screen: "sql", params: { sql } })))];
    }

    move() { return false; }
    open() { this.#form.focus(); }
    close() {}
    search() { this.#form.focus(); }
}

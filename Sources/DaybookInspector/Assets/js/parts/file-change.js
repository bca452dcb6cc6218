// @ts-check
// The outcome of a change to one of the team's files: where it is, with a way to undo it, or why it failed.

import { ApiError, messageOf } from "../base/api.js";
import { textButton } from "../base/controls.js";
import { attempt, failureLine } from "../base/dialog.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { formatRoute } from "../base/route.js";

export class FileChange {
    done = h("div", { class: "sound", role: "status" });

    /** @param {Translate} t */
    constructor(t, problem = "") {
        this.t = t;
        this.failure = failureLine(problem);
    }

    /** @param {() => Promise<void>} work changes the file
     * @param {() => Promise<unknown>} [lookAgain] reads it anew where somebody else has changed it */
    async make(work, lookAgain) {
        try {
            await work();
        } catch (error) {
            [this.failure.textContent, this.done.textContent] = [messageOf(error), ""];
            if (!lookAgain || !(error instanceof ApiError) || error.code !== "conflict") return;
            await lookAgain();
            this.failure.textContent += ` ${this.t("add.again")}`;
        }
    }

    /** @param {string} file @param {Place} place where the page shows what was written
     * @param {() => Promise<{ file: string }>} undo @param {...Child} more */
    tell(file, place, undo, ...more) {
        const { t, failure, done } = this;
        failure.textContent = "";
        const link = h("a", { href: formatRoute(place), on: { click() { link.closest("dialog")?.close(); } } },
            foreign(file));
        replaceChildren(done, t("add.done"), " ", link, " ",
            textButton(t("add.undo"), () => attempt(failure, async () => {
            const back = await undo();
            [failure.textContent, done.textContent] = ["", `${t("add.undone")} ${back.file}`];
        })), more);
    }
}

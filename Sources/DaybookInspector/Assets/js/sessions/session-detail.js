// @ts-check
// A session: its name, links to its records, and its deletion.

import { call, fetchAll } from "../base/api.js";
import { button, linkButton } from "../base/controls.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { duration, moment } from "../base/format.js";
import { fact, factList, hint, paneTop } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { quietExportButton } from "../export/export-dialog.js";
import { term } from "../model/filter.js";
import { userTerm } from "./people.js";

const sureTime = 4_000;

export class SessionDetail {
    /** What is shown, as JSON: nothing is redrawn until it changes, so that a pressed button stays pressed. */
    #shown = "";

    /** @param {PageContext} context @param {SessionOwner} owner */
    constructor(context, owner) {
        this.context = context;
        this.owner = owner;
        this.element = h("aside", { class: "pane detail", tabindex: "-1", "aria-label": context.t("run.session") });
    }

    /** @param {string | null} words
     * @param {boolean} isWanted a missing session is selected: stacked panes need a way back */
    clear(words, isWanted) {
        const { t } = this.context;
        this.element.dataset.empty = "true";
        this.#shown = "";
        replaceChildren(this.element, isWanted ? paneTop(t, t("run.session"), this.owner.close) : null,
            words ? hint(words) : null);
    }

    /** @param {SessionSummary} session */
    show(session) {
        const { t } = this.context;
        this.element.dataset.empty = "false";
        // Does not redraw while the name is being edited.
        const focused = document.activeElement;
        if (this.element.contains(focused) && focused?.matches("input")) return;
        const shown = JSON.stringify([session, this.owner.nameOf(session), this.owner.personOf(session)]);
        if (shown === this.#shown) return;
        this.#shown = shown;
        const name = h("input", { class: "field", value: this.owner.nameOf(session) ?? "",
            placeholder: t("sessions.namePlaceholder"), "aria-label": t("sessions.name"),
            on: { change: () => { this.owner.rename(session, name.value.trim()); } } });
        replaceChildren(this.element, paneTop(t, t("run.session"), this.owner.close), h("div", { class: "content" },
            name, this.#actions({ session: session.session }),
            facts(this.context, session, this.owner.personOf(session)), this.#removeButton(session)));
    }

    /** @param {{ session: string }} params */
    #actions(params) {
        const { t } = this.context;
        return h("div", { class: "actions" },
            linkButton("history", t("dict.records"), formatRoute({ screen: "history", params })),
            linkButton("timeline", t("screen.timeline"),
                formatRoute({ screen: "history", params: { ...params, view: "timeline" } })),
            linkButton("net", t("screen.net"), formatRoute({ screen: "net", params })),
            quietExportButton(this.context, () => ({ name: "session",
                records: (report, signal, reveals) =>
                    fetchAll({ ...params, private: reveals ? "show" : null }, report, signal) })));
    }

    /** The first press asks, the second deletes.
     * @param {SessionSummary} session */
    #removeButton(session) {
        const words = this.context.t("sessions.delete");
        /** @type {number | null} */
        let sure = null;
        const click = async () => {
            if (sure === null) {
                remove.textContent = this.context.t("sessions.deleteSure", { n: Number(session.count) });
                sure = setTimeout(() => {
                    sure = null;
                    remove.textContent = words;
                }, sureTime);
                return;
            }
            clearTimeout(sure);
            try {
                await call(`sessions/${encodeURIComponent(session.session)}`, { method: "DELETE" });
                this.owner.removed(null);
            } catch (error) {
                this.owner.removed(error);
            }
        };
        const remove = button("button danger", words, click, { title: this.context.t("sessions.deleteHint") });
        return remove;
    }
}

/** @param {PageContext} context @param {SessionSummary} session @param {SessionPerson} person */
function facts({ t, language }, session, { user, tester }) {
    /** @type {(filter: string, words: string) => HTMLElement} */
    const records = (filter, words) => h("a", { href: formatRoute({ screen: "history", params: { filter } }) },
        foreign(words));
    return factList([
        // The user's records in any session; if the user is private, those of the installation.
        [t("sessions.user"), user && records(userTerm(user.column, user.name), user.name)],
        [t("filter.session"), fact(session.session)],
        [t("filter.installation"), session.installation
            && records(term("installation", session.installation), session.installation)],
        [t("run.tester"), fact(tester)], [t("sessions.device"), fact(session.device)],
        [t("filter.version"), fact(session.version)],
        [t("sessions.first"), fact(moment(session.first_time, language))],
        [t("sessions.last"), fact(moment(session.last_time, language))],
        [t("fact.duration"), fact(duration(BigInt(session.last_time) - BigInt(session.first_time), language))],
        [t("sessions.count"), fact(session.count)], [t("sessions.errorCount"), fact(session.errors)],
    ]);
}

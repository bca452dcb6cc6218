// One session: its name, what leads on from it, and its end.

import { call } from "../base/api.js";
import { foreign, h, icon, replaceChildren } from "../base/dom.js";
import { duration, moment } from "../base/format.js";
import { paneTop } from "../base/pane.js";
import { formatRoute } from "../base/route.js";
import { openExport } from "../export/export-dialog.js";
import { fetchAll } from "../export/fetch-all.js";

const sureTime = 4_000;

/** `names`: `get(session)` and `set(session, name)`; `removed(failure)` is told what became of a removal. */
export function createSessionDetail(context, { names, close, removed }) {
    const { t, language } = context;
    const element = h("aside", { class: "pane detail", tabindex: "-1", "aria-label": t("sessions.detail") });

    /** `isWanted`: whether a session is chosen that is not there; where panes are stacked there must be a way back. */
    function clear(words, isWanted) {
        element.dataset.empty = "true";
        replaceChildren(element, isWanted ? paneTop(t, t("sessions.detail"), close) : null,
            words ? h("div", { class: "hint" }, h("p", null, words)) : null);
    }

    function show(session) {
        element.dataset.empty = "false";
        // A name that is being typed is not drawn over.
        if (element.contains(document.activeElement) && document.activeElement.matches("input")) return;
        const params = { session: session.session };
        const name = h("input", { class: "field", value: names.get(session) ?? "",
            placeholder: t("sessions.namePlaceholder"), "aria-label": t("sessions.name"),
            on: { change: (event) => names.set(session, event.target.value.trim()) } });
        const link = (picture, words, route) => h("a", { class: "button quiet", href: formatRoute(route) }, icon(picture),
            h("span", null, words));
        const facts = [
            [t("fact.session"), session.session], [t("fact.installation"), session.installation],
            [t("sessions.device"), session.device], [t("filter.version"), session.version],
            [t("sessions.first"), moment(session.first_time, language)],
            [t("sessions.last"), moment(session.last_time, language)],
            [t("fact.duration"), duration(BigInt(session.last_time) - BigInt(session.first_time), language)],
            [t("sessions.count"), session.count], [t("sessions.errorCount"), session.errors],
        ].filter(([, fact]) => fact !== null);
        replaceChildren(element, paneTop(t, t("sessions.detail"), close), h("div", { class: "content" },
            name,
            h("div", { class: "actions" },
                link("history", t("dict.records"), { screen: "history", params }),
                link("timeline", t("screen.timeline"), { screen: "history", params: { ...params, view: "timeline" } }),
                link("net", t("screen.net"), { screen: "net", params }),
                h("button", { class: "button quiet", type: "button", on: { click: () => openExport(context, {
                    name: "session", records: (report, signal) => fetchAll(params, report, signal) }) } },
                icon("share"), h("span", null, t("export.title")))),
            h("dl", { class: "facts" }, facts.map(([label, fact]) => [h("dt", null, label), h("dd", null, foreign(fact))])),
            removeButton(session)));
    }

    function removeButton(session) {
        let sure = null;
        const words = t("sessions.delete");
        const button = h("button", { class: "button danger", type: "button", title: t("sessions.deleteHint"),
            on: { click } }, words);
        async function click() {
            if (sure === null) {
                button.textContent = t("sessions.deleteSure", { n: Number(session.count) });
                sure = setTimeout(() => {
                    sure = null;
                    button.textContent = words;
                }, sureTime);
                return;
            }
            clearTimeout(sure);
            try {
                await call(`sessions/${encodeURIComponent(session.session)}`, { method: "DELETE" });
                removed(null);
            } catch (error) {
                removed(error);
            }
        }
        return button;
    }

    return { element, show, clear };
}

// Checklists: what must be seen before a release, judged by the engine as records arrive.

import { call } from "../base/api.js";
import { saveFile } from "../base/bridge.js";
import { createChecklistItem } from "./checklist-item.js";
import { runBoard } from "./board.js";
import { openPairDialog } from "./pair-dialog.js";
import { openRunDialog } from "./run-dialog.js";
import { ago } from "../base/format.js";
import { foreign, h, replaceChildren } from "../base/dom.js";
import { paneTop, revealCurrent, scrollToEdge } from "../base/pane.js";
import { progress } from "./progress.js";
import { formatRoute } from "../base/route.js";

const pause = 1_000;

export function createChecklist(context) {
    const { t, navigate, live, storage } = context;
    let answer = null;
    let failure = null;
    let selected = null;
    let scenarioWanted = null;
    /** The number of an installation's run, as in the address; null for the checklist's own. */
    let run = null;
    let head = -1;

    const list = h("div", { class: "tree-list", tabindex: "0", "data-keys": "list", "aria-label": t("screen.check") });
    const main = h("section", { class: "pane checklists" },
        h("div", { class: "toolbar" }, h("h1", null, t("screen.check"))), list);
    const side = h("aside", { class: "pane checklist", tabindex: "-1", "aria-label": t("screen.check") });
    const isBehind = () => live.head !== head || Number(answer?.judged) < Number(answer?.head);
    setInterval(() => { if (main.isConnected && isBehind() && live.state === "open") load(); }, pause);

    // Ticks of manual items stay in this browser, and belong to one run.
    const tickKey = (checklist, scenario, item) =>
        `tick/${checklist.id}/${checklist.since}/${scenario.id}/${item.id}`;
    const ticks = {
        has: (...place) => storage.get(tickKey(...place)) === "1",
        set(place, isTicked) {
            storage.set(tickKey(...place), isTicked ? "1" : null);
            draw();
        },
    };
    const itemLine = createChecklistItem(context, ticks);

    async function load() {
        head = live.head;
        try {
            const asked = run;
            const news = await call(`checklists${run === null ? "" : `?run=${encodeURIComponent(run)}`}`);
            if (asked !== run) return;
            const isSame = failure === null && JSON.stringify(news) === JSON.stringify(answer);
            [answer, failure] = [news, null];
            if (isSame) return;
        } catch (error) {
            // A run that has ended is on the board, or in the history.
            if (run !== null && error.code === "not_found") return go(selected, null, true);
            [failure, head] = [error, -1];
        }
        draw();
    }

    const current = () => answer?.checklists.find((checklist) => checklist.id === selected)
        ?? (context.isStacked() ? undefined : answer?.checklists[0]);

    function draw() {
        drawList();
        drawSide();
    }

    function drawList() {
        const checklists = answer?.checklists;
        if (failure && !checklists) {
            replaceChildren(list, h("div", { class: "notice" }, h("h2", null, t("error.title")),
                h("p", null, failure.message),
                h("button", { class: "button", type: "button", on: { click: () => load() } }, t("error.retry"))));
        } else if (checklists?.length === 0) {
            replaceChildren(list, h("div", { class: "notice" }, h("h2", null, t("check.empty")),
                h("p", null, t("check.emptyHint")),
                h("pre", { class: "sample" }, "daybook serve --checklists LogChecklists")));
        } else {
            replaceChildren(list, (checklists ?? []).map((checklist) => {
                const share = progress(checklist, ticks);
                return h("a", {
                    class: "entry tall", href: formatRoute({ screen: "check", path: [checklist.id] }),
                    "aria-current": checklist === current() ? "true" : null,
                }, h("span", { class: "entrytop" }, foreign(checklist.title, "tag"), shareText(share)), meter(share));
            }));
        }
    }

    function shareText({ done, failed, all }) {
        return h("span", { class: "share" },
            failed > 0 ? h("span", { class: "failures" }, t("check.failures", { n: failed })) : null,
            h("span", { class: "muted" }, t("check.progress", { done, all })));
    }

    function meter({ done, failed, all }) {
        const state = failed > 0 ? "failed" : done === all && all > 0 ? "done" : "open";
        return h("progress", { class: "meter", max: String(Math.max(1, all)), value: String(done), "data-state": state,
            "aria-label": t("check.progress", { done, all }) });
    }

    function drawSide() {
        const checklist = current();
        side.dataset.empty = String(!checklist);
        main.dataset.selected = String(selected !== null);
        if (!checklist) {
            const words = selected !== null && answer ? t("check.gone") : t("check.hint");
            const isEmpty = !(answer?.checklists.length > 0);
            replaceChildren(side, isEmpty ? null : h("div", { class: "hint" }, h("p", null, words)));
            return;
        }
        const share = progress(checklist, ticks);
        const scroll = side.scrollTop;
        replaceChildren(side,
            paneTop(t, t("check.progress", share), () => go(null)),
            h("div", { class: "content" },
                h("div", { class: "titleline" }, h("h2", null, foreign(checklist.title)), actions(checklist)),
                meter(share), runNote(checklist), coverage(checklist),
                runBoard(context, checklist, run),
                checklist.scenarios.map((scenario) => scenarioSection(checklist, scenario))));
        side.scrollTop = scroll;
        if (scenarioWanted === null) return;
        side.querySelector(`[data-scenario="${CSS.escape(scenarioWanted)}"]`)?.scrollIntoView();
        scenarioWanted = null;
    }

    /** Which records the verdicts are about, where these are not simply all. */
    function coverage(checklist) {
        const [judged, all] = [Number(answer.judged), Number(answer.head)];
        if (judged < all) return h("p", { class: "muted", role: "status" }, t("check.judging", { judged, head: all }));
        const since = Number(checklist.since);
        return since > 0 ? h("p", { class: "muted" }, t("check.since", { since: String(since) })) : null;
    }

    const post = (checklist, what, body) => call(`checklists/${encodeURIComponent(checklist.id)}/${what}`, { body });

    function actions(checklist) {
        const button = (words, hint, press) => h("button", { class: "button", type: "button", title: hint,
            on: { click: press } }, words);
        const saveReport = async () => {
            try {
                const { markdown } = await call(`checklists/${encodeURIComponent(checklist.id)}/report`);
                saveFile(`${checklist.id}.md`, "text/markdown", markdown);
            } catch (error) {
                context.announce(error.message);
            }
        };
        const signOff = button(t("check.signOff"), t("check.signOffHint"), () => openRunDialog(context, checklist, "signoff",
            async ({ tester, build }) => {
                await post(checklist, "signoff", { tester, build, ticked: tickedItems(checklist),
                    run: run === null ? null : Number(run) });
                await load();
            }));
        // A phone's run begins and ends with its pairing.
        if (run !== null) return h("div", { class: "line" }, signOff);
        return h("div", { class: "line checktools" },
            button(t("check.restart"), t("check.restartHint"), () => openRunDialog(context, checklist, "start",
                async (given) => {
                    await post(checklist, "restart", given);
                    await load();
                })),
            signOff, context.limits.pairing ? button(t("pair.open"), t("pair.hint"), () => pair(checklist)) : null,
            button("Markdown", t("check.report"), saveReport));
    }

    /** Until a run is under way that was not when the dialog was opened. */
    function pair({ id }) {
        const underWay = () => new Set(answer.checklists.find((one) => one.id === id)?.board
            .filter(({ state }) => state === "under_way").map(({ id: number }) => number));
        const before = underWay();
        openPairDialog(context, answer.checklists.find((one) => one.id === id), async () => {
            await load();
            return [...underWay()].some((number) => !before.has(number));
        });
    }

    function tickedItems(checklist) {
        return checklist.scenarios.flatMap((scenario) => scenario.items
            .filter((item) => item.state === "manual" && ticks.has(checklist, scenario, item)).map((item) => item.text));
    }

    /** Whose run it is, and who signed it off. */
    function runNote({ run: label, signed_off: signed }) {
        const words = (note) => [note.tester, note.persona, note.build].filter(Boolean)
            .flatMap((part, index) => [index > 0 ? " · " : null, foreign(part)]);
        return [
            label && (label.persona || label.tester || label.build)
                ? h("p", { class: "muted" }, `${t("check.run")} `, words(label)) : null,
            run === null ? null : h("p", null, h("a", { href: formatRoute({ screen: "check", path: [selected] }) },
                t("check.ownRun"))),
            signed ? h("p", { class: "sound" }, `${t("check.signed")} `, words(signed), ", ",
                h("span", { class: "whole" }, ago(signed.time, Date.now(), context.language))) : null,
        ];
    }

    function scenarioSection(checklist, scenario) {
        const share = progress({ ...checklist, scenarios: [scenario] }, ticks);
        return h("section", { class: "section", "data-scenario": scenario.id },
            h("h3", null, foreign(scenario.title), shareText(share)),
            h("ul", { class: "items" }, scenario.items.map((item) => itemLine(checklist, scenario, item))));
    }

    function go(id, number = null, replace = false) {
        navigate({ screen: "check", path: id === null ? [] : [id], params: { run: number } }, { replace });
    }

    return {
        main,
        side,
        show({ path, params }) {
            const isOther = selected !== (path[0] ?? null);
            [selected = null, scenarioWanted = null] = path;
            run = params.run ?? null;
            if (isOther) side.scrollTop = 0;
            draw();
            load();
        },
        move(step) {
            const checklists = answer?.checklists;
            if (!checklists?.length) return;
            const index = checklists.indexOf(current());
            go(checklists[Math.min(Math.max(index + step, 0), checklists.length - 1)].id, null, true);
            revealCurrent(list);
        },
        edge(isLast) { scrollToEdge(list, isLast); },
        open() { side.focus(); },
        close() { if (selected !== null) go(null); },
    };
}

// @ts-check
// Whose records are judged: those of a run, or of a selected version, device or session.

import { choiceField, labelled } from "../base/controls.js";
import { foreign, h } from "../base/dom.js";
import { ago, cut, moment } from "../base/format.js";
import { formatRoute } from "../base/route.js";

/** @typedef {{ version?: string, installation?: string, session?: string, persona?: string }} Choice */

/** @type {(keyof Choice)[]} */
export const choiceNames = ["version", "installation", "session", "persona"];
const longestWord = 40;

/** The selection in an address.
 * @param {Params} params @returns {Choice} */
export function choiceOf(params) {
    return Object.fromEntries(choiceNames.flatMap((name) => (params[name] ? [[name, params[name]]] : [])));
}

/** The default: the newest version if there are several, otherwise all records.
 * @param {string[]} versions the newest first
 * @returns {Choice} */
export function firstChoice(versions) { return versions.length > 1 ? { version: versions[0] } : {}; }

/** The selection's fields; the sessions are those of the selected device.
 * @param {PageContext} context @param {Checklist} checklist @param {SessionSummary[]} sessions the latest first
 * @param {string[]} versions the newest first
 * @param {(choice: { [name: string]: string | null }) => void} apply */
export function choiceFields({ t, language }, { judging, personas }, sessions, versions, apply) {
    const of = (/** @type {(session: SessionSummary) => boolean} */ test) => sessions.filter(test);
    const inVersion = of(({ version }) => judging.version === null || version === judging.version);
    const onDevice = inVersion.filter(({ installation }) =>
        judging.installation === null || installation === judging.installation);
    const devices = distinct(inVersion.map(({ installation, device }) => [installation,
        device ? `${device} · ${cut(installation ?? "", 8)}` : installation]));
    const visits = distinct(onDevice.map(({ session, last_time, device }) => [session,
        `${device ? `${device} · ` : ""}${ago(last_time, Date.now(), language)} · ${cut(session, 8)}`]));
    const field = (/** @type {keyof Choice} */ name, /** @type {string} */ all,
        /** @type {[string, string][]} */ values) => {
        const value = judging[name];
        const known = value === null || values.some(([own]) => own === value) ? values : [[value, value], ...values];
        const options = known.map(([own, words]) => [own, cut(words, longestWord)]);
        return labelled(t(name === "installation" ? "run.device" : `run.${name}`),
            choiceField([["", all], ...options], value, (chosen) => apply({ [name]: chosen || null }), { name }));
    };
    return h("div", { class: "choice" },
        field("version", t("check.allVersions"), versions.map((name) => [name, name])),
        field("installation", t("check.allDevices"), devices), field("session", t("check.allSessions"), visits),
        personas.length > 0 ? field("persona", t("run.anyone"), personas.map((name) => [name, name])) : null);
}

/** @param {(readonly [string | null, string | null])[]} pairs @returns {[string, string][]} */
function distinct(pairs) {
    return [...new Map(pairs.flatMap(([value, words]) => (value === null ? [] : [[value, words ?? value]])))];
}

/** How many records the verdicts are about, and whose.
 * @param {PageContext} context @param {Checklist} checklist */
export function judgedWords({ t }, { judging, run, signed_off: signed }) {
    const { records, first, last, versions, devices, installations, sessions } = judging;
    const n = Number(records);
    const whose = [listed(versions), listed(devices.length > 0 ? devices : installations)].filter(Boolean).join(" · ");
    return h("p", { class: "muted judged" },
        t(signed ? "check.judgedThen" : run ? "check.judgedRun" : "check.judged", { n }),
        n === 0 ? null : [` (#${first}–#${last}, `, t("insight.sessions", { n: sessions.length }), ")"],
        whose === "" ? null : [" · ", foreign(whose)]);
}

/** @param {string[]} names */
function listed(names) {
    return names.slice(0, 3).map((name) => cut(name, 24)).join(", ") + (names.length > 3 ? ", …" : "");
}

/** Whose run it is, and who signed it off.
 * @param {PageContext} context @param {Checklist} checklist */
export function runHead({ t, language }, { id, run, signed_off: signed, definitions }) {
    if (!run && !signed) return null;
    const words = (/** @type {(string | null | undefined)[]} */ ...all) => all.filter((word) => word)
        .flatMap((word, index) => [index > 0 ? " · " : null, foreign(String(word))]);
    return h("div", { class: "runhead" },
        run ? h("p", null, `${t("check.run")} #${run.id} `,
            words(run.device ? t("run.byDevice") : run.tester, run.persona, run.build, run.scenario,
            run.version, run.installation, run.session), " · ",
        h("span", { class: "whole" }, moment(run.started, language)),
        run.finished ? [" – ", h("span", { class: "whole" }, moment(run.finished, language))]
            : [" · ", t("check.underWay")]) : null,
        signed ? [
            h("p", { class: Number(signed.failed) > 0 ? "warning" : "sound" }, `${t("check.signed")} `,
                words(signed.tester, run ? null : signed.persona, signed.build, signed.device), ", ",
                h("span", { class: "whole" }, moment(signed.time, language)),
                Number(signed.waived) > 0 ? [" · ", t("check.waivedItems", { n: Number(signed.waived) })] : null),
            signed.notes ? h("p", null, foreign(signed.notes)) : null,
            definitions ? h("p", { class: "muted" }, t("check.definitions", { digest: definitions.slice(0, 12) }))
                : null,
        ] : null,
        h("p", null, h("a", { href: formatRoute({ screen: "check", path: [id] }) }, t("check.chosen"))));
}

// @ts-check
// Starting a run and signing off: who tests, with which persona. And pairing a phone: its QR code is valid once, for
// five minutes.

import { call } from "../base/api.js";
import { choiceField, labelled } from "../base/controls.js";
import { attempt, dialogForm, failureLine, lastLine, openDialog, submitButton } from "../base/dialog.js";
import { copyButton, foreign, h, picture, replaceChildren } from "../base/dom.js";
import { cut } from "../base/format.js";
import { openItems } from "../model/progress.js";
import { qrCode } from "../model/qr.js";
import { reasonText } from "./reason.js";

const quietZone = 4;
const guide = "daybook serve --listen 192.168.1.5 \\\n    --tls-cert cert.pem --tls-key key.pem --keys keys.ndjson";
const pairPause = 1_000;

/** Starts a run: tester, persona, and whose records. The names are remembered in this browser.
 * @param {PageContext} context @param {Checklist} checklist @param {SessionSummary[]} sessions the latest first
 * @param {(body: { [name: string]: string | null }) => Promise<void>} submit may throw; its message is shown */
export function openStartDialog({ t, storage }, checklist, sessions, submit) {
    const failure = failureLine();
    const tester = textField("tester", storage.get("tester"));
    const build = textField("build", checklist.run?.build ?? storage.get("build"));
    const persona = personaField(t, checklist);
    /** @type {Map<string, string>} */
    const devices = new Map(sessions.flatMap(({ installation, device }) => (installation === null ? []
        : [[installation, device ? `${device} · ${cut(installation, 8)}` : installation]])));
    const chosen = checklist.run?.installation ?? checklist.judging.installation;
    const device = choiceField([["", t("check.allDevices")], ...devices], chosen);
    const send = () => attempt(failure, async () => {
        remember(storage, tester, build);
        await submit({ tester: tester.value.trim() || null, build: build.value.trim() || null,
            persona: persona?.value || null, installation: device.value || null });
        dialog.close();
    });
    const dialog = openDialog("run", t("check.start"), [h("p", { class: "muted" }, t("run.startHint")),
        dialogForm(send, persona ? labelled(t("run.persona"), persona) : null, labelled(t("run.tester"), tester),
            labelled(t("run.build"), build), devices.size > 0 ? labelled(t("run.device"), device) : null, failure,
            lastLine(t, submitButton(t("run.startDo"))))]);
}

/** Signs off: open items come first, and each needs a reason.
 * @param {PageContext} context @param {Checklist} checklist @param {Ticks} ticks
 * @param {(body: { [name: string]: unknown }) => Promise<void>} submit may throw; its message is shown */
export function openSignOffDialog({ t, storage, language }, checklist, ticks, submit) {
    const failure = failureLine();
    const tester = textField("tester", checklist.run?.tester ?? storage.get("tester"));
    const build = textField("build", checklist.run?.build ?? checklist.judging.version ?? storage.get("build"));
    const device = textField("device", checklist.judging.devices.length === 1 ? checklist.judging.devices[0] : "");
    const notes = h("textarea", { class: "field", name: "notes", rows: "2" });
    const open = openItems(checklist, ticks).map((item) => ({ ...item, field: textField(item.key, "") }));
    const send = () => isFilled(failure, [...open.map(({ field }) => ({ field, words: t("run.noReason") })),
        { field: tester, words: t("run.noTester") }]) && attempt(failure, async () => {
        remember(storage, tester, build);
        await submit({ tester: tester.value.trim() || null, build: build.value.trim() || null,
            device: device.value.trim() || null, notes: notes.value.trim() || null,
            waivers: open.map(({ key, field }) => ({ item: key, reason: field.value.trim() }))
                .filter(({ reason }) => reason !== "") });
        dialog.close();
    });
    const dialog = openDialog("run", t("run.signoff"), [h("p", { class: "muted" }, t("run.signoffHint")),
        dialogForm(send, open.length > 0 ? h("section", { class: "openitems" },
            h("p", { class: "warning" }, t("run.open", { n: open.length })),
            open.map(({ text, reason, phrases, field }) => labelled([foreign(text), reason === "" ? null
                : h("span", { class: "muted" }, " ", foreign(cut(reasonText(language, reason, phrases), 200)))],
            field))) : null,
        labelled(t("run.tester"), tester), labelled(t("run.build"), build), labelled(t("run.device"), device),
        labelled(t("run.notes"), notes), h("div", { class: "foot" }, failure,
            lastLine(t, submitButton(t("check.signOff")))))]);
}

/** Whether all fields have text; otherwise the first empty one gets the focus, and its message is shown.
 * @param {HTMLElement} failure
 * @param {{ field: HTMLInputElement, words: string }[]} needed in the order in which they stand */
function isFilled(failure, needed) {
    const empty = needed.find(({ field }) => field.value.trim() === "");
    failure.textContent = empty?.words ?? "";
    for (const { field } of needed) field.removeAttribute("aria-invalid");
    if (!empty) return true;
    empty.field.setAttribute("aria-invalid", "true");
    empty.field.addEventListener("input", () => empty.field.removeAttribute("aria-invalid"), { once: true });
    empty.field.focus();
    return false;
}

/** @param {BrowserStorage} storage @param {HTMLInputElement} tester @param {HTMLInputElement} build */
function remember(storage, tester, build) {
    storage.set("tester", tester.value.trim() || null);
    storage.set("build", build.value.trim() || null);
}

/** @param {PageContext} context @param {Checklist} checklist
 * @param {() => Promise<boolean>} isNew whether a run has begun since; asked once a second until one has */
export function openPairDialog({ t, storage }, checklist, isNew) {
    const tester = textField("tester", storage.get("tester"));
    const persona = personaField(t, { ...checklist, run: null });
    const failure = failureLine();
    const body = h("div", { class: "pairing" });
    /** @type {number | undefined} */
    let timer;
    const open = () => {
        const name = tester.value.trim() || null;
        storage.set("tester", name);
        attempt(failure, async () => wait(await call("pairings", {
            body: { checklist: checklist.id, persona: persona?.value || null, tester: name } })));
    };
    const ask = () => replaceChildren(body, h("p", { class: "muted" }, t("pair.hint")),
        dialogForm(open, persona ? labelled(t("run.persona"), persona) : null, labelled(t("run.tester"), tester),
            failure, lastLine(t, submitButton(t("pair.show")))));
    const wait = (/** @type {Pairing} */ pairing) => {
        const status = h("p", { class: "muted", role: "status" },
            t("pair.waiting", { n: Math.round(pairing.seconds / 60) }));
        replaceChildren(body, pairingView(t, pairing), status, lastLine(t));
        const end = performance.now() + pairing.seconds * 1_000;
        timer = setInterval(async () => {
            if (await isNew()) {
                clearInterval(timer);
                replaceChildren(status, h("span", { class: "sound" }, t("pair.done")));
            } else if (performance.now() > end) {
                clearInterval(timer);
                ask();
            }
        }, pairPause);
    };
    ask();
    openDialog("run", t("pair.open"), body, () => clearInterval(timer));
}

/** The code, its link, and what prevents a phone from connecting.
 * @param {Translate} t @param {Pairing} pairing */
function pairingView(t, { link, collector, local }) {
    return [
        local ? [h("div", { class: "warning" }, t("pair.local")), h("pre", { class: "sample" }, guide),
            h("p", { class: "muted" }, t("pair.simulator"))]
            : [codeDrawing(t, link), h("p", { class: "muted" }, t("pair.scan"))],
        h("p", null, t("pair.collector"), " ", h("strong", null, foreign(collector))),
        h("pre", { class: "sample link" }, foreign(link)),
        h("div", { class: "actions" }, copyButton(t("pair.copy"), t("copy.done"), () => link)),
    ];
}

/** @param {Translate} t @param {string} link */
function codeDrawing(t, link) {
    const code = qrCode(link);
    const size = code.length + 2 * quietZone;
    const path = code.flatMap((row, y) => row.flatMap((isDark, x) =>
        (isDark ? [`M${x + quietZone} ${y + quietZone}h1v1h-1z`] : []))).join("");
    return h("div", { class: "qr", role: "img", "aria-label": t("pair.code") }, picture(`0 0 ${size} ${size}`, path));
}

/** @param {string} name @param {string | null} value */
function textField(name, value) {
    return h("input", { class: "field", name, value: value ?? "", autocomplete: "off" });
}

/** The checklist's personas; null if it has none.
 * @param {Translate} t @param {Checklist} checklist */
function personaField(t, { personas, run, judging }) {
    if (personas.length === 0) return null;
    return choiceField([["", t("run.anyone")], ...personas.map((name) => [name, name])],
        run?.persona ?? judging.persona);
}

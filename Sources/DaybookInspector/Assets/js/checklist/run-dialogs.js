// @ts-check
// Who runs a checklist as whom: asked at a run's start and at its sign-off; and a run that is handed to a phone by a code
// to be scanned, which opens one pairing within five minutes.

import { call, messageOf } from "../base/api.js";
import { copyButton, foreign, h, picture, replaceChildren } from "../base/dom.js";
import { closeButton, labelled, openDialog } from "../base/pane.js";
import { qrCode } from "../model/qr.js";

/** @typedef {{ persona: string | null, tester: string | null, build: string | null }} Runner */

const quietZone = 4;
const guide = "daybook serve --listen 192.168.1.5 \\\n    --tls-cert cert.pem --tls-key key.pem --keys keys.ndjson";
const pairPause = 1_000;

/**
 * The names are remembered in this browser.
 * @param {PageContext} context
 * @param {Checklist} checklist
 * @param {"start" | "signoff"} of
 * @param {(runner: Runner) => Promise<void>} submit may throw; its message is shown
 */
export function openRunDialog({ t, storage }, checklist, of, submit) {
    const failure = h("p", { class: "wrong", role: "alert" });
    const tester = textField("tester", checklist.run?.tester ?? storage.get("tester"));
    const build = textField("build", checklist.run?.build ?? storage.get("build"));
    const persona = of === "start" ? personaField(t, checklist) : null;
    const send = async () => {
        const given = { tester: tester.value.trim() || null, build: build.value.trim() || null,
            persona: persona?.value || null };
        storage.set("tester", given.tester);
        storage.set("build", given.build);
        try {
            await submit(given);
            dialog.close();
        } catch (error) {
            failure.textContent = messageOf(error);
        }
    };
    const dialog = openDialog("run", t(`run.${of}`), [h("p", { class: "muted" }, t(`run.${of}Hint`)),
        form(send, persona ? labelled(t("run.persona"), persona) : null, labelled(t("run.tester"), tester),
            labelled(t("run.build"), build), failure,
            h("div", { class: "line" }, h("span", { class: "gap" }), closeButton(t),
                h("button", { class: "button primary" }, t(`run.${of}Do`))))]);
}

/**
 * @param {PageContext} context
 * @param {Checklist} checklist
 * @param {() => Promise<boolean>} isNew whether a run has begun since; asked once a second until one has
 */
export function openPairDialog({ t, storage }, checklist, isNew) {
    const tester = textField("tester", storage.get("tester"));
    const persona = personaField(t, { ...checklist, run: null });
    const failure = h("p", { class: "wrong", role: "alert" });
    const body = h("div", { class: "pairing" });
    /** @type {number | undefined} */
    let timer;
    const open = async () => {
        const name = tester.value.trim() || null;
        storage.set("tester", name);
        try {
            wait(await call("pairings", {
                body: { checklist: checklist.id, persona: persona?.value || null, tester: name } }));
        } catch (error) {
            failure.textContent = messageOf(error);
        }
    };
    const ask = () => replaceChildren(body, h("p", { class: "muted" }, t("pair.hint")),
        form(open, persona ? labelled(t("run.persona"), persona) : null, labelled(t("run.tester"), tester), failure,
            h("div", { class: "line" }, h("span", { class: "gap" }), closeButton(t),
                h("button", { class: "button primary" }, t("pair.show")))));
    const wait = (/** @type {Pairing} */ pairing) => {
        const status = h("p", { class: "muted", role: "status" },
            t("pair.waiting", { n: Math.round(pairing.seconds / 60) }));
        replaceChildren(body, pairingView(t, pairing), status,
            h("div", { class: "line" }, h("span", { class: "gap" }), closeButton(t)));
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
    openDialog("run", t("pair.title"), body, () => clearInterval(timer));
}

/**
 * The code, its link, and what stands in the way of a phone.
 * @param {Translate} t
 * @param {Pairing} pairing
 */
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

/**
 * @param {Translate} t
 * @param {string} link
 */
function codeDrawing(t, link) {
    const code = qrCode(link);
    const size = code.length + 2 * quietZone;
    const path = code.flatMap((row, y) => row.flatMap((isDark, x) =>
        (isDark ? [`M${x + quietZone} ${y + quietZone}h1v1h-1z`] : []))).join("");
    return h("div", { class: "qr", role: "img", "aria-label": t("pair.code") }, picture(`0 0 ${size} ${size}`, path));
}

/**
 * @param {string} name
 * @param {string | null} value
 */
function textField(name, value) { return h("input", { class: "field", name, value: value ?? "", autocomplete: "off" }); }

/**
 * A choice of the checklist's personas; null where it has none.
 * @param {Translate} t
 * @param {Checklist} checklist
 */
function personaField(t, { personas, run }) {
    if (personas.length === 0) return null;
    return h("select", { class: "field" }, h("option", { value: "" }, t("run.anyone")),
        personas.map((name) => h("option", { value: name, selected: name === run?.persona }, name)));
}

/**
 * @param {() => void} submit
 * @param {...Child} content
 */
function form(submit, ...content) {
    return h("form", { class: "fields", method: "dialog", on: { submit(event) {
        event.preventDefault();
        submit();
    } } }, content);
}

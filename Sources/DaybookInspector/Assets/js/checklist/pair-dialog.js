// Hands a checklist to a phone: a code to be scanned, which opens one pairing within five minutes.

import { call } from "../base/api.js";
import { copyButton, foreign, h, picture, replaceChildren } from "../base/dom.js";
import { labelled } from "../base/pane.js";
import { qrCode } from "../model/qr.js";

const quietZone = 4;
const guide = "daybook serve --listen 192.168.1.5 \\\n    --tls-cert cert.pem --tls-key key.pem --keys keys.ndjson";

/** `isNew()` answers whether a run has begun since the dialog was opened; asked once a second until it has. */
export function openPairDialog({ t, storage }, checklist, isNew) {
    const tester = h("input", { class: "field", name: "tester", value: storage.get("tester") ?? "", autocomplete: "off" });
    const persona = checklist.personas.length > 0
        ? h("select", { class: "field" }, h("option", { value: "" }, t("run.anyone")),
            checklist.personas.map((name) => h("option", { value: name }, name)))
        : null;
    const failure = h("p", { class: "wrong", role: "alert" });
    const body = h("div", { class: "pairing" });
    const dialog = h("dialog", { class: "help run", "aria-label": t("pair.title"), on: {
        click: (event) => { if (event.target === dialog) dialog.close(); },
        close: () => { clearInterval(timer); dialog.remove(); },
    } }, h("h2", null, t("pair.title")), body);
    let timer;
    ask();
    document.body.append(dialog);
    dialog.showModal();

    function ask() {
        replaceChildren(body, h("p", { class: "muted" }, t("pair.hint")),
            h("form", { class: "fields", method: "dialog", on: { submit: (event) => {
                event.preventDefault();
                open();
            } } }, persona ? labelled(t("run.persona"), persona) : null, labelled(t("run.tester"), tester), failure, h("div", { class: "line" }, h("span", { class: "gap" }), close(),
                h("button", { class: "button primary" }, t("pair.show")))));
    }

    function close() {
        return h("button", { class: "button", type: "button", on: { click: () => dialog.close() } }, t("detail.close"));
    }

    async function open() {
        const name = tester.value.trim();
        storage.set("tester", name || null);
        try {
            show(await call("pairings", { body: { checklist: checklist.id, persona: persona?.value || null,
                tester: name || null } }));
        } catch (error) {
            failure.textContent = error.message;
        }
    }

    function show({ link, collector, local, seconds }) {
        const status = h("p", { class: "muted", role: "status" }, t("pair.waiting", { n: Math.round(seconds / 60) }));
        const address = h("p", null, t("pair.collector"), " ", h("strong", null, foreign(collector)));
        replaceChildren(body, local
            ? [h("div", { class: "warning" }, t("pair.local")), h("pre", { class: "sample" }, guide),
                h("p", { class: "muted" }, t("pair.simulator"))]
            : [drawing(link), h("p", { class: "muted" }, t("pair.scan"))],
        address, h("pre", { class: "sample link" }, foreign(link)),
        h("div", { class: "actions" }, copyButton(t("pair.copy"), t("copy.done"), () => link)), status,
        h("div", { class: "line" }, h("span", { class: "gap" }), close()));
        const end = performance.now() + seconds * 1_000;
        timer = setInterval(async () => {
            if (await isNew()) {
                clearInterval(timer);
                replaceChildren(status, h("span", { class: "sound" }, t("pair.done")));
            } else if (performance.now() > end) {
                clearInterval(timer);
                ask();
            }
        }, 1_000);
    }

    function drawing(link) {
        const code = qrCode(link);
        const size = code.length + 2 * quietZone;
        const path = code.flatMap((row, y) => row.flatMap((isDark, x) =>
            (isDark ? [`M${x + quietZone} ${y + quietZone}h1v1h-1z`] : []))).join("");
        return h("div", { class: "qr", role: "img", "aria-label": t("pair.code") }, picture(`0 0 ${size} ${size}`, path));
    }
}

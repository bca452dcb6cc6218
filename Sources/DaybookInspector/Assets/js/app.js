// @ts-check
// Starts the page: the token, the server's status, then the frame, the screens and the keys.

import { TabTokens } from "./base/access.js";
import { ApiError, call, messageOf, sayOffline } from "./base/api.js";
import { primaryButton } from "./base/controls.js";
import { failureLine } from "./base/dialog.js";
import { h, replaceChildren } from "./base/dom.js";
import { pickLanguage, translator } from "./base/i18n.js";
import { Live } from "./base/live.js";
import { formatRoute, handedOver } from "./base/route.js";
import { applyBlur, storage } from "./base/storage.js";
import { Frame } from "./frame.js";
import { Catalog } from "./model/catalog.js";
import { Tags } from "./model/tags.js";
import { Navigation } from "./navigation.js";
import { bindShortcuts } from "./shortcuts.js";

const announcementPause = 5_000;
const app = element("app");
const tabs = new TabTokens();
const language = pickLanguage([storage.get("language"), ...navigator.languages]);
const t = translator(language);
sayOffline(t("error.offline"));
document.documentElement.lang = language;
applyBlur();

start(takeToken(location.hash));
addEventListener("hashchange", () => {
    // The printed address was opened in a tab that already shows the page.
    const token = takeToken(location.hash);
    if (token) exchange(token).catch(() => showLock(true));
});

/** @param {string} id */
function element(id) {
    const found = document.getElementById(id);
    if (!found) throw new Error(`the page has no #${id}`);
    return found;
}

/** Takes the token out of the address before anything else: it must not reach the history or a screenshot.
 * @param {string} hash */
function takeToken(hash) {
    const given = handedOver(hash);
    if (given) history.replaceState(null, "", location.pathname + given.hash);
    return given?.token ?? null;
}

/** @param {string | null} token */
async function start(token) {
    try {
        if (token) await admit(token);
        const [limits, definitions] = await Promise.all([call("status"), call("definitions")]);
        run(limits, new Catalog(definitions), definitions.links ?? { event: [], request: [] });
    } catch (error) {
        if (!isRefusal(error)) showFailure(error, token);
        else if (token) showLock(true);
        else borrow();
    }
}

/** @param {unknown} error */
function isRefusal(error) { return error instanceof ApiError && error.code === "unauthorized"; }

/** Keeps a token once the server has accepted it.
 * @param {string} token */
async function admit(token) {
    await call("status", { token });
    tabs.keep(token);
}

/** Without a valid token: perhaps another tab has one. */
async function borrow() {
    tabs.forget();
    const lent = await tabs.borrow();
    if (lent === null) showLock(false);
    else exchange(lent).catch(() => showLock(false));
}

/** Accepts a token, then reloads: the address restores what is shown.
 * @param {string} token */
async function exchange(token) {
    await admit(token);
    location.reload();
}

/** @param {boolean} isWrong whether a token was shown and refused */
function showLock(isWrong) {
    tabs.wait((token) => { exchange(token).catch(() => {}); });
    const field = h("input", { class: "field", type: "password", autocomplete: "off", "aria-label": t("lock.token"),
        on: { keydown(event) { if (event.key === "Enter") open(); } } });
    const failure = failureLine(isWrong ? t("lock.wrong") : "");
    const open = async () => {
        try {
            // The whole printed address will do, too.
            const text = field.value.trim();
            const at = text.indexOf("#");
            await exchange((at < 0 ? null : takeToken(text.slice(at))) ?? text);
        } catch (error) {
            failure.textContent = isRefusal(error) ? t("lock.wrong") : messageOf(error);
        }
    };
    replaceChildren(app, h("main", { class: "gate" }, h("h1", null, t("lock.title")), h("p", null, t("lock.hint")),
        h("div", { class: "line" }, field, primaryButton(t("lock.open"), open)),
        failure));
}

/** @param {unknown} error @param {string | null} token */
function showFailure(error, token) {
    replaceChildren(app, h("main", { class: "gate" }, h("h1", null, t("error.title")), h("p", null, messageOf(error)),
        primaryButton(t("error.retry"), () => start(token))));
}

/** @param {Status} limits @param {Catalog} catalog @param {TeamLinks} links */
function run(limits, catalog, links) {
    const live = new Live();
    const tags = new Tags(live);
    let runsSQL = false;
    /** @type {PageContext} */
    const context = {
        t, language, live, tags, catalog, limits, storage, links,
        navigate: (place, options) => navigation.navigate(place, options),
        isStacked: () => matchMedia("(width < 700px)").matches,
        runSQLOnce: () => { runsSQL = true; },
        takeSQLOnce() {
            const was = runsSQL;
            runsSQL = false;
            return was;
        },
        announce: announcer(element("announcer")),
    };
    const frame = new Frame(context, app);
    const navigation = new Navigation(context, frame);
    const drawConnection = () => {
        frame.drawConnection();
        if (live.state === "locked") borrow();
        else if (navigation.isAt("dict")) tags.refresh();
    };
    live.listen(drawConnection);
    bindShortcuts(context, navigation, frame);
    if (/^#?\/?$/.test(location.hash)) history.replaceState(null, "", formatRoute({ screen: limits.start }));
    // The screen's own requests go first.
    navigation.draw();
    live.start();
    drawConnection();
    tags.load().catch(() => {});
    // Only a collector has alerts and boards, and only if the team wrote some.
    frame.offer("alerts", call("alerts").then(({ alerts }) => alerts.length > 0));
    frame.offer("boards", call("boards").then(({ boards, writable }) => boards.length > 0 || writable));
}

/** Tells screen readers, at most once in five seconds.
 * @param {HTMLElement} place */
function announcer(place) {
    let announced = -announcementPause;
    return (/** @type {string} */ text) => {
        const now = performance.now();
        if (now - announced < announcementPause) return;
        announced = now;
        place.textContent = text;
    };
}

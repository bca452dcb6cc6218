// Starts the page: the token, the language, the frame around the screens, the keys.

import { ApiError, call } from "./base/api.js";
import { Catalog } from "./model/catalog.js";
import { createChecklist } from "./checklist/checklist.js";
import { createDictionary } from "./dictionary/dictionary.js";
import { h, icon, replaceChildren } from "./base/dom.js";
import { applyBlur, toggleBlur } from "./base/blur.js";
import { createHistory } from "./history/history.js";
import { createAlerts } from "./alerts/alerts.js";
import { createSessions } from "./sessions/sessions.js";
import { createNetwork } from "./network/network.js";
import { pickLanguage, translator } from "./base/i18n.js";
import { areKeysOn, createHelp, languagePicker } from "./help.js";
import { bindKeys } from "./base/keys.js";
import { Live } from "./base/live.js";
import { formatRoute, handedOver, parseRoute, screens } from "./base/route.js";
import { createSQL } from "./sql/sql.js";
import { storage } from "./base/storage.js";
import { Tags } from "./model/tags.js";

const announcementPause = 5_000;
const tabs = 4;
const app = document.getElementById("app");
const language = pickLanguage([storage.get("language"), ...navigator.languages]);
const t = translator(language);
document.documentElement.lang = language;
applyBlur();

start(takeToken(location.hash));
addEventListener("hashchange", () => {
    // The printed address was opened over a running page.
    const token = takeToken(location.hash);
    if (token) exchange(token).catch(showLock);
});

/** The token leaves the address before anything else happens: it must not reach the history or a screenshot. */
function takeToken(hash) {
    const given = handedOver(hash);
    if (given) history.replaceState(null, "", location.pathname + given.hash);
    return given?.token ?? null;
}

async function start(token) {
    try {
        if (token) await call("session", { body: { token } });
        const [limits, definitions] = await Promise.all([call("status"), call("definitions")]);
        run(limits, new Catalog(definitions), definitions.links ?? {});
    } catch (error) {
        if (error instanceof ApiError && error.code === "unauthorized") showLock();
        else showFailure(error, token);
    }
}

/** Takes a token into a page that is already there; what it shows stands in the address and comes back. */
async function exchange(token) {
    await call("session", { body: { token } });
    location.reload();
}

function showLock() {
    const field = h("input", { class: "field", type: "password", autocomplete: "off", "aria-label": t("lock.token") });
    const failure = h("p", { role: "alert" });
    const open = async () => {
        try {
            const text = field.value.trim();
            const start = text.indexOf("#");
            await exchange((start < 0 ? null : takeToken(text.slice(start))) ?? text);
        } catch (error) {
            failure.textContent = error.message;
        }
    };
    field.addEventListener("keydown", (event) => { if (event.key === "Enter") open(); });
    replaceChildren(app, h("main", { class: "gate" }, h("h1", null, t("lock.title")), h("p", null, t("lock.hint")),
        h("div", { class: "line" }, field,
            h("button", { class: "button primary", type: "button", on: { click: open } }, t("lock.open"))),
        failure));
}

function showFailure(error, token) {
    replaceChildren(app, h("main", { class: "gate" }, h("h1", null, t("error.title")), h("p", null, error.message),
        h("button", { class: "button primary", type: "button", on: { click: () => start(token) } }, t("error.retry"))));
}

function run(limits, catalog, teamLinks) {
    const live = new Live();
    const tags = new Tags(live);
    let runsSQL = false;
    let announced = -announcementPause;
    const context = {
        t, language, live, tags, catalog, limits, storage, navigate, links: teamLinks,
        isStacked: () => matchMedia("(width < 700px)").matches,
        runSQLOnce() { runsSQL = true; },
        takeSQLOnce() {
            const was = runsSQL;
            runsSQL = false;
            return was;
        },
        /** Tells screen readers, at most once in five seconds. */
        announce(text) {
            const now = performance.now();
            if (now - announced < announcementPause) return;
            announced = now;
            document.getElementById("announcer").textContent = text;
        },
    };
    const makers = { history: createHistory, net: createNetwork, dict: createDictionary, check: createChecklist,
        sessions: createSessions, sql: createSQL, alerts: createAlerts };
    const made = {};
    let current = null;
    let lastRoutes = {};

    const linkTo = (screen, name) => h("a", { class: name, href: formatRoute({ screen }) }, icon(screen),
        h("span", null, t(`screen.${screen}`)));
    const links = screens.map((screen, index) => linkTo(screen, index < tabs ? "navlink" : "navlink rest"));
    // A phone's tabs have room for the first screens; the others stand where "More" leads.
    const moreLinks = screens.slice(tabs).map((screen) => linkTo(screen, "button"));
    // Only a collector has alerts, and only where the team wrote some.
    const alertsLinks = [links.at(-1), moreLinks.at(-1)];
    const showAlerts = (are) => { for (const link of alertsLinks) link.hidden = !are; };
    showAlerts(false);
    const connection = h("span", { class: "connection" }, h("span", { class: "dot" }), h("span"));
    const help = createHelp(context, moreLinks);
    const more = h("button", { class: "navlink more", type: "button", on: { click: () => help.showModal() } },
        icon("more"), h("span", null, t("nav.more")));
    const nav = h("nav", { class: "nav", "aria-label": t("nav.screens") },
        h("div", { class: "brand" }, h("img", { src: "assets/icon.svg", alt: "", width: "20", height: "20" }),
            h("strong", null, "Daybook")),
        h("div", { class: "navlinks" }, links, more),
        h("div", { class: "navfoot" }, connection,
            languagePicker(context),
            h("button", { class: "button quiet", type: "button", "aria-label": t("help.title"),
                on: { click: () => help.showModal() } }, icon("help"), h("span", { class: "wide" }, t("help.title")))));
    const mainSlot = h("main", { class: "slot mainslot" });
    const sideSlot = h("div", { class: "slot sideslot" });
    replaceChildren(app, nav, mainSlot, sideSlot, help.element);

    function navigate(route, { replace = false } = {}) {
        const hash = formatRoute(route);
        if (hash === location.hash) return;
        if (replace) history.replaceState(null, "", hash);
        else history.pushState(null, "", hash);
        draw();
    }

    /** Coming back to a screen finds it as it was left. */
    function goTo(screen) { location.hash = lastRoutes[screen] ?? formatRoute({ screen }); }

    function draw() {
        const route = parseRoute(location.hash);
        const screen = made[route.screen] ??= makers[route.screen](context);
        if (current !== screen) {
            current = screen;
            mainSlot.replaceChildren(screen.main);
            sideSlot.replaceChildren(screen.side);
            app.dataset.screen = route.screen;
            document.title = `${t(`screen.${route.screen}`)} – Daybook`;
        }
        lastRoutes = { ...lastRoutes, [route.screen]: formatRoute(route) };
        [...links, ...moreLinks].forEach((link, index) => {
            const own = screens[index < screens.length ? index : index - screens.length + tabs];
            link.href = lastRoutes[own] ?? formatRoute({ screen: own });
            if (own === route.screen) link.setAttribute("aria-current", "page");
            else link.removeAttribute("aria-current");
        });
        more.dataset.current = String(screens.indexOf(route.screen) >= tabs);
        screen.show(route);
        app.dataset.selected = screen.main.dataset.selected ?? "false";
    }

    function drawConnection() {
        connection.dataset.state = live.state;
        const words = { open: "live.connected", connecting: "live.connecting" }[live.state] ?? "live.lost";
        connection.lastChild.textContent = t(words);
        if (live.state === "locked") showLock();
        else if (app.dataset.screen === "dict") tags.refresh();
    }

    addEventListener("hashchange", () => { if (!handedOver(location.hash)) draw(); });
    addEventListener("popstate", () => { if (!handedOver(location.hash)) draw(); });
    live.listen(drawConnection);
    const go = (params) => () => navigate({ screen: "history", params });
    bindKeys(document, {
        "?": "help", "/": "search", "g h": "history", "g t": "timeline", "g v": "violations", "g n": "net",
        "g d": "dict", "g c": "check", "g s": "sessions", "g q": "sql", "g a": "alerts",
        j: "next", k: "previous", ArrowDown: "arrowNext", ArrowUp: "arrowPrevious", Home: "first", End: "last",
        Enter: "open", Escape: "close", " ": "pause", e: "nextError", E: "previousError", f: "include", x: "exclude",
        c: "copy", m: "mark", b: "blur", "+": "zoomIn", "=": "zoomIn", "-": "zoomOut", 0: "fit", ArrowLeft: "earlier",
        ArrowRight: "later",
    }, {
        help: () => help.open ? help.close() : help.showModal(),
        search: () => current.search?.(),
        ...Object.fromEntries(screens.map((screen, index) => [screen, () => links[index].hidden ? false : goTo(screen)])),
        timeline: go({ view: "timeline" }),
        violations: go({ violations: "1" }),
        next: () => current.move(1),
        previous: () => current.move(-1),
        arrowNext: (event) => event.target.closest?.("[data-keys]") ? current.move(1) : false,
        arrowPrevious: (event) => event.target.closest?.("[data-keys]") ? current.move(-1) : false,
        first: () => current.edge?.(false),
        last: () => current.edge?.(true),
        open: () => current.open(),
        close(event) {
            if (document.querySelector("dialog[open]")) return false;
            if (event.target.matches("input, textarea, select")) event.target.blur();
            else current.close();
        },
        pause: () => current.pause ? current.pause() : false,
        nextError: () => current.error?.(1),
        previousError: () => current.error?.(-1),
        include: () => current.include?.(),
        exclude: () => current.exclude?.(),
        copy: () => current.copy?.(),
        mark: () => current.mark?.(),
        blur: () => { toggleBlur(); },
        zoomIn: () => current.zoom ? current.zoom(0.5) : false,
        zoomOut: () => current.zoom ? current.zoom(2) : false,
        fit: () => current.fit ? current.fit() : false,
        earlier: () => current.pan ? current.pan(-0.25) : false,
        later: () => current.pan ? current.pan(0.25) : false,
    }, areKeysOn);
    // What the screen asks for goes first.
    draw();
    live.start();
    drawConnection();
    tags.load().catch(() => {});
    call("alerts").then(({ alerts }) => showAlerts(alerts.length > 0), () => {});
}

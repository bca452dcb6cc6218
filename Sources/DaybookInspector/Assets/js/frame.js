// @ts-check
// The frame around the screens: navigation, connection, language and help.

import { button, quietButton } from "./base/controls.js";
import { h, icon, replaceChildren } from "./base/dom.js";
import { formatRoute, screens } from "./base/route.js";
import { Help, languagePicker } from "./help.js";

/** A phone has room for this many tabs; the other screens are under "More". */
const tabs = 4;

export class Frame {
    /** @type {Map<string, HTMLAnchorElement[]>} by screen: its link in the bar, and for some the one under "More" */
    #links;
    /** @type {Map<string, Promise<boolean>>} screens that not every server has, with what says whether this one does */
    #offers = new Map();
    #more;
    #main = h("main", { class: "slot mainslot" });
    #side = h("div", { class: "slot sideslot" });
    #connectionWords = h("span");
    #connection = h("span", { class: "connection" }, h("span", { class: "dot" }), this.#connectionWords);

    /** @param {PageContext} context @param {HTMLElement} app the element that holds the page */
    constructor(context, app) {
        const { t } = context;
        this.context = context;
        this.app = app;
        const linkTo = (/** @type {string} */ screen, /** @type {string} */ name) =>
            h("a", { class: name, href: formatRoute({ screen }) }, icon(screen),
                h("span", null, t(`screen.${screen}`)));
        const links = screens.map((screen, index) => linkTo(screen, index < tabs ? "navlink" : "navlink rest"));
        const moreLinks = screens.slice(tabs).map((screen) => linkTo(screen, "button"));
        this.#links = new Map(screens.map((screen, index) =>
            [screen, index < tabs ? [links[index]] : [links[index], moreLinks[index - tabs]]]));
        this.help = new Help(context, moreLinks);
        const openHelp = () => this.help.showModal();
        this.#more = button("navlink more", [icon("more"), h("span", null, t("nav.more"))], openHelp);
        replaceChildren(app, h("nav", { class: "nav", "aria-label": t("nav.screens") },
            h("div", { class: "brand" }, h("img", { src: "assets/icon.svg", alt: "", width: "20", height: "20" }),
                h("strong", null, "Daybook")),
            h("div", { class: "navlinks" }, links, this.#more),
            h("div", { class: "navfoot" }, this.#connection, languagePicker(context),
                quietButton([icon("help"), h("span", { class: "wide" }, t("help.title"))], openHelp,
                    { "aria-label": t("help.title") }))),
        this.#main, this.#side, this.help.element);
    }

    /** A screen that not every server has; its links are hidden until the answer arrives.
     * @param {string} screen @param {Promise<boolean>} question */
    offer(screen, question) {
        const isShown = () => this.app.dataset.screen === screen;
        this.#reveal(screen, isShown());
        this.#offers.set(screen, question.catch(() => false).then((isThere) => {
            this.#reveal(screen, isThere || isShown());
            return isThere || isShown();
        }));
    }

    /** Whether a screen can be opened, once that is known.
     * @param {string} name */
    async offers(name) { return await this.#offers.get(name) ?? true; }

    /** @param {string} screen @param {boolean} isShown */
    #reveal(screen, isShown) { for (const link of this.#links.get(screen) ?? []) link.hidden = !isShown; }

    /** @param {string} name @param {PageScreen} screen */
    show(name, screen) {
        this.#main.replaceChildren(screen.main);
        this.#side.replaceChildren(screen.side);
        this.app.dataset.screen = name;
        document.title = `${this.context.t(`screen.${name}`)} – Daybook`;
    }

    /** Whether the second pane has content: where panes are stacked, it covers the first.
     * @param {PageScreen} screen */
    markSelected(screen) { this.app.dataset.selected = screen.main.dataset.selected ?? "false"; }

    /** @param {string} current the name of the screen that is shown
     * @param {Record<string, string>} addresses where each screen was left */
    drawLinks(current, addresses) {
        // The first alert or board may have just been written.
        if (this.#offers.has(current)) this.offer(current, Promise.resolve(true));
        for (const [screen, links] of this.#links) {
            for (const link of links) {
                link.href = addresses[screen] ?? formatRoute({ screen });
                if (screen === current) link.setAttribute("aria-current", "page");
                else link.removeAttribute("aria-current");
            }
        }
        this.#more.dataset.current = String(screens.indexOf(current) >= tabs);
    }

    drawConnection() {
        const { t, live } = this.context;
        this.#connection.dataset.state = live.state;
        this.#connectionWords.textContent = live.state === "open" ? t("live.connected")
            : live.state === "connecting" ? t("live.connecting") : t("live.lost");
    }
}

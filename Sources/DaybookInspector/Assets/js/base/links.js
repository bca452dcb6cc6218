// @ts-check
// The team's links from `daybook.json`: address templates, and buttons for those that fit a record.

import { copyText, isSimulator, openAddress } from "./bridge.js";
import { h, icon } from "./dom.js";

/** An app opens the addresses itself; a browser opens a new tab. Null if no link fits.
 * @param {PageContext} context @param {"event" | "request"} of @param {Record<string, string>} values */
export function linkList({ t, links }, of, values) {
    const buttons = (links[of] ?? []).flatMap(({ title, url }) => {
        const address = expanded(url, values);
        return address === null ? [] : [linkTo(t, title, address)];
    });
    return buttons.length === 0 ? null : h("div", { class: "actions links" }, buttons);
}

const told = 3_000;

/** @param {Translate} t @param {string} title @param {string} address */
function linkTo(t, title, address) {
    const words = h("bdi", { role: "status" }, title);
    const copy = async () => {
        await copyText(address);
        words.textContent = t("copy.done");
        setTimeout(() => { words.textContent = title; }, told);
    };
    return h("a", {
        class: "button quiet", href: address, target: "_blank", rel: "noopener noreferrer", title: address,
        on: {
            click(event) {
                // In the simulator the link is copied: the developer's browser is next to it.
                if (isSimulator()) copy();
                else if (!openAddress(address)) return;
                event.preventDefault();
            },
            // A long press copies on touch screens.
            contextmenu(event) {
                if (!matchMedia("(pointer: coarse)").matches) return;
                event.preventDefault();
                copy();
            },
        },
    }, icon("link"), words, h("span", { class: "unseen" }, t("link.newTab")));
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** The path with its numeric and UUID parts as `*`.
 * @param {string} path */
export function starred(path) {
    return path.split("/").map((part) => (/^\d+$/.test(part) || uuid.test(part) ? "*" : part)).join("/");
}

/** Fills a template: `{name}` is encoded for a query, `{path}` keeps its slashes, `{path*}` has identifiers replaced.
 * Null if a name is unknown or the result is no web address.
 * @param {string} template @param {Record<string, string>} values */
export function expanded(template, values) {
    let isKnown = true;
    const text = template.replace(/\{(\w+)(\*?)\}/g, (_, name, star) => {
        const value = values[name];
        if (value === undefined || (star && name !== "path")) isKnown = false;
        return encoded(star ? starred(value ?? "") : value ?? "");
    });
    if (!isKnown) return null;
    try {
        const { protocol, href } = new URL(text);
        return protocol === "https:" || protocol === "http:" ? href : null;
    } catch {
        return null;
    }
}

/** Like `encodeURIComponent`, but keeps slashes readable, which a query may contain.
 * @param {string} text */
function encoded(text) { return encodeURIComponent(text).replaceAll("%2F", "/"); }

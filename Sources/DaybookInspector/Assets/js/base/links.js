// @ts-check
// The team's links, from `daybook.json`: addresses with names in braces, and buttons for those that fit a record.

import { copyText, isSimulator, openAddress } from "./bridge.js";
import { h, icon } from "./dom.js";

/** A page in an app hands the addresses to the app; a browser opens a new tab. null where the team has no link that
 * fits.
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
                // A simulator has no browser worth opening: its user works beside it.
                if (isSimulator()) copy();
                else if (!openAddress(address)) return;
                event.preventDefault();
            },
            // A long press copies, where there is a finger.
            contextmenu(event) {
                if (!matchMedia("(pointer: coarse)").matches) return;
                event.preventDefault();
                copy();
            },
        },
    }, icon("link"), words, h("span", { class: "unseen" }, t("link.newTab")));
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** A path whose numeric and UUID parts are `*`, every one of them, also side by side.
 * @param {string} path */
export function starred(path) {
    return path.split("/").map((part) => (/^\d+$/.test(part) || uuid.test(part) ? "*" : part)).join("/");
}

/** An address from a template: `{name}` is the value as a part of a query, `{path}` keeps its slashes, and `{path*}` is
 * the path with identifiers replaced. null where a name is unknown, or the result is no web address.
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

/** As `encodeURIComponent`, but slashes and stars stay readable: both may stand in a query.
 * @param {string} text */
function encoded(text) { return encodeURIComponent(text).replaceAll("%2F", "/"); }

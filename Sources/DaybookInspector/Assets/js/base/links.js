// The team's links as buttons. A page in an app hands them to the app; a browser opens a new tab.

import { copyText, isSimulator, openAddress } from "./bridge.js";
import { h, icon } from "./dom.js";
import { expanded } from "../model/link-templates.js";

/** `of`: `event` or `request`; null where the team has no link that fits. */
export function linkList({ t, links }, of, values) {
    const found = (links[of] ?? []).map(({ title, url }) => ({ title, address: expanded(url, values) }))
        .filter(({ address }) => address !== null);
    if (found.length === 0) return null;
    return h("div", { class: "actions links" }, found.map(({ title, address }) => h("a", {
        class: "button quiet", href: address, target: "_blank", rel: "noopener noreferrer", title: address,
        on: {
            click(event) {
                // A simulator has no browser worth opening: its user works beside it.
                if (isSimulator()) copyText(address);
                else if (!openAddress(address)) return;
                event.preventDefault();
            },
            // A long press copies, where there is a finger.
            contextmenu(event) {
                if (!matchMedia("(pointer: coarse)").matches) return;
                event.preventDefault();
                copyText(address);
            },
        },
    }, icon("link"), h("bdi", null, title), h("span", { class: "unseen" }, t("link.newTab")))));
}

// How the list tells times: the clock, how long ago, or the distance to the record below. The heading changes it.

import { h } from "../base/dom.js";
import { ago, clockTime, duration } from "../base/format.js";

const modes = ["clock", "ago", "delta"];

export function createTimeMode({ t, language, storage }, changed) {
    let mode = modes.includes(storage.get("time")) ? storage.get("time") : "clock";
    const button = h("button", { class: "cell time timemode", type: "button", on: { click: () => {
        mode = modes[(modes.indexOf(mode) + 1) % modes.length];
        storage.set("time", mode);
        changed();
    } } });

    return {
        button,
        /** A record's time; `older` stands below it. */
        text(record, older) {
            if (mode === "ago") return ago(record.time, Date.now(), language);
            if (mode === "clock") return clockTime(record.time);
            if (!older) return "–";
            const apart = BigInt(record.time) - BigInt(older.time);
            return apart < 0n ? `−${duration(-apart, language)}` : `+${duration(apart, language)}`;
        },
        drawHeading(top, shortDay, calendarDay) {
            const words = mode === "clock" && top ? shortDay(top.time, language) : t(`time.${mode}`);
            if (button.textContent !== words) button.textContent = words;
            button.title = `${top ? `${calendarDay(top.time, language)}\n` : ""}${t("time.change")}`;
            button.setAttribute("aria-label", `${words}. ${t("time.change")}`);
        },
    };
}

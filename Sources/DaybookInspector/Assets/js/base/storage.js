// @ts-check
// What this browser remembers: language, ticks, blur mode, and each tab its token. The page also works if nothing is
// kept.

const prefix = "daybook/";

/** @param {() => Storage} place asked each time, for a browser may forbid it */
function remembered(place) {
    /** @type {Map<string, string>} */
    const fallback = new Map();
    return {
        /** @param {string} key @returns {string | null} */
        get(key) {
            try {
                return place().getItem(prefix + key) ?? fallback.get(key) ?? null;
            } catch {
                return fallback.get(key) ?? null;
            }
        },
        /** Null removes.
         * @param {string} key @param {string | null} value */
        set(key, value) {
            if (value === null) fallback.delete(key);
            else fallback.set(key, value);
            try {
                if (value === null) place().removeItem(prefix + key);
                else place().setItem(prefix + key, value);
            } catch {
                // Storage is full or forbidden: the value lasts until the page closes.
            }
        },
    };
}

/** Shared by all tabs, and kept. */
export const storage = remembered(() => localStorage);

/** This tab's own, kept across reloads. */
export const tabStorage = remembered(() => sessionStorage);

/** Blur mode, for shared or recorded screens: what users entered is unreadable until pointed at. */
export function isBlurred() { return storage.get("blur") === "1"; }

export function applyBlur(isOn = isBlurred()) { document.documentElement.dataset.blur = String(isOn); }

export function toggleBlur() {
    const isOn = !isBlurred();
    storage.set("blur", isOn ? "1" : null);
    applyBlur(isOn);
}

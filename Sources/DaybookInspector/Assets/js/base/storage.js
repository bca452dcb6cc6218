// @ts-check
// What this browser remembers: the language, the ticks of manual items, blur mode, and for a tab its token. A browser
// that keeps nothing still works.

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
        /** null forgets.
         * @param {string} key @param {string | null} value */
        set(key, value) {
            if (value === null) fallback.delete(key);
            else fallback.set(key, value);
            try {
                if (value === null) place().removeItem(prefix + key);
                else place().setItem(prefix + key, value);
            } catch {
                // Storage is full or forbidden: the value lasts as long as the page.
            }
        },
    };
}

/** What all tabs share, and later days find. */
export const storage = remembered(() => localStorage);

/** What this tab alone has, over reloads. */
export const tabStorage = remembered(() => sessionStorage);

/** Blur mode, for screens that are shared or recorded: what came from users is unreadable until it is pointed at. */
export function isBlurred() { return storage.get("blur") === "1"; }

export function applyBlur(isOn = isBlurred()) { document.documentElement.dataset.blur = String(isOn); }

export function toggleBlur() {
    const isOn = !isBlurred();
    storage.set("blur", isOn ? "1" : null);
    applyBlur(isOn);
}

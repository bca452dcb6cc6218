// What this browser remembers: the language and the ticks of manual items. A browser that keeps nothing still works.

const prefix = "daybook/";
const fallback = new Map();

export const storage = {
    get(key) {
        try {
            return localStorage.getItem(prefix + key) ?? fallback.get(key) ?? null;
        } catch {
            return fallback.get(key) ?? null;
        }
    },
    /** null forgets. */
    set(key, value) {
        if (value === null) fallback.delete(key);
        else fallback.set(key, value);
        try {
            if (value === null) localStorage.removeItem(prefix + key);
            else localStorage.setItem(prefix + key, value);
        } catch {
            // Storage is full or forbidden: the value lasts as long as the page.
        }
    },
};

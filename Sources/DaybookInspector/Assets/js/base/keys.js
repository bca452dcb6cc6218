// @ts-check
// Single-key shortcuts: off in fields, during composition and with modifiers.

// A checkbox takes no text.
const inFields = "input:not([type=checkbox]), textarea, select, [contenteditable]";

/** Calls `actions[name]` for the keys of `bindings` (`{ "g h": "history", j: "next" }`). The first of two keys waits
 * for the second without a limit; a click cancels it. If `isOn()` is false, only Escape and Enter work. An action that
 * returns false leaves its key to the browser.
 * @param {Document} target @param {Record<string, string>} bindings
 * @param {Record<string, (event: KeyboardEvent) => unknown>} actions */
export function bindKeys(target, bindings, actions, isOn = () => true) {
    /** @type {string | null} */
    let leader = null;
    target.addEventListener("pointerdown", () => { leader = null; });
    target.addEventListener("keydown", (event) => {
        if (event.isComposing || event.keyCode === 229 || event.ctrlKey || event.metaKey || event.altKey) return;
        const isField = event.target instanceof Element && event.target.matches(inFields);
        if (isField && event.key !== "Escape") return;
        if (!isOn() && event.key !== "Escape" && event.key !== "Enter") return;
        if (["Shift", "CapsLock"].includes(event.key)) return;
        const name = bindings[leader ? `${leader} ${event.key}` : event.key];
        leader = null;
        if (name) {
            // Enter and Space belong to the focused button or link.
            const isControl = event.target instanceof Element
                && event.target.closest("button, a, summary, dialog, input");
            if (isControl && (event.key === "Enter" || event.key === " ")) return;
            if (actions[name]?.(event) !== false) event.preventDefault();
        } else if (Object.keys(bindings).some((binding) => binding.startsWith(`${event.key} `))) {
            leader = event.key;
        }
    });
}

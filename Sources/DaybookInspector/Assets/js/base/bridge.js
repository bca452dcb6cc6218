// @ts-check
// What a web view inside an app cannot do alone. The app offers a script message handler `daybook`, which takes `{
// action, … }`, and sets `window.daybookHost` before the page starts; a browser has neither.

const handler = () => globalThis.webkit?.messageHandlers?.daybook ?? null;

/** Whether the page runs in an app in the simulator. */
export function isSimulator() { return globalThis.daybookHost?.isSimulator === true; }

/** @param {string} text */
export async function copyText(text) {
    const app = handler();
    if (app) {
        app.postMessage({ action: "copy", text });
        return;
    }
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        // No permission, or no secure context: the old way needs a selected field.
        const field = document.createElement("textarea");
        field.className = "unseen";
        field.setAttribute("aria-hidden", "true");
        field.value = text;
        // An open dialog would keep the selection to itself.
        (document.querySelector("dialog[open]") ?? document.body).append(field);
        field.select();
        document.execCommand("copy");
        field.remove();
    }
}

/** Passes an address to the app; false in a browser, which opens links itself.
 * @param {string} url */
export function openAddress(url) {
    handler()?.postMessage({ action: "open", url });
    return handler() !== null;
}

/** Whether pictures can be saved: an app's share sheet gets text only. */
export function takesPictures() { return handler() === null; }

/** Saves a file, or passes its text to the app's share sheet. CSV gets a byte order mark, or Excel assumes a legacy
 * encoding such as Shift JIS.
 * @param {string} name @param {string} type @param {string | Blob} content a text in an app */
export function saveFile(name, type, content) {
    if (type === "text/csv") content = `\uFEFF${content}`;
    const app = handler();
    if (app) {
        app.postMessage({ action: "share", name, type, text: content });
        return;
    }
    const address = URL.createObjectURL(new Blob([content], { type }));
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    // A minute outlasts any dialog of the browser.
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

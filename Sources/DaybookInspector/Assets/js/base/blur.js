// Blur mode, for screens that are shared or recorded: what came from users is unreadable until it is pointed at.

import { storage } from "./storage.js";

export function isBlurred() { return storage.get("blur") === "1"; }

export function applyBlur(isOn = isBlurred()) { document.documentElement.dataset.blur = String(isOn); }

export function toggleBlur() {
    const isOn = !isBlurred();
    storage.set("blur", isOn ? "1" : null);
    applyBlur(isOn);
    return isOn;
}

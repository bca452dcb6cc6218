"""Faults of a page that a program can find: controls without names, cut words, overlaps, weak contrast."""

# Roles of controls, and of the regions that a reader navigates to.
CONTROLS = {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "grid", "dialog", "tree", "region"}
# Cut words in controls and headings, overlapping controls, and text below the contrast of WCAG 2.2, 1.4.3 (4.5 to 1,
# large text 3 to 1).
FAULTS = """() => {
    const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
    const faults = [];
    const name = (element) => `${element.tagName.toLowerCase()}.${element.className} “${element.textContent.trim().slice(0, 40)}”`;
    const dialog = document.querySelector("dialog[open]");
    const root = dialog ?? document.querySelector(".app");
    for (const element of root.querySelectorAll("button, .chip, h1, h2, h3, .panetitle, label, th, dt, .badge, .navlink, .state, .headings .cell")) {
        if (!seen(element) || element.closest(".unseen, .row, .list-track")) continue;
        const style = getComputedStyle(element);
        if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && style.overflowX !== "visible"
            && style.display !== "inline") faults.push(`cut: ${name(element)}`);
    }
    for (const select of root.querySelectorAll("select")) {
        if (!seen(select)) continue;
        const style = getComputedStyle(select);
        const pen = document.createElement("canvas").getContext("2d");
        pen.font = style.font;
        // What is left beside the paddings and the arrow.
        const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 16;
        if (pen.measureText(select.selectedOptions[0]?.text ?? "").width > room + 1) faults.push(`cut: ${name(select)}`);
    }
    /** What of an element is within every pane that it scrolls in. */
    const box = (element) => {
        let { left, top, right, bottom } = element.getBoundingClientRect();
        for (let pane = element.parentElement; pane; pane = pane.parentElement) {
            if (getComputedStyle(pane).overflow === "visible") continue;
            const frame = pane.getBoundingClientRect();
            [left, top] = [Math.max(left, frame.left), Math.max(top, frame.top)];
            [right, bottom] = [Math.min(right, frame.right), Math.min(bottom, frame.bottom)];
        }
        return { left, top, right, bottom };
    };
    // The tools of a JSON tree are small, and what is touched around them belongs to them where nothing else is.
    const controls = [...root.querySelectorAll("button, a.button, a.entry, input, select, textarea, summary")].filter((element) =>
        seen(element) && !element.closest(".row, .unseen, .tools") && getComputedStyle(element).position !== "absolute");
    const boxes = controls.map(box);
    controls.forEach((one, index) => {
        for (let other = index + 1; other < controls.length; other += 1) {
            if (one.contains(controls[other]) || controls[other].contains(one)) continue;
            const [left, right] = [boxes[index], boxes[other]];
            const width = Math.min(left.right, right.right) - Math.max(left.left, right.left);
            const height = Math.min(left.bottom, right.bottom) - Math.max(left.top, right.top);
            const [x, y] = [Math.max(left.left, right.left) + width / 2, Math.max(left.top, right.top) + height / 2];
            if (width > 1 && height > 1 && [one, controls[other]].some((element) => {
                const top = document.elementFromPoint(x, y);
                return top && (top === element || element.contains(top));
            })) faults.push(`overlap: ${name(one)} and ${name(controls[other])}`);
        }
    });
    // Colours as the browser draws them, whatever their notation.
    const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d",
        { willReadFrequently: true });
    const known = new Map();
    const rgba = (colour) => {
        if (!known.has(colour)) {
            canvas.clearRect(0, 0, 1, 1);
            canvas.fillStyle = colour;
            canvas.fillRect(0, 0, 1, 1);
            const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
            known.set(colour, [red, green, blue, alpha / 255]);
        }
        return known.get(colour);
    };
    const over = (top, bottom) => [0, 1, 2].map((part) => top[part] * top[3] + bottom[part] * (1 - top[3])).concat(1);
    const ground = (element) => {
        const layers = [];
        for (let one = element; one; one = one.parentElement) {
            const colour = rgba(getComputedStyle(one).backgroundColor);
            if (colour[3] > 0) layers.push(colour);
            if (colour[3] === 1) break;
        }
        return layers.reduceRight((bottom, top) => over(top, bottom), rgba("Canvas"));
    };
    const luminance = (colour) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, part) => {
        const value = colour[part] / 255;
        return sum + weight * (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    }, 0);
    const told = new Set();
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        if (walker.currentNode.textContent.trim() === "" || !seen(element) || element.closest(":disabled, .unseen, option")) continue;
        if (!element.checkVisibility({ opacityProperty: true })) continue;
        const style = getComputedStyle(element);
        const behind = ground(element);
        const [light, dark] = [over(rgba(style.color), behind), behind].map(luminance).sort((one, other) => other - one);
        const ratio = (light + 0.05) / (dark + 0.05);
        const size = parseFloat(style.fontSize);
        const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        const fault = `contrast ${ratio.toFixed(2)}: ${name(element)}`;
        if (ratio < (isLarge ? 3 : 4.5) && !told.has(fault)) {
            told.add(fault);
            faults.push(fault);
        }
    }
    return faults;
}"""


def faults(page):
    """The faults in a page's looks, one line each."""
    return page.evaluate(FAULTS)


def nameless(page):
    """Roles of unnamed controls in the browser's own accessibility tree, and `main` if it is missing.

    On a phone a detail stands alone, as a complementary region.
    """
    client = page.context.new_cdp_session(page)
    nodes = [node for node in client.send("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
    role = lambda node: node.get("role", {}).get("value")
    found = [role(node) for node in nodes if role(node) in CONTROLS and not node.get("name", {}).get("value")]
    client.detach()
    has_place = any(role(node) in ("main", "complementary", "dialog") for node in nodes)
    return found + ([] if has_place else ["main"])

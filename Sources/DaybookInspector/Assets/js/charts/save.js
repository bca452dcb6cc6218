// @ts-check
// A drawing as a file: SVG with its colours inlined, and PNG drawn from the same shapes.

import { svg } from "../base/dom.js";

const properties = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "font-family", "font-size",
    "font-weight"];
/** Pixels of the PNG per pixel of the drawing. */
const sharpness = 2;

/** A document of its own, with the page's background. The drawing must be in the page, or it has no style.
 * @param {SVGElement} drawing */
export function svgText(drawing) {
    const copy = /** @type {SVGElement} */ (drawing.cloneNode(true));
    const [originals, copies] = [parts(drawing), parts(copy)];
    originals.forEach((original, index) => {
        const style = getComputedStyle(original);
        for (const property of properties) {
            // Computed style would resolve a hatch's reference to a full address.
            if (property === "fill" && original.getAttribute("fill")?.startsWith("url(")) continue;
            const value = style.getPropertyValue(property);
            if (value !== "") copies[index].setAttribute(property, value);
        }
        copies[index].removeAttribute("class");
    });
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.removeAttribute("class");
    copy.prepend(svg("rect", { width: "100%", height: "100%", fill: groundColour() }));
    return `${new XMLSerializer().serializeToString(copy)}\n`;
}

/** Drawn shape by shape: the page's policy forbids loading an SVG as an image.
 * @param {SVGElement} drawing @returns {Promise<Blob | null>} */
export function pngPicture(drawing) {
    const canvas = document.createElement("canvas");
    const [width, height] = ["width", "height"].map((name) => Number(drawing.getAttribute(name)));
    [canvas.width, canvas.height] = [width * sharpness, height * sharpness];
    const pen = canvas.getContext("2d");
    if (!pen) return Promise.resolve(null);
    pen.scale(sharpness, sharpness);
    pen.fillStyle = groundColour();
    pen.fillRect(0, 0, width, height);
    for (const part of drawing.querySelectorAll(":scope > path, :scope > text")) {
        draw(pen, drawing, /** @type {SVGElement} */ (part));
    }
    return new Promise((done) => { canvas.toBlob(done, "image/png"); });
}

/** @param {CanvasRenderingContext2D} pen @param {SVGElement} drawing @param {SVGElement} part */
function draw(pen, drawing, part) {
    const style = getComputedStyle(part);
    if (part.tagName === "text") {
        pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
        pen.fillStyle = style.fill;
        const anchor = part.getAttribute("text-anchor");
        pen.textAlign = anchor === "middle" ? "center" : anchor === "end" ? "end" : "start";
        pen.fillText(part.textContent ?? "", Number(part.getAttribute("x")), Number(part.getAttribute("y")));
        return;
    }
    const path = new Path2D(part.getAttribute("d") ?? "");
    const hatch = /^url\((#[\w-]+)\)$/.exec(part.getAttribute("fill") ?? "");
    const pattern = hatch && hatching(pen, /** @type {SVGElement | null} */ (drawing.querySelector(hatch[1])));
    if (pattern || style.fill !== "none") {
        pen.globalAlpha = pattern ? 1 : Number(style.fillOpacity);
        pen.fillStyle = pattern || style.fill;
        pen.fill(path);
    }
    if (style.stroke !== "none") {
        pen.globalAlpha = Number(style.strokeOpacity);
        pen.strokeStyle = style.stroke;
        pen.lineWidth = parseFloat(style.strokeWidth);
        pen.setLineDash((part.getAttribute("stroke-dasharray") ?? "").split(" ").filter((one) => one !== "")
            .map(Number));
        pen.stroke(path);
    }
    pen.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} pen @param {SVGElement | null} hatch */
function hatching(pen, hatch) {
    const [rect, path] = [hatch?.querySelector("rect"), hatch?.querySelector("path")];
    const tile = document.createElement("canvas");
    [tile.width, tile.height] = [8 * sharpness, 8 * sharpness];
    const small = tile.getContext("2d");
    if (!rect || !path || !small) return null;
    small.scale(sharpness, sharpness);
    const [ground, strokes] = [getComputedStyle(rect), getComputedStyle(path)];
    small.globalAlpha = Number(ground.fillOpacity);
    small.fillStyle = ground.fill;
    small.fillRect(0, 0, 8, 8);
    small.globalAlpha = 1;
    small.strokeStyle = strokes.stroke;
    small.lineWidth = parseFloat(strokes.strokeWidth);
    small.stroke(new Path2D(path.getAttribute("d") ?? ""));
    const pattern = pen.createPattern(tile, "repeat");
    pattern?.setTransform(new DOMMatrix().scale(1 / sharpness));
    return pattern;
}

/** @param {SVGElement} drawing */
function parts(drawing) {
    return /** @type {SVGElement[]} */ ([drawing, ...drawing.querySelectorAll("path, text, rect, pattern")]);
}

function groundColour() { return getComputedStyle(document.documentElement).getPropertyValue("--ground").trim(); }

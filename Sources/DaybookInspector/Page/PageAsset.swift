/// One file of the inspector's web page, as it was when the binary was built.
struct PageAsset: Sendable {
    /// The path from the page's folder: `js/app.js`.
    let path: String
    /// Names this version of the file for caches.
    let tag: String
    let text: StaticString

    var bytes: [UInt8] { text.withUTF8Buffer { Array($0) } }

    /// Told by the name's extension; the page holds text files only.
    var contentType: String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "text/plain; charset=utf-8"
        }
    }

    static let byPath = Dictionary(uniqueKeysWithValues: embedded.map { ($0.path, $0) })
}

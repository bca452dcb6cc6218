import Foundation

/// What the inspector's page asks of the app around it.
///
/// The page shows what apps have logged, so that its wishes are judged like any input: texts are bounded, an address must
/// be one of the web, and the name of a file is a name and no path.
package enum PageMessage: Sendable, Hashable {
    case copy(String)
    case open(URL)
    case share(name: String, text: String)

    /// 64 MiB of text is more than the page exports.
    private static let textLimit = 64 << 20
    private static let nameLimit = 120

    /// The wish in a script message's body, `{action: "copy", text: "…"}`; `nil` for anything else.
    package init?(_ body: Any) {
        guard let body = body as? [String: Any] else { return nil }
        let text = (body["text"] as? String).flatMap { $0.utf8.count <= Self.textLimit ? $0 : nil }
        switch (body["action"] as? String, text) {
        case ("copy", let text?):
            self = .copy(text)
        case ("open", _):
            guard let address = body["url"] as? String, let url = URL(string: address),
                ["http", "https"].contains(url.scheme?.lowercased()), url.host() != nil
            else { return nil }
            self = .open(url)
        case ("share", let text?):
            self = .share(name: Self.fileName(body["name"] as? String ?? ""), text: text)
        default:
            return nil
        }
    }

    /// A name without a folder, not hidden, and not too long for a file system.
    private static func fileName(_ name: String) -> String {
        let plain = name.map { $0.isLetter || $0.isNumber || "-_. ".contains($0) ? $0 : "-" }
        let visible = String(plain.drop { $0 == "." || $0 == " " }.prefix(nameLimit))
        return visible.isEmpty ? "daybook.txt" : visible
    }
}

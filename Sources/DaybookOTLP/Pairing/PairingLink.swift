import Foundation

/// The link in the code on a desktop's screen: `daybook://pair?collector=https%3A%2F%2F192.168.1.5%3A4318&code=…`.
///
/// Anybody can make such a link, and a paired app sends its records there. Show ``collector`` to the user, pair only if
/// they agree, and only in builds for testing.
public struct PairingLink: Sendable, Hashable {
    /// The collector's address, without a path.
    public var collector: URL
    /// Allows one pairing, within five minutes.
    public var code: String

    /// Parses a link; `nil` if it is not a pairing link. The scheme may be the app's own; the host is `pair`.
    ///
    /// ```swift
    /// func open(_ url: URL, with pipeline: Pipeline<EmptyContext>, _ desktop: PairedOutput) async throws {
    ///     guard let link = PairingLink(url) else { return }
    ///     _ = try await pipeline.pair(desktop, with: link, build: "4.12.0", device: "Test phone")
    /// }
    /// ```
    public init?(_ link: URL) {
        guard let parts = URLComponents(url: link, resolvingAgainstBaseURL: false), parts.host == "pair" else {
            return nil
        }
        let items = Dictionary((parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
        guard let text = items["collector"], let collector = URL(string: text), collector.host?.isEmpty == false,
            ["http", "https"].contains(collector.scheme?.lowercased() ?? ""), ["", "/"].contains(collector.path),
            collector.user == nil, collector.query == nil, let code = items["code"], code.utf8.count == 32,
            code.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else { return nil }
        self.collector = collector
        self.code = code
    }
}

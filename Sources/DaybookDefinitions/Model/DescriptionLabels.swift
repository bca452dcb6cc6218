/// What a description says in labelled lines: `owner: search team`, `**Metric / 指標**: searches ÷ visits`.
///
/// A label stands at the beginning of a line, before a colon; marks around it do not matter.
public struct DescriptionLabels: Sendable, Hashable {
    /// Who to ask: lines labelled `owner` or `担当`.
    public var owners: [String] = []
    /// What the event is for: lines labelled `metric` or `指標`.
    public var metrics: [String] = []

    /// Reads Markdown.
    public init(_ description: String) {
        for line in description.split(separator: "\n") {
            guard let colon = line.firstIndex(where: { $0 == ":" || $0 == "：" }) else { continue }
            let label = line[..<colon].lowercased()
            // A colon further on belongs to a sentence.
            guard label.count <= 30 else { continue }
            let words = Set(label.split { !$0.isLetter }.map(String.init))
            let text = String(line[line.index(after: colon)...].drop { $0 == "*" || $0 == "_" }).trimmed
            guard !text.isEmpty else { continue }
            if !words.isDisjoint(with: ["owner", "owners", "担当"]) { owners.append(text) }
            if !words.isDisjoint(with: ["metric", "metrics", "指標"]) { metrics.append(text) }
        }
    }
}

extension Category {
    /// The labelled lines of the description.
    public var labels: DescriptionLabels { DescriptionLabels(description) }
}

extension Event {
    /// The labelled lines of the description.
    public var labels: DescriptionLabels { DescriptionLabels(description) }
}

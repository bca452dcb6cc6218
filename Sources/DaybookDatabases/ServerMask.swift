import DaybookBase
import DaybookStore
import DaybookTools

/// Masks records for a statement in the database server's own SQL.
///
/// Servers cannot run ``MaskingPolicy``, so this masks at least as much: each private member of attributes and context
/// gets a stand-in, and a member or message that contains anything like a credential is replaced whole.
struct ServerMask {
    /// Names of private columns, folded.
    let names: [String]
    /// Exceptions by event: the tag, a line feed and the name.
    let open: [String]
    /// Matches names of private columns in JSON within a text or value, case-insensitively; also any name with other
    /// than plain letters, which could be such a name spelled differently. `nil` if nothing is private.
    let naming: String?
    /// For the stand-ins.
    let key: String

    init(_ policy: MaskingPolicy) {
        names = policy.names.sorted()
        open = policy.open.flatMap { tag, names in names.map { "\(tag)\n\($0)" } }.sorted()
        let words = names.map { name in
            name.map { $0.isLetter || $0.isNumber || $0 == "_" ? "\($0)" : "\\\($0)" }.joined()
        }
        naming =
            names.isEmpty
            ? nil : #"["'](\#(words.joined(separator: "|"))|[^"':]*([^!-~]|\\u[0-9a-f]{4})[^"':]*)\\*["']\s*:"#
        key = (policy.pseudonyms ?? Pseudonyms()).keyText
    }

    /// Matches possible credentials in a text or in a value's JSON, case-insensitively. Uses only syntax that RE2 and
    /// PostgreSQL share.
    static let suspicion: String = {
        let names = CredentialScrubber.credentialNames.sorted()
            .map { $0.map(String.init).joined(separator: "[-_.]*") }.joined(separator: "|")
        let padding = #"[ "'\\]"#
        return [
            #"\\u00[2-7][0-9a-f]"#, #"eyJ[a-z0-9_-]*\.[a-z0-9_-]*\."#,
            "(bearer|basic)\(padding)+[^ \"']{8}", #":(\\*/)(\\*/)[^/ ?#"]*@"#,
            "(^|[^a-z0-9_-])[-_.]*(\(names))[-_.]*\(padding)*[:=]",
        ].joined(separator: "|")
    }()

    /// A name folded as by ``FoldedName``, with an engine's functions.
    /// - Parameters:
    ///   - translate: the function that replaces characters.
    ///   - remove: deletes what a regular expression matches.
    static func folded(_ name: String, translate: String, remove: (_ text: String, _ class: String) -> String) -> String
    {
        "lower(\(remove("\(translate)(\(name), '\(wide)', '\(narrow)')", "[\(unseen)]")))"
    }

    /// Full-width characters, except those whose narrow forms are quotes or backslashes.
    private static let wide = text(of: (0xFF01...0xFF5E).filter { ![0xFF07, 0xFF3C].contains($0) })
    private static let narrow = text(of: (0x21...0x7E).filter { ![0x27, 0x5C].contains($0) })

    /// Scalars that are ``Unicode/Scalar/isUnseenInNames``, as the inside of a character class.
    private static let unseen: String = {
        var ranges: [ClosedRange<UInt32>] = []
        for value in Array(0x01...0xFFFF) + Array(0x1D173...0x1D17A) + Array(0xE0000...0xE0FFF) as [UInt32] {
            guard let scalar = Unicode.Scalar(value), scalar.isUnseenInNames else { continue }
            if let last = ranges.last, last.upperBound + 1 == value {
                ranges[ranges.count - 1] = last.lowerBound...value
            } else {
                ranges.append(value...value)
            }
        }
        return ranges.map { text(of: [$0.lowerBound]) + "-" + text(of: [$0.upperBound]) }.joined()
    }()

    private static func text(of values: some Sequence<UInt32>) -> String {
        String(String.UnicodeScalarView(values.compactMap { Unicode.Scalar($0) }))
    }

    /// The views that a statement names, directly or through other views.
    static func named(in sql: String, of views: [(name: String, statement: String)]) -> [(name: String, body: String)] {
        var rest = views
        var texts = [sql.lowercased()]
        var found: [(name: String, body: String)] = []
        while let text = texts.popLast() {
            let named = rest.filter { text.contains($0.name.lowercased()) }
            rest.removeAll { view in named.contains { $0.name == view.name } }
            // A view comes after those it reads.
            found = named.map { ($0.name, body(of: $0.statement)) } + found
            texts += named.map { $0.statement.lowercased() }
        }
        return found
    }

    /// The text after `CREATE VIEW … AS`, without trailing `COMMENT`s.
    private static func body(of statement: String) -> String {
        let start = [" AS\n", " AS "].compactMap { statement.firstRange(of: $0)?.upperBound }.min()
        let body = statement[(start ?? statement.startIndex)...]
        let end = ["\nCOMMENT '", ";\nCOMMENT ON "].compactMap { body.firstRange(of: $0)?.lowerBound }.min()
        return String(body[..<(end ?? body.endIndex)])
    }
}

/// Whether masking is visible in the result.
extension QueryResult {
    var showsStandIns: Bool {
        rows.contains { row in
            row.contains { cell in
                guard case .text(let text) = cell else { return false }
                return text.contains(Pseudonyms.beginning) || text.contains(Record.mask)
                    || text.contains(CredentialScrubber.replacement)
            }
        }
    }
}

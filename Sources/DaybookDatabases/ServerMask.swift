import DaybookBase
import DaybookStore
import DaybookTools

/// What a database server masks of the records that a statement reads, in the server's own SQL.
///
/// A server cannot run ``MaskingPolicy``. It masks at least as much: of a record's attributes and context each private
/// member gets a stand-in, and a member, or a message, in which anything looks like a credential is replaced whole.
struct ServerMask {
    /// The names of private columns, folded.
    let names: [String]
    /// Those that an event declares otherwise, each behind its tag and a line feed.
    let open: [String]
    /// Finds names of private columns in JSON within a text or a value, letters in any case; a name with anything but plain
    /// letters, which may be one that is written otherwise, too. `nil` where nothing is private.
    let naming: String?
    /// Of the stand-ins.
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

    /// Finds what may be a credential in a text, or in the JSON of a value; letters in any case. In what RE2 and
    /// PostgreSQL's regular expressions have in common.
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

    /// A name as ``FoldedName`` has it, by an engine's functions; most names are already.
    /// - Parameters:
    ///   - translate: takes characters for others.
    ///   - remove: takes away what an expression finds.
    static func folded(_ name: String, translate: String, remove: (_ text: String, _ class: String) -> String) -> String
    {
        "lower(\(remove("\(translate)(\(name), '\(wide)', '\(narrow)')", "[\(unseen)]")))"
    }

    /// What has a narrow form, but for what quotation marks and backslashes would have to be.
    private static let wide = text(of: (0xFF01...0xFF5E).filter { ![0xFF07, 0xFF3C].contains($0) })
    private static let narrow = text(of: (0x21...0x7E).filter { ![0x27, 0x5C].contains($0) })

    /// What ``Unicode/Scalar/isUnseenInNames``, as the inside of a class of a regular expression.
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

    /// The words and names of a statement, each of which may be that of a table.
    static func named(in sql: String, of views: [(name: String, statement: String)]) -> [(name: String, body: String)] {
        var rest = views
        var texts = [sql.lowercased()]
        var found: [(name: String, body: String)] = []
        while let text = texts.popLast() {
            let named = rest.filter { text.contains($0.name.lowercased()) }
            rest.removeAll { view in named.contains { $0.name == view.name } }
            // A view that another one reads comes before it.
            found = named.map { ($0.name, body(of: $0.statement)) } + found
            texts += named.map { $0.statement.lowercased() }
        }
        return found
    }

    /// What stands behind `CREATE VIEW … AS`, without the comments that follow.
    private static func body(of statement: String) -> String {
        let start = [" AS\n", " AS "].compactMap { statement.firstRange(of: $0)?.upperBound }.min()
        let body = statement[(start ?? statement.startIndex)...]
        let end = ["\nCOMMENT '", ";\nCOMMENT ON "].compactMap { body.firstRange(of: $0)?.lowerBound }.min()
        return String(body[..<(end ?? body.endIndex)])
    }
}

/// What was replaced in an answer, as far as it can be seen there.
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

import DaybookBase
import DaybookStore
import DaybookTools

/// What a database server masks of the records that a statement reads, in the server's own SQL.
///
/// A server cannot run ``MaskingPolicy``. It masks at least as much: of a record's attributes and context each private
/// member gets a stand-in, and a member, or a message, in which anything looks like a credential is replaced whole.
struct ServerMask {
    /// The names of private columns of an event, each behind its tag and a line feed.
    let own: [String]
    /// Those of all events.
    let common: [String]
    /// Those of records of no defined event; empty where that makes no difference.
    let undefined: [String]
    /// The tags of the defined events.
    let defined: [String]
    /// Of the stand-ins.
    let key: String

    init(_ policy: MaskingPolicy) {
        own = policy.own.flatMap { tag, names in names.map { "\(tag)\n\($0)" } }.sorted()
        common = policy.common.sorted()
        undefined = policy.undefined.subtracting(policy.common).sorted()
        defined = undefined.isEmpty ? [] : (policy.defined ?? []).sorted()
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

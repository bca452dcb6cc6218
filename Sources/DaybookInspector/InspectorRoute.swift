/// What a path and a method ask for.
enum InspectorRoute: Hashable, Sendable {
    /// A file of the page: served to anyone, for it holds nothing.
    case asset(String)
    case session
    case status
    case records
    case recordCount
    case record(Int64)
    /// How the record with this number came here.
    case explanation(Int64)
    case histogram
    case facets
    case sessions
    case losses
    /// Removes a session's records.
    case deleteSession(String)
    case take
    case definitions
    case definitionCheck
    case tags
    case coverage
    case checklists
    /// A new run of the checklist with this id.
    case restart(String)
    /// The end of its run.
    case signOff(String)
    case report(String)
    /// An item more in the checklist with this id.
    case addItem(String)
    case runs
    case startRun
    case finishRun(Int64)
    case verdict(Int64)
    case live
    case sql
    case openPairing
    case redeemPairing

    static let prefix = "/api/v1/"

    /// Everything below the prefix needs the token, but for the exchange that hands it over, and a phone's, which has a
    /// code.
    var needsToken: Bool {
        switch self {
        case .asset, .session, .redeemPairing: false
        default: true
        }
    }

    var method: String {
        switch self {
        case .session, .sql, .restart, .signOff, .take, .definitionCheck, .startRun, .finishRun, .addItem,
            .openPairing, .redeemPairing:
            "POST"
        case .deleteSession: "DELETE"
        default: "GET"
        }
    }

    /// `HEAD` asks as `GET` does and the transport leaves the body out; a stream has no end to be left out.
    func takes(method: String) -> Bool {
        method == self.method || (method == "HEAD" && self.method == "GET" && self != .live)
    }

    /// Bytes of body that the route reads.
    var bodyLimit: Int {
        switch self {
        case .session, .restart, .startRun, .openPairing, .redeemPairing: 1_024
        case .addItem: 4_096
        case .signOff: 32_768
        case .sql: 65_536
        case .definitionCheck: 1_048_576
        case .take: SessionsAPI.importLimit
        default: 0
        }
    }

    /// The route at a path, or `nil`.
    init?(path: String) {
        if path == "/" {
            self = .asset("index.html")
        } else if path.hasPrefix("/assets/") {
            self = .asset(String(path.dropFirst("/assets/".count)))
        } else if path.hasPrefix(Self.prefix) {
            switch path.dropFirst(Self.prefix.count) {
            case "session": self = .session
            case "status": self = .status
            case "records": self = .records
            case "records/count": self = .recordCount
            case "histogram": self = .histogram
            case "facets": self = .facets
            case "sessions": self = .sessions
            case "losses": self = .losses
            case "import": self = .take
            case "definitions": self = .definitions
            case "definitions/check": self = .definitionCheck
            case "tags": self = .tags
            case "coverage": self = .coverage
            case "checklists": self = .checklists
            case "runs": self = .runs
            case "runs/start": self = .startRun
            case "live": self = .live
            case "sql": self = .sql
            case "pairings": self = .openPairing
            case "pairings/redeem": self = .redeemPairing
            case let rest where rest.hasPrefix("records/") && rest.hasSuffix("/explanation"):
                guard let id = Int64(rest.dropFirst("records/".count).dropLast("/explanation".count)) else {
                    return nil
                }
                self = .explanation(id)
            case let rest where rest.hasPrefix("sessions/") && rest.count > "sessions/".count:
                self = .deleteSession(String(rest.dropFirst("sessions/".count)))
            case let rest where rest.hasPrefix("records/"):
                guard let id = Int64(rest.dropFirst("records/".count)) else { return nil }
                self = .record(id)
            case let rest where rest.hasPrefix("runs/"):
                let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
                guard parts.count == 3, let id = Int64(parts[1]) else { return nil }
                switch parts[2] {
                case "finish": self = .finishRun(id)
                case "verdict": self = .verdict(id)
                default: return nil
                }
            case let rest where rest.hasPrefix("checklists/"):
                // The id may have slashes; the last part is what is asked of it.
                let parts = rest.dropFirst("checklists/".count)
                guard let slash = parts.lastIndex(of: "/"), slash > parts.startIndex else { return nil }
                let id = String(parts[..<slash])
                switch parts[parts.index(after: slash)...] {
                case "restart": self = .restart(id)
                case "signoff": self = .signOff(id)
                case "report": self = .report(id)
                case "items": self = .addItem(id)
                default: return nil
                }
            default: return nil
            }
        } else {
            return nil
        }
    }
}

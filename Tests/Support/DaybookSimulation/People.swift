import DaybookBase
import DaybookHTTP
import DaybookStore
import DaybookTrials
import Foundation

/// Edits the team's files, through the API and by hand, and knows what must be in them.
struct Editor {
    enum Place: String, CaseIterable { case checklists, boards, alerts }

    private let folder: String
    /// Edits so far; makes each text unique.
    private(set) var number = 0
    /// What must be in a folder's files once, and what must not be.
    private(set) var kept: [Place: Set<String>] = [:]
    private(set) var refused: [Place: Set<String>] = [:]

    init(folder: String) { self.folder = folder }

    /// A request that writes to a file, and words that occur in no other.
    mutating func request(_ place: Place) -> (path: String, body: String, words: String) {
        number += 1
        let words = "words\(number)x"
        switch place {
        case .checklists:
            return (
                "/api/v1/checklists/release/items",
                #"{"scenario":"feed","item":"Look at \#(words)"}"#, words
            )
        case .boards:
            return ("/api/v1/boards/days/blocks", #"{"title":"\#(words)","sql":"SELECT 1"}"#, words)
        case .alerts:
            // Every second name is already taken.
            return (
                "/api/v1/alerts",
                #"{"name":"Name \#(number / 2)","sql":"SELECT \#(number) AS \#(words)","every":"5m","#
                    + #""when":["value > 0"],"notify":["http://hooks.example/x"]}"#,
                words
            )
        }
    }

    mutating func note(_ place: Place, _ words: String, isKept: Bool) {
        if isKept { kept[place, default: []].insert(words) } else { refused[place, default: []].insert(words) }
    }

    /// A save in a person's own editor, between two requests.
    mutating func editByHand() throws {
        number += 1
        let words = "words\(number)x"
        let file = URL(fileURLWithPath: "\(folder)/checklists/release.md")
        try (Data(contentsOf: file) + Data("- [ ] See \(words)\n".utf8)).write(to: file)
        note(.checklists, words, isKept: true)
    }

    func text(_ place: Place) throws -> String {
        let path = "\(folder)/\(place.rawValue)"
        let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".md") }
        return try names.map { try String(contentsOfFile: "\(path)/\($0)", encoding: .utf8) }.joined(separator: "\n")
    }
}

extension World {
    func edit(_ place: Editor.Place, atOnce count: Int) async throws {
        let requests = (0..<count).map { _ in editor.request(place) }
        let (collector, token) = (collector, collector.keys.token.text)
        let answers = await withTaskGroup(of: (Int, Int).self) { group in
            for (index, request) in requests.enumerated() {
                group.addTask {
                    (index, await collector.ask("POST", request.path, body: request.body, key: token).status)
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for (index, request) in requests.enumerated() {
            let status = answers[index] ?? 0
            try promise(.requestsAreAnswered, [200, 400, 409].contains(status), "\(request.path): \(status)")
            editor.note(place, request.words, isKept: status == 200)
        }
        let text = try editor.text(place)
        for words in editor.kept[place] ?? [] {
            let copies = text.components(separatedBy: words).count - 1
            try promise(
                .editsAreKept, copies == 1, "\(place.rawValue): \(words), answered 200, is there \(copies) times")
        }
        for words in editor.refused[place] ?? [] {
            try promise(.editsAreKept, !text.contains(words), "\(place.rawValue): \(words) was refused, and is there")
        }
        if place == .alerts {
            let names = text.split(separator: "\n").filter { $0.hasPrefix("# Name") }
            try promise(.editsAreKept, Set(names).count == names.count, "two alerts have one name")
        }
    }

    /// A query with a read key, whose answer must reveal nothing private.
    func askAsReader() async throws {
        let choice = Int.random(in: 0..<1_000, using: &random)
        // A reader's guess, the same in all worlds.
        let guess = Marker.secret("amber", Marker.record("c0", 1 + choice % 20))
        let mail = "attributes.\(Marker.privateAttribute)"
        let questions: [(path: String, query: [(name: String, value: String)])] = [
            ("/api/v1/records", []), ("/api/v1/records", [("tag", "feed.**")]), ("/api/v1/records/count", []),
            ("/api/v1/records/\(1 + choice % 50)", []), ("/api/v1/records/\(1 + choice % 50)/explanation", []),
            ("/api/v1/facets", [("fields", mail)]), ("/api/v1/facets", [("fields", "tag")]),
            ("/api/v1/histogram", [("by", mail), ("buckets", "1")]), ("/api/v1/sessions", []), ("/api/v1/tags", []),
            ("/api/v1/losses", []), ("/api/v1/status", []), ("/api/v1/violations", []), ("/api/v1/releases", []),
            ("/api/v1/checklists", []), ("/api/v1/checklists/release/report", []), ("/api/v1/boards", []),
            ("/api/v1/alerts", []), ("/api/v1/runs", []), ("/api/v1/records", [("private", "show")]),
            ("/api/v1/records/count", [("filter", "\(Marker.privateAttribute)=\(guess)")]),
            ("/api/v1/records/count", [("filter", "\"\(guess)\"")]),
            ("/api/v1/records/count", [("filter", "\(Marker.privateAttribute)=secret-a*")]),
            ("/api/v1/histogram", [("filter", "\"\(guess)\""), ("buckets", "1")]),
        ]
        let question = questions[choice % questions.count]
        let key = collector.keys.text("reader")
        try await expectNothingPrivate(
            question.path, await collector.ask("GET", question.path, question.query, key: key))
        let statements = [
            "SELECT * FROM records", "SELECT max(attributes) FROM records",
            "SELECT kind, count(*) FROM records GROUP BY kind",
        ]
        let statement = statements[choice % statements.count]
        try await expectNothingPrivate(
            statement,
            await collector.ask("POST", "/api/v1/sql", body: #"{"sql":"\#(statement)"}"#, key: key))
    }

    private func expectNothingPrivate(_ what: String, _ answer: HTTPResponse) async throws {
        var count = ""
        if case .int(let number)? = answer.data("count") { count = " \(number)" }
        note("reader: \(what): \(answer.status)\(count)")
        // An error may repeat the query, which reveals nothing.
        try promise(
            .privateStaysPrivate, answer.status != 200 || !answer.text.contains("secret-\(settings.secretWord)-"),
            "\(what) tells a private value")
    }
}

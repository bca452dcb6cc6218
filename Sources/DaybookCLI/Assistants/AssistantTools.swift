import DaybookAPI
import DaybookBase
import DaybookChecklist
import DaybookStore
import DaybookTools

struct AssistantTool: Sendable {
    struct Parameter: Sendable {
        enum Kind: Sendable {
            case text
            case integer
            /// Comma-separated words.
            case list

            var name: String { self == .integer ? "integer" : "string" }
        }

        var name: String
        var type = Kind.text
        var meaning: String
        var isRequired = false
        var range = Int64.min...Int64.max
    }

    var name: String
    var meaning: String
    var parameters: [Parameter] = []

    var description: Attributes {
        let properties: [(String, Value)] = parameters.map { parameter in
            (parameter.name, ["type": .string(parameter.type.name), "description": .string(parameter.meaning)])
        }
        return [
            "name": .string(name), "description": .string(meaning),
            "inputSchema": [
                "type": "object", "properties": .object(Attributes(properties)),
                "required": .array(parameters.filter(\.isRequired).map { .string($0.name) }),
                "additionalProperties": .bool(false),
            ],
            "annotations": ["readOnlyHint": .bool(true)],
        ]
    }
}

/// The tools, each a call of the documented API; none requests private values.
struct AssistantTools: Sendable {
    /// The most bytes of a response, to spare an assistant's context window.
    static let answerLimit = 64 << 10
    /// How often to poll for a verdict while the collector scans a large store.
    private static let verdictAttempts = 400

    let client: any APIClient

    static let all: [AssistantTool] = [
        AssistantTool(
            name: "search_records", meaning: "Search records (events, messages, errors, requests), newest first.",
            parameters: [
                .init(
                    name: "filter",
                    meaning: "words, and terms such as user_id=42, price:100..200, message=*egg*, -tag=feed.*, last:2h"),
                .init(name: "tag", meaning: "a tag, or a pattern: feed.* or feed.**"),
                .init(name: "kind", type: .list, meaning: "one or more of message,error,event,span,request,run"),
                .init(name: "level", meaning: "this level and above: trace, debug, info, warning, error, fatal"),
                .init(name: "session", meaning: "only this session"),
                .init(name: "installation", meaning: "only this installation"),
                .init(name: "version", meaning: "only this version of the app"),
                .init(name: "since", meaning: "from this time on, RFC 3339"),
                .init(name: "until", meaning: "before this time, RFC 3339"),
                .init(name: "order", meaning: "newest (default) or oldest first, by arrival"),
                .init(name: "before", type: .integer, meaning: "only records with smaller numbers: `next` of a page"),
                .init(name: "after", type: .integer, meaning: "only records with larger numbers"),
                .init(name: "limit", type: .integer, meaning: "1 to 100 records; default 20", range: 1...100),
            ]),
        AssistantTool(
            name: "get_record", meaning: "One record with all its values, and its violations of the definition.",
            parameters: [.init(name: "id", type: .integer, meaning: "its number", isRequired: true)]),
        AssistantTool(
            name: "query_sql",
            meaning:
                "One read-only SQL statement in the store's dialect. The table `records` has id, time (nanoseconds), kind, "
                + "level, tag, message, attributes, context, session, installation; each event has a view, which get_event names.",
            parameters: [
                .init(name: "sql", meaning: "the statement", isRequired: true),
                .init(name: "limit", type: .integer, meaning: "1 to 500 rows; default 100", range: 1...500),
            ]),
        AssistantTool(
            name: "list_events", meaning: "The events that the team has defined, by category.",
            parameters: [.init(name: "search", meaning: "only events with this in their name or description")]),
        AssistantTool(
            name: "get_event", meaning: "An event's definition: its columns, their types and notes, and its SQL view.",
            parameters: [.init(name: "tag", meaning: "category.event", isRequired: true)]),
        AssistantTool(
            name: "verify",
            meaning: "The verdict of a checklist over what was recorded: what is missing or wrong, and why.",
            parameters: [
                .init(name: "checklist", meaning: "its id; without it, a summary of all checklists"),
                .init(name: "version", meaning: "judge only this version of the app"),
                .init(name: "session", meaning: "judge only this session"),
                .init(name: "installation", meaning: "judge only this installation"),
                .init(name: "persona", meaning: "who used the app, a row of the checklist's table"),
                .init(name: "run", type: .integer, meaning: "judge this run"),
            ]),
        AssistantTool(
            name: "coverage", meaning: "Which events are called in the sources and fired in tests, by the last report.",
            parameters: [.init(name: "after", type: .integer, meaning: "`next` of a page")]),
    ]

    /// A call's result. Failures are results, too, so that the assistant can correct its call.
    /// - Throws: ``AssistantServer/Fault`` for an unknown tool.
    func call(_ name: String, _ arguments: Value?) async throws -> Attributes {
        guard let tool = Self.all.first(where: { $0.name == name }) else {
            throw AssistantServer.Fault.parameters("There is no tool `\(name)`.")
        }
        do {
            let read = try AssistantArguments(arguments, of: tool)
            return Self.result(try await answer(name, read.values), isError: false)
        } catch let error as StoreError {
            return Self.result(error.message, isError: true)
        }
    }

    private static func result(_ text: String, isError: Bool) -> Attributes {
        [
            "content": .array([["type": "text", "text": .string(bounded(text))]]), "isError": .bool(isError),
        ]
    }

    /// Lists are shorter; this truncates a single long text.
    private static func bounded(_ text: String) -> String {
        text.utf8.count <= answerLimit
            ? text : text.cut(toUTF8Bytes: answerLimit) + "… (cut: an answer has at most \(answerLimit) bytes)"
    }

    private func answer(_ name: String, _ arguments: Attributes) async throws -> String {
        switch name {
        case "search_records": try await search(arguments)
        case "get_record":
            Self.text(try await client.data(Endpoints.record, APICall(id: String(arguments.number("id") ?? 0))))
        case "query_sql": try await query(arguments)
        case "list_events": try await events(arguments.text("search"))
        case "get_event": try await event(arguments.text("tag") ?? "")
        case "verify": try await verdict(arguments)
        default:
            Self.text(
                try await client.data(
                    Endpoints.coverage,
                    APICall(parameters: arguments.number("after").map { [("after", String($0))] } ?? [])))
        }
    }

    private static func text(_ data: Attributes) -> String { JSONWriter.text(.object(data)) }

    /// As many leading elements as fit; if not even the first does, its texts are truncated.
    /// - Parameter others: the rest of the response.
    /// - Returns: the elements, and the length at which texts were truncated, if any.
    private static func fitting(_ elements: [Value], beside others: Value = .null) -> (elements: [Value], cut: Int?) {
        let others = 1_000 + JSONWriter.text(others).utf8.count
        var bytes = others
        let fitting = elements.prefix { element in
            bytes += JSONWriter.text(element).utf8.count + 1
            return bytes <= answerLimit
        }
        guard fitting.isEmpty, let first = elements.first else { return (Array(fitting), nil) }
        var limit = answerLimit / 2
        while limit > 1, others + JSONWriter.text(first.cut(texts: limit)).utf8.count > answerLimit { limit /= 2 }
        return ([first.cut(texts: limit)], limit)
    }

    // MARK: Records

    private func search(_ arguments: Attributes) async throws -> String {
        var parameters: Parameters = []
        for name in ["filter", "tag", "kind", "level", "session", "installation", "version", "order"] {
            if let value = arguments.text(name) { parameters.append((name, value)) }
        }
        for name in ["since", "until"] {
            guard let text = arguments.text(name) else { continue }
            guard let time = Timestamp(rfc3339: text) else {
                throw StoreError(.badStatement, "`\(name)` is a time such as 2026-11-20T10:00:00Z, not “\(text)”.")
            }
            parameters.append((name, ReadTime.text(of: time.nanoseconds)))
        }
        for name in ["before", "after"] {
            if let number = arguments.number(name) { parameters.append((name, String(number))) }
        }
        parameters.append(("limit", String(arguments.number("limit") ?? 20)))
        let data = try await client.data(Endpoints.records, APICall(parameters: parameters))
        let records = (data.elements("records") ?? []).map(Self.withoutNothing)
        var (fitting, cut) = Self.fitting(records)
        if cut != nil, case .object(var record) = fitting[0] {
            record["cut"] = .bool(true)
            fitting[0] = .object(record)
        }
        var next = data["next"] ?? .null
        if fitting.count < records.count, case .object(let last)? = fitting.last { next = last["id"] ?? next }
        // The search continues after a timeout or a full page.
        return Self.text(["records": .array(fitting), "next": next])
    }

    private static func withoutNothing(_ record: Value) -> Value {
        guard case .object(let members) = record else { return record }
        return .object(
            Attributes(
                members.elements.filter { element in
                    switch element.value {
                    case .null, .bool(false): false
                    case .array(let elements): !elements.isEmpty
                    case .object(let members): !members.elements.isEmpty
                    default: true
                    }
                }.map { ($0.key, $0.value) }))
    }

    private func query(_ arguments: Attributes) async throws -> String {
        let limit = arguments.number("limit") ?? 100
        var data = try await client.data(
            Endpoints.sql,
            APICall(parameters: [("limit", String(limit))], body: SQLAnswer.body(arguments.text("sql") ?? "")))
        let rows = data.elements("rows") ?? []
        let (fitting, cut) = Self.fitting(rows, beside: data["columns"] ?? .null)
        if fitting.count < rows.count || cut != nil {
            data["rows"] = .array(fitting)
            data["truncated"] = .bool(true)
        }
        if let cut {
            data["cut"] = .string("The row is larger than an answer: its texts end after \(cut) bytes with …")
        }
        return Self.text(data)
    }

    // MARK: What the team wrote

    private func categories() async throws -> [DefinedCategory] {
        try await client.ask(Endpoints.definitions).categories
    }

    private func events(_ search: String?) async throws -> String {
        let wanted = TextFolding.bytes(of: search ?? "").split(separator: 0x20)
        let events = try await categories().flatMap(\.events).filter { event in
            let text = TextFolding.bytes(of: "\(event.tag) \(event.description)")
            return wanted.allSatisfy { text.firstRange(of: $0) != nil }
        }.map { event -> Value in
            [
                "tag": .string(event.tag), "description": .string(event.description),
                "columns": .array(event.columns.map { .string($0.name) }),
            ]
        }
        let fitting = Self.fitting(events).elements
        return Self.text(["events": .array(fitting), "more": .bool(fitting.count < events.count)])
    }

    private func event(_ tag: String) async throws -> String {
        let categories = try await categories()
        for category in categories {
            guard let event = category.events.first(where: { $0.tag == tag }),
                case .object(var members) = DefinedEvent.form.value(of: event)
            else { continue }
            members["category_columns"] = .array(category.columns.map(DefinedColumn.form.value))
            return Self.text(members)
        }
        let near = NearestName.of(tag, among: categories.flatMap(\.events).map(\.tag))
        throw StoreError(
            .badStatement, "No event `\(tag)` is defined\(near.map { "; did you mean `\($0)`?" } ?? "")")
    }

    private func verdict(_ arguments: Attributes) async throws -> String {
        var parameters: Parameters = []
        for name in ["version", "session", "installation", "persona"] {
            if let value = arguments.text(name) { parameters.append((name, value)) }
        }
        if let run = arguments.number("run") { parameters.append(("run", String(run))) }
        var answer = try await client.ask(Endpoints.checklists, APICall(parameters: parameters))
        for _ in 1..<Self.verdictAttempts where answer.judged < answer.head {
            answer = try await client.ask(Endpoints.checklists, APICall(parameters: parameters))
        }
        var told = answer.checklists
        let id = arguments.text("checklist")
        if let id {
            told = told.filter { $0.id == id }
            guard !told.isEmpty else {
                let ids = answer.checklists.map(\.id).joined(separator: ", ")
                throw StoreError(.badStatement, "No checklist is called “\(id)”; there are: \(ids).")
            }
        }
        if id != nil, let persona = arguments.text("persona") {
            let known = told.flatMap(\.personas)
            guard known.contains(persona) else {
                let problem = ChecklistError.Problem.noPersona(persona, among: known, in: "")
                throw StoreError(.badStatement, problem.reason.text)
            }
        }
        return Self.text([
            "judged": .int(answer.judged), "head": .int(answer.head),
            "checklists": .array(told.map { .object(Self.verdict(of: $0, isShort: id == nil)) }),
        ])
    }

    /// The result, wholly failed scenarios, and items with states and reasons; in short form only counts.
    private static func verdict(of checklist: ChecklistAnswer, isShort: Bool) -> Attributes {
        let outcome = checklist.outcome
        var verdict: Attributes = [
            "id": .string(checklist.id), "title": .string(checklist.title),
            "passed": .bool(outcome.result == .passed), "result": .string(outcome.result.rawValue),
            "judged": .int(Int64(outcome.judged)),
        ]
        let problems = checklist.scenarios.compactMap { scenario in
            scenario.problem.text.map { Value.object(["scenario": .string(scenario.title), "problem": .string($0)]) }
        }
        if !problems.isEmpty { verdict["problems"] = .array(fitting(problems).elements) }
        if isShort {
            let items = Dictionary(grouping: checklist.scenarios.flatMap(\.items), by: \.state.rawValue)
            let counts = items.sorted { $0.key < $1.key }.map { ($0.key, Value.int(Int64($0.value.count))) }
            verdict["items"] = .object(Attributes(counts))
        } else {
            let items = checklist.scenarios.flatMap { scenario in
                scenario.items.map { item in
                    withoutNothing([
                        "scenario": .string(scenario.title), "item": .string(item.text),
                        "state": .string(item.state.rawValue), "reason": item.reason.text.map { .string($0) } ?? .null,
                    ])
                }
            }
            verdict["items"] = .array(fitting(items).elements)
        }
        return verdict
    }

    // MARK: Resources

    /// The dictionary's categories, and the checklists.
    func resources() async throws -> [Value] {
        let categories = try await categories().map { category -> Value in
            [
                "uri": .string("daybook://definitions/\(CollectorClient.encoded(category.name))"),
                "name": .string(category.name), "description": .string(category.description),
                "mimeType": "application/json",
            ]
        }
        let checklists = try await client.ask(Endpoints.checklists).checklists.map { checklist -> Value in
            [
                "uri": .string("daybook://checklists/\(CollectorClient.encoded(checklist.id))"),
                "name": .string(checklist.id), "title": .string(checklist.title), "mimeType": "text/markdown",
            ]
        }
        return categories + checklists
    }

    /// - Throws: ``AssistantServer/Fault`` for an unknown resource.
    func resource(_ address: String) async throws -> Value {
        let parts = address.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        if parts.count == 3, parts[0] == "daybook:", let name = parts[2].removingPercentEncoding {
            if parts[1] == "definitions",
                let category = try await categories().first(where: { $0.name == name })
            {
                return [
                    "uri": .string(address), "mimeType": "application/json",
                    "text": .string(Self.bounded(JSONWriter.text(DefinedCategory.form.value(of: category)))),
                ]
            }
            if parts[1] == "checklists",
                let source = try? await client.ask(Endpoints.checklistSource, APICall(id: name))
            {
                return [
                    "uri": .string(address), "mimeType": "text/markdown",
                    "text": .string(Self.bounded(source.markdown)),
                ]
            }
        }
        throw AssistantServer.Fault(code: -32002, message: "There is no resource \(address).")
    }
}

extension Value {
    /// Truncates texts at any depth to `limit` bytes, with an ellipsis.
    fileprivate func cut(texts limit: Int) -> Value {
        switch self {
        case .string(let text) where text.utf8.count > limit: .string(text.cut(toUTF8Bytes: limit) + "…")
        case .array(let elements): .array(elements.map { $0.cut(texts: limit) })
        case .object(let members): .object(Attributes(members.elements.map { ($0.key, $0.value.cut(texts: limit)) }))
        default: self
        }
    }
}

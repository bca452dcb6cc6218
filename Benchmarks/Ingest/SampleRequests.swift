import Daybook
import DaybookCollector
import DaybookOTLP
import DaybookRequests
import DaybookTrials

/// What an installation sends: OTLP log requests of 512 events as our output builds them, with five columns of their
/// own, three of context, a session and a UID.
struct SampleRequests {
    /// Protobuf, plain and compressed.
    let bodies: [[UInt8]]
    let compressed: [[UInt8]]

    private static let tags = (0..<40).map { "category\($0 / 8).event_name_\($0)" }
    private static let words = ["recipe", "search", "卵焼き", "肉じゃが", "carrot", "買い物リスト", "夕食の献立"]

    /// - Parameter isNumbered: Whether batches name their stream; without it, each is stored as often as it is sent.
    init(client: Int, count: Int, isNumbered: Bool = true) {
        var random: UInt64 = 0x9E37_79B9_7F4A_7C15 &+ UInt64(client)
        func next(_ bound: Int) -> Int {
            random ^= random << 13
            random ^= random >> 7
            random ^= random << 17
            return Int(random % UInt64(bound))
        }
        let stream = "0123456789abcdef0123456789abcdef012345678\(client)abcdef"
        let resource: Attributes = [
            "service.name": "RecipeBox", "service.version": "8.1.0",
            "app.installation.id": "installation-0000-\(client)",
            "device.model.name": "Phone 15", "os.name": "iOS", "os.version": "18.1",
        ]
        bodies = (0..<count).map { number in
            let after = number * 512
            let records = (after + 1...after + 512).map { sequence in
                var record = LogRecord()
                record.time = 1_763_000_000_000_000_000 + UInt64(sequence) * 250_000_000
                record.severityNumber = 9
                record.eventName = Self.tags[next(40) * next(40) / 40]
                record.attributes = [
                    "keyword": .string(Self.words[next(7)]), "recipe_id": .int(Int64(next(5_000_000))),
                    "position": .int(Int64(next(50))), "cold": .bool(next(2) == 0),
                    "visit": .string("abcdefghij\(1_000_000_000 + next(9_000_000))"),
                    "user_id": .int(Int64(42 + client)), "app_version": "8.1.0", "plan": "premium",
                    WireName.session.description: .string(
                        "0f8fad5b-d9cb-469f-a165-7086772895\(10 + sequence / 300 % 90)"),
                    WireName.uid: .string("\(stream)-\(sequence)"),
                ]
                return record
            }
            var scope = InstrumentationScope(
                name: "daybook", version: "1",
                attributes: [WireName.contextKeys: .array(["user_id", "app_version", "plan"])])
            if isNumbered {
                scope.attributes[WireName.stream] = .string(stream)
                scope.attributes[WireName.output] = "otlp"
                scope.attributes[WireName.intervalAfter] = .int(Int64(after))
                scope.attributes[WireName.intervalThrough] = .int(Int64(after + 512))
            }
            let request = ExportLogsRequest(
                resources: [ResourceLogs(resource: resource, scopes: [ScopeLogs(scope: scope, records: records)])])
            return request.protobuf()
        }
        compressed = bodies.compactMap(Gzip.compress)
    }
}

import DaybookAPI
import DaybookBase
import DaybookHTTP
import DaybookInspector
import DaybookStore
import DaybookTrials
import Testing

@Suite struct LossesTests {
    private func batch(_ stream: String, of sender: String, lost: [String: Int64]) -> RecordBatch {
        var row = RecordRow.event("a.b")
        row.uid = stream
        row.sequence = 1
        row.installation = "phone-1"
        row.context = #"{"service.version":"4.11.3"}"#
        return RecordBatch(
            origin: .init(stream: stream, after: 0, through: 1), losses: LossReport(sender: sender, counts: lost),
            rows: [row])
    }

    @Test("Losses in several streams of one sender count once") func countsLossesPerSender() async throws {
        let store = MemoryStore()
        let lost: [String: Int64] = ["disk limit": 312, "rejected": 2, "expired": 0]
        for signal in ["logs", "traces"] {
            try await store.append(batch("s1/otlp/\(signal)", of: "s1/otlp", lost: lost))
        }
        try await store.append(batch("s2/otlp/logs", of: "s2/otlp", lost: ["rejected": 5]))
        let answer = Envelope.success(Endpoints.losses.form, try await LossesAnswer([], from: store))
        #expect(
            String(decoding: answer, as: UTF8.self) == #"""
                {"ok":true,"data":{"losses":[\#
                {"installation":"phone-1","version":"4.11.3","owner":null,"reason":"disk limit","count":312},\#
                {"installation":"phone-1","version":"4.11.3","owner":null,"reason":"rejected","count":7}],"next":null}}
                """#)
    }

    @Test("Sums of absurd loss claims do not overflow") func lossSumsAreCapped() async throws {
        let store = MemoryStore()
        for stream in ["s1/otlp", "s2/otlp"] {
            try await store.append(batch("\(stream)/logs", of: stream, lost: ["rejected": .max]))
        }
        #expect(try await LossesAnswer([], from: store).losses.map(\.count) == [2_000_000_000_000])
    }

    /// Anyone can claim losses of an installation, so these are listed beside its own.
    @Test("Claims by different senders are listed separately") func separatesLossClaims() async throws {
        let store = MemoryStore()
        let owners = ["proof:1", "proof:2", "unproven:web", "unproven:"]
        for (place, owner) in owners.enumerated() {
            for signal in ["logs", "traces"] {
                try await store.append(
                    batch("\(owner)/s/o/\(signal)", of: "\(owner)/s/o", lost: ["disk_limit": Int64(4 - place)]))
            }
        }
        let losses = try await LossesAnswer([], from: store).losses
        #expect(losses.map(\.owner) == owners && losses.map(\.count) == [4, 3, 2, 1])
    }

    /// A record identifies its stream but not the output.
    @Test("A record shows the account of its own sender") func recordShowsOwnAccount() async throws {
        let stream = String(repeating: "0a", count: 24)
        let owners = [StreamOwner.proven(digest: "d1"), .unproven(key: "a/b%c"), .unproven(key: nil)].map(\.description)
        let own = owners.map { $0 + "/" } + [""]
        for owner in own {
            for (kind, signal) in [(Kind.event, "logs"), (.span, "traces")] {
                let store = MemoryStore()
                // Others: another stream, and one whose name has the same beginning.
                for other in ["ff\(stream.dropFirst(2))", stream + "1"] {
                    try await store.append(batch("\(owner)\(other)/otlp/logs", of: "x", lost: [:]))
                }
                // Other senders' stream of that name, with the same numbers.
                for other in own where other != owner {
                    var batch = batch("\(other)\(stream)/otlp/\(signal)", of: "x", lost: [:])
                    batch.origin?.interval.through = 100
                    try await store.append(batch)
                }
                for (output, through) in [("first", UInt64(3)), ("second", 9)] {
                    var row = RecordRow.event("a.b")
                    (row.kind, row.uid, row.sequence) = (kind, "\(stream)-\(through)", through)
                    if !owner.isEmpty { row.context = #"{"daybook.owner":"\#(owner.dropLast())"}"# }
                    try await store.append(
                        RecordBatch(
                            origin: .init(
                                stream: "\(owner)\(stream)/\(output)/\(signal)", after: through - 1, through: through),
                            losses: LossReport(sender: "\(owner)\(stream)/\(output)", counts: ["disk": Int64(through)]),
                            rows: [row]))
                }
                let bench = InspectorHandler(
                    store: store, definitions: .sample, checklists: [], token: Bench().token, notices: LiveNotices())
                for (id, output, through) in [(6, "first", 3), (7, "second", 9)] {
                    let head = HTTPRequest.Head(
                        method: "GET", path: "/api/v1/records/\(id)/explanation",
                        headers: ["authorization": "Bearer \(Bench().token.text)"])
                    let found = try await bench.respond(to: HTTPRequest(head: head)).data()
                    let ledger = try #require(found["ledger"], "\(owner) \(found)")
                    #expect(ledger["stream"] == "\(owner)\(stream)/\(output)/\(signal)")
                    #expect(found["settled"]["through"].int == through)
                    #expect(ledger["losses"][0]["count"].int == through)
                    #expect(found["stream"].text == stream && found["accounts"] == 2)
                }
            }
        }
    }

    @Test("A store without losses answers an empty list") func noLossesIsEmptyList() async throws {
        let answer = await Bench(rows: [.event("a.b")]).send("GET", "/api/v1/losses")
        #expect(answer.text == #"{"ok":true,"data":{"losses":[],"next":null}}"#)
    }
}

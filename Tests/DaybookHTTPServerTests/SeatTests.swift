import DaybookBase
import DaybookHTTP
import DaybookTrials
import Testing

@testable import DaybookHTTPServer

@Suite(.timeLimit(.minutes(5))) struct SeatTests {
    private static func seat(
        _ phase: Seat.Phase, since: UInt64, from address: String = "a", isKnown: Bool = false
    ) -> Seat {
        Seat(address: address, isKnown: isKnown, phase: phase, since: since)
    }

    @Test("Idle connections without a key give way first, and working ones never") func idleStrangersGoFirst() {
        var seats = [
            Self.seat(.working, since: 0), Self.seat(.idle, since: 1, isKnown: true), Self.seat(.sending, since: 2),
            Self.seat(.reading, since: 3), Self.seat(.idle, since: 9), Self.seat(.idle, since: 4),
            Self.seat(.reading, since: 0, isKnown: true), Self.seat(.sending, since: 0, isKnown: true),
        ]
        var order: [UInt64] = []
        while let index = Seat.givingWay(among: seats).first { order.append(seats.remove(at: index).since) }
        #expect(order == [3, 4, 9, 2, 1])
        #expect(seats.count == 3)
    }

    @Test("An address over its share gives way before an older connection") func overShareGoesFirst() {
        let seats =
            [Self.seat(.idle, since: 1, from: "modest")] + (2..<9).map { Self.seat(.idle, since: $0, from: "greedy") }
        #expect(Seat.givingWay(among: seats).first == 1)
    }

    /// Nor does one with a key give way while one without is idle.
    @Test("A working connection never gives way", arguments: 0..<200) func workingSeatsStay(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let phases: [Seat.Phase] = [.idle, .reading, .working, .sending]
        let seats = (0..<Int.random(in: 1...40, using: &random)).map { _ in
            Self.seat(
                phases.randomElement(using: &random) ?? .idle, since: .random(in: 0..<100, using: &random),
                from: "\(Int.random(in: 0..<5, using: &random))", isKnown: .random(using: &random))
        }
        guard let index = Seat.givingWay(among: seats).first else {
            return #expect(seats.allSatisfy { $0.phase == .working || $0.isKnown && $0.phase != .idle })
        }
        #expect(seats[index].phase != .working)
        #expect(!seats[index].isKnown || !seats.contains { $0.phase == .idle && !$0.isKnown })
    }

    @Test("Descriptors are reserved for the store, and too few prevent the start") func descriptorsAreReserved() throws
    {
        #expect(try DescriptorLimit.connections(most: 1_024, descriptors: 8_192) == 1_024)
        #expect(try DescriptorLimit.connections(most: 1_024, descriptors: 1_024) == 832)
        for descriptors in 0...2_000 {
            let room = Result { () throws(HTTPServerError) in
                try DescriptorLimit.connections(most: 1_024, descriptors: descriptors)
            }
            switch room {
            case .success(let connections): #expect(connections >= 8 && connections <= descriptors - 192)
            case .failure(let error): #expect(descriptors < 200 && error.description.contains("ulimit -n"))
            }
        }
    }

    private final class Kinds: HTTPHandler {
        let gate = Signal()
        /// Requests that have become work, in a place or waiting for one.
        let begun = Atomic(0)

        func admit(_ head: HTTPRequest.Head) -> HTTPAdmission { .accept(bodyLimit: 1 << 20) }
        func sender(of head: HTTPRequest.Head) -> String? { head.headers["authorization"] }
        func work(of head: HTTPRequest.Head) -> HTTPWork {
            begun.add(1, ordering: .relaxed)
            return ["/v1/logs": HTTPWork.ingest, "/healthz": .health][head.path] ?? .ordinary
        }
        func respond(to request: HTTPRequest) async -> HTTPResponse {
            if request.head.path == "/wait" { await gate.wait() }
            return HTTPResponse(status: 200)
        }
    }

    private static let limits = HTTPServerLimits {
        $0.connections = 64
        $0.sweepInterval = .milliseconds(5)
    }

    /// Idle before a request, within a head, within a body, and after an answer.
    private static let ways = [
        "", "GET / HTTP/1.1\r\nHost: ", "POST / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 9\r\n\r\nx",
    ]

    @Test("Idle connections keep no other client out", arguments: ways) func idlersKeepNobodyOut(beginning: String)
        async throws
    {
        try await withServer(Kinds(), limits: Self.limits) { server, port in
            try await offPool {
                let idle = try (0..<200).map { _ in
                    let client = try RawClient(port: port, from: "127.0.0.2")
                    if !beginning.isEmpty { client.send(beginning.replacing("PORT", with: "\(port)")) }
                    return client
                }
                for path in ["/v1/logs", "/healthz", "/page"] {
                    let client = try RawClient(port: port)
                    client.request("GET \(path)", headers: ["Authorization: key"])
                    #expect(try client.readResponse().status == 200)
                    // A connection with a key stays.
                    let before = server.statistics.acceptedConnections
                    let more = try (0..<100).map { _ in try RawClient(port: port, from: "127.0.0.2") }
                    try eventuallyOnThread("they came") {
                        let counts = server.statistics
                        return counts.acceptedConnections + counts.refusedConnections >= before + more.count
                    }
                    client.request("GET \(path)", headers: ["Authorization: key"])
                    #expect(try client.readResponse().status == 200)
                }
                #expect(server.statistics.displacedConnections > 100)
                #expect(idle.count == 200)
            }
        }
    }

    @Test("Ingest and health keep reserved connections when all are busy") func reservesForIngest() async throws {
        let handler = Kinds()
        try await withServer(handler, limits: Self.limits) { _, port in
            try await offPool {
                let working = try (0..<60).map { _ in
                    let client = try RawClient(port: port, from: "127.0.0.2")
                    client.request("GET /wait")
                    return client
                }
                try eventuallyOnThread("all work") { handler.begun.load(ordering: .relaxed) == 60 }
                for _ in 0..<20 {
                    for (path, status) in [("/v1/logs", 200), ("/healthz", 200), ("/page", 503)] {
                        let client = try RawClient(port: port)
                        client.request("GET \(path)")
                        #expect(try client.readResponse().status == status)
                        #expect(try client.readUntilClose().isEmpty)
                    }
                }
                handler.gate.open()
                for client in working { #expect([200, 503].contains(try client.readResponse().status)) }
            }
        }
    }
}

import DaybookHTTP
import DaybookTrials
import Testing

@testable import DaybookHTTPServer

/// Room for bodies is shared: clients that hold much give way to those that hold little, and slow bodies go first.
@Suite(.timeLimit(.minutes(5))) struct BodyFairnessTests {
    private struct KeyedHandler: HTTPHandler {
        func admit(_ head: HTTPRequest.Head) -> HTTPAdmission { .accept(bodyLimit: 4 << 20) }
        func sender(of head: HTTPRequest.Head) -> String? { head.headers["authorization"] }
        func respond(to request: HTTPRequest) async -> HTTPResponse {
            HTTPResponse(status: 200, contentType: "text/plain", text: "\(request.body.count)")
        }
    }

    private let limits = HTTPServerLimits {
        $0.discardBytes = 1 << 16
        $0.bodyBytes = 1 << 20
        $0.sweepInterval = .milliseconds(5)
    }

    /// Starts bodies that never end until there is no room. A body that would not fit whole is refused by its head.
    private func hoard(
        _ port: Int, count: Int, key: String, from address: String = "127.0.0.1", length: Int = 200_000
    ) throws -> [RawClient] {
        try (0..<count).map { _ in
            let client = try RawClient(port: port, from: address)
            client.send(
                "POST / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nAuthorization: \(key)\r\nContent-Length: \(length)\r\n\r\n"
            )
            client.send([UInt8](repeating: 1, count: 100_000))
            return client
        }
    }

    @Test("Many unfinished bodies of one key do not starve another key") func greedyKeyCannotStarve() async throws {
        try await withServer(KeyedHandler(), limits: limits) { server, port in
            try await offPool {
                let greedy = try hoard(port, count: 10, key: "greedy")
                try eventuallyOnThread("nearly all room is taken") { server.statistics.bodyBytes >= 900_000 }
                let other = try RawClient(port: port)
                for _ in 0..<20 {
                    other.request(
                        "POST /", headers: ["Authorization: modest"], body: [UInt8](repeating: 1, count: 200_000))
                    #expect(try other.readResponse().text == "200000")
                }
                #expect(server.statistics.displacedBodies >= 1)
                // The client that holds the most is refused more.
                let another = try RawClient(port: port)
                another.request(
                    "POST /", headers: ["Authorization: greedy"], body: [UInt8](repeating: 1, count: 500_000))
                #expect(try another.readResponse().status == 503)
                greedy.forEach { $0.disconnect() }
                try eventuallyOnThread("all bodies are gone") { server.statistics.bodyBytes == 0 }
            }
        }
    }

    @Test("One address using a shared key does not starve another address") func greedyAddressCannotStarve()
        async throws
    {
        try await withServer(KeyedHandler(), limits: limits) { server, port in
            try await offPool {
                let greedy = try hoard(port, count: 10, key: "app", from: "127.0.0.2")
                try eventuallyOnThread("nearly all room is taken") { server.statistics.bodyBytes >= 900_000 }
                let other = try RawClient(port: port)
                other.request("POST /", headers: ["Authorization: app"], body: [UInt8](repeating: 1, count: 200_000))
                #expect(try other.readResponse().text == "200000")
                greedy.forEach { $0.disconnect() }
                try eventuallyOnThread("all bodies are gone") { server.statistics.bodyBytes == 0 }
            }
        }
    }

    @Test("A displaced client gets a 503 and takes no further memory") func displacedClientIsTold() async throws {
        try await withServer(KeyedHandler(), limits: limits) { server, port in
            try await offPool {
                let greedy = try hoard(port, count: 10, key: "greedy")
                try eventuallyOnThread("nearly all room is taken") { server.statistics.bodyBytes >= 900_000 }
                let other = try RawClient(port: port)
                other.request("POST /", headers: ["Authorization: modest"], body: [UInt8](repeating: 1, count: 300_000))
                #expect(try other.readResponse().text == "300000")
                let before = server.statistics.bodyBytes
                for client in greedy { client.send([UInt8](repeating: 1, count: 100_000)) }
                let statuses = try greedy.map { try $0.readResponse().status }
                #expect(statuses.contains(503) && statuses.contains(200), "\(statuses)")
                #expect(before < 1 << 20)
                try eventuallyOnThread("all bodies are gone") { server.statistics.bodyBytes == 0 }
            }
        }
    }

    @Test("A slow body gives way, even to its own client") func slowBodyGivesWay() async throws {
        let clock = HeldMonotonicClock()
        try await withServer(KeyedHandler(), limits: limits, clock: clock.monotonic) { server, port in
            try await offPool {
                // Short enough that even the tenth fits, however much of the others has arrived by then.
                let greedy = try hoard(port, count: 10, key: "app", length: 148_000)
                let held = 1_000_000
                try eventuallyOnThread("nearly all room is taken") { server.statistics.bodyBytes == held }
                let other = try RawClient(port: port)
                let body = [UInt8](repeating: 1, count: 500_000)
                other.request("POST /", headers: ["Authorization: app"], body: body)
                #expect(try other.readResponse().status == 503)
                other.disconnect()
                try eventuallyOnThread("what was refused takes no room") { server.statistics.bodyBytes == held }
                clock.advance(seconds: 2)
                // Too little has come for a whole period; the next chunk makes the server notice.
                for client in greedy { client.send([1]) }
                try eventuallyOnThread("a byte of each has come") { server.statistics.bodyBytes >= held + greedy.count }
                clock.advance(seconds: 2)
                let third = try RawClient(port: port)
                third.request("POST /", headers: ["Authorization: app"], body: body)
                #expect(try third.readResponse().text == "500000")
                greedy.forEach { $0.disconnect() }
            }
        }
    }

    @Test("Clients are grouped by key, or by address and network") func groupsByNetwork() {
        #expect(BodyClient(peer: "127.0.0.1:5123").address == "127.0.0.1")
        #expect(BodyClient(peer: "[2001:db8:1:2:3:4:5:6]:80") == BodyClient(peer: "[2001:db8:1:2::9]:443"))
        #expect(BodyClient(peer: "[2001:db8:1:2::1]:80") != BodyClient(peer: "[2001:db8:1:3::1]:80"))
        #expect(BodyClient(key: "a", peer: "1.2.3.4:5").group == BodyClient(key: "a", peer: "5.6.7.8:9").group)
        #expect(BodyClient(peer: "1.2.3.4:5").group != BodyClient(peer: "5.6.7.8:9").group)
    }

    @Test("Only a client that holds more than its share gives way") func overShareGivesWay() {
        let budget = BodyBudget(limit: 1_000)
        let (one, two, three) = (
            BodyClient(key: "a", peer: "1.1.1.1:1"), BodyClient(key: "b", peer: "1.1.1.1:2"),
            BodyClient(key: "b", peer: "2.2.2.2:3")
        )
        #expect(budget.take(900, of: one) && !budget.take(200, of: two))
        #expect(budget.victim(of: two, wanting: 200) == .group(.key("a")))
        #expect(budget.victim(of: two, wanting: 600) == nil)
        #expect(budget.victim(of: one, wanting: 100) == nil)
        budget.giveBack(900, of: one)
        #expect(budget.current == 0 && budget.take(900, of: two))
        #expect(budget.victim(of: three, wanting: 200) == .client(two))
        #expect(budget.victim(of: one, wanting: 200) == .group(.key("b")))
    }
}

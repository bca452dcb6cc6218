import Daybook
import DaybookBase
import DaybookTrials

/// The network between one output of a client and the collector. The seed decides the fate of each request in turn: an
/// output has one in flight at a time.
final class SimulatedNetwork: Sendable {
    enum Weather: CaseIterable {
        /// Everything arrives and is answered.
        case fair
        /// Requests and answers are lost, doubled, late, or answered by someone else.
        case foul
        /// Nothing arrives.
        case down
    }

    private enum Fate: CaseIterable {
        case arrives, isLost, answerIsLost, comesTwice, comesLate, meetsPortal, meetsBusyProxy
    }

    private struct State {
        var random: SeededGenerator
        var weather = Weather.fair
        /// Sent by the client but not yet at the collector.
        var late: [TransportRequest] = []
        var told: [String] = []
        var sent = 0
        /// The launch that may send: late requests of earlier ones go nowhere.
        var launch = 0
    }

    private struct NoAnswer: Error, CustomStringConvertible {
        let description: String
    }

    private let name: String
    private let traffic: Traffic
    private let planted: PlantedFault?
    private let arrive: @Sendable (TransportRequest) async -> TransportResponse
    private let state: Mutex<State>

    init(
        _ name: String, seed: UInt64, traffic: Traffic, planted: PlantedFault?,
        arrive: @escaping @Sendable (TransportRequest) async -> TransportResponse
    ) {
        (self.name, self.traffic, self.planted, self.arrive) = (name, traffic, planted, arrive)
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    func set(_ weather: Weather) { state.withLock { $0.weather = weather } }

    /// Ends what earlier launches had, and returns the next one's transport.
    func nextLaunch() -> any HTTPTransport {
        Launch(
            network: self,
            number: state.withLock { state in
                state.launch += 1
                return state.launch
            })
    }

    private struct Launch: HTTPTransport {
        let network: SimulatedNetwork
        let number: Int

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            guard network.state.withLock({ $0.launch == number }) else {
                throw NoAnswer(description: "the app has ended")
            }
            return try await network.send(request)
        }
    }

    /// Events since the last call, for the trace.
    func takeEvents() -> [String] {
        state.withLock { state in
            defer { state.told = [] }
            return state.told
        }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let (number, fate) = state.withLock { state in
            state.sent += 1
            return (state.sent, Self.fate(&state))
        }
        let sent = SentRequest(request)
        func tell(_ what: String) {
            state.withLock { $0.told.append("\(name) sends \(sent.markers.count) records: \(what)") }
        }
        switch fate {
        case .arrives:
            let response = await handOver(request, sent)
            tell("\(response.status)")
            if response.status == 200 { traffic.acknowledge(sent) }
            return response
        case .comesTwice:
            let first = await handOver(request, sent)
            let second = await handOver(request, sent)
            tell("twice, \(first.status) and \(second.status)")
            if second.status == 200 { traffic.acknowledge(sent) }
            return second
        case .answerIsLost:
            let response = await handOver(request, sent)
            tell("\(response.status), which is lost")
            throw NoAnswer(description: "answer \(number) was lost")
        case .comesLate:
            state.withLock { $0.late.append(request) }
            tell("late")
            throw NoAnswer(description: "request \(number) is late")
        case .isLost:
            tell("lost")
            guard planted == .cutAnswerCounts else { throw NoAnswer(description: "request \(number) was lost") }
            traffic.acknowledge(sent)
            return TransportResponse(status: 200, headers: ["content-type": "application/x-protobuf"], body: [])
        case .meetsPortal:
            tell("a portal's page")
            return TransportResponse(status: 200, headers: ["content-type": "text/html"], body: Array("<html>".utf8))
        case .meetsBusyProxy:
            tell("a busy proxy")
            return TransportResponse(status: 503, headers: ["retry-after": "2"], body: [])
        }
    }

    /// Delivers late requests, in another order than they were sent.
    func bringLate() async {
        let late = state.withLock { state in
            defer { state.late = [] }
            return state.late.shuffled(using: &state.random)
        }
        for request in late {
            let sent = SentRequest(request)
            let response = await handOver(request, sent)
            state.withLock { $0.told.append("\(name)'s \(sent.markers.count) late records: \(response.status)") }
        }
    }

    private func handOver(_ request: TransportRequest, _ sent: SentRequest) async -> TransportResponse {
        traffic.announce(sent, by: name)
        let response = await arrive(request)
        if response.status == 200 { traffic.settle(sent) }
        return response
    }

    private static func fate(_ state: inout State) -> Fate {
        switch state.weather {
        case .fair: .arrives
        case .down: .isLost
        case .foul: Fate.allCases.randomElement(using: &state.random) ?? .arrives
        }
    }
}

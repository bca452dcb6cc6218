import Daybook
import DaybookBase

/// Receives the notices of alerts. Safe to share.
final class SimulatedTarget: HTTPTransport {
    enum Mood: CaseIterable { case answers, refuses, isSilent, answersTooLate }

    private struct NoAnswer: Error {}

    private let state = Mutex((mood: Mood.answers, told: 0, bodies: [String]()))

    func set(_ mood: Mood) { state.withLock { $0.mood = mood } }

    /// Counts a notice that the runner has to send.
    func expect() { state.withLock { $0.told += 1 } }

    /// The notices that there were to send.
    var told: Int { state.withLock { $0.told } }
    var bodies: [String] { state.withLock { $0.bodies } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let mood = state.withLock { state in
            if state.mood == .answers || state.mood == .answersTooLate {
                state.bodies.append(String(decoding: request.body, as: UTF8.self))
            }
            return state.mood
        }
        switch mood {
        case .answers: return TransportResponse(status: 204, headers: [:], body: [])
        case .refuses: return TransportResponse(status: 500, headers: [:], body: [])
        case .isSilent, .answersTooLate: throw NoAnswer()
        }
    }
}

import Daybook
import Synchronization

/// Answers every request with success, counts its bytes, and samples the process's memory.
final class DiscardingTransport: HTTPTransport {
    let bytes = Atomic<Int>(0)
    let peakMemory = Atomic<Int>(0)

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        bytes.wrappingAdd(request.body.count, ordering: .relaxed)
        peakMemory.max(ResidentMemory.current, ordering: .relaxed)
        return TransportResponse(status: 200, headers: ["content-type": "application/x-protobuf"], body: [])
    }
}

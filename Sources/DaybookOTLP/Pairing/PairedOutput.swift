import Daybook
import DaybookBase
import Foundation

/// Sends records live to the paired collector; without a pairing, it sends nothing.
///
/// Give it its own route with short delays, and disable it until `pipeline.pair(_:with:)` enables it: earlier records
/// then never leave the device this way. Unsent records at the end of the pairing are dropped, and counted in the
/// ledger. Safe to share between threads.
public final class PairedOutput: BatchOutput {
    private struct Paired {
        var output: OTLPOutput
        var expires: Date?
    }

    public let id: String
    private let transport: any HTTPTransport
    private let now: @Sendable () -> Date
    private let paired = Mutex<Paired?>(nil)

    /// Creates an output that is not paired yet.
    ///
    /// ```swift
    /// let desktop = PairedOutput()
    /// let pipeline = try Pipeline(directory: folder) { Route("**", to: desktop) }
    /// try pipeline.setEnabled(false, output: desktop.id)
    /// ```
    /// - Parameters:
    ///   - id: The name under which undelivered records are kept. Default: `paired`.
    ///   - transport: Sends the requests. Default: `DefaultTransport`.
    ///   - now: The time. Default: the system's.
    public init(
        id: String = "paired", transport: any HTTPTransport = DefaultTransport(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.id = id
        self.transport = transport
        self.now = now
    }

    public var isPaired: Bool { current != nil }

    /// Sends to a pairing's collector from now on; `nil` ends the pairing.
    public func use(_ pairing: Pairing?) {
        let next = pairing.map {
            Paired(
                output: OTLPOutput(endpoint: $0.collector, key: $0.key, id: id, transport: transport),
                expires: $0.expires)
        }
        paired.withLock { $0 = next }
    }

    public func send(_ batch: Batch) async -> Delivery {
        guard let output = current else { return .partly(rejected: batch.records.count) }
        return await output.send(batch)
    }

    private var current: OTLPOutput? {
        let time = now()
        return paired.withLock { paired in
            guard let now = paired, now.expires.map({ $0 > time }) ?? true else { return nil }
            return now.output
        }
    }
}

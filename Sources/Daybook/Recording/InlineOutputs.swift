import DaybookBase

/// The outputs called on the logging threads, with their accounting and context, which the journal does not provide.
/// Safe to share.
final class InlineOutputs: Sendable {
    private final class Account: Sendable {
        let accepted = Atomic<UInt64>(0)
        let delivered = Atomic<UInt64>(0)
        let transformed = Atomic<UInt64>(0)

        var ledger: Ledger {
            // Accepted is read last, so that no record counts as done before it was accepted.
            let done = (delivered.load(ordering: .acquiring), transformed.load(ordering: .acquiring))
            var ledger = Ledger()
            ledger.accepted = accepted.load(ordering: .relaxed)
            ledger.delivered = done.0
            if done.1 > 0 { ledger.dropped[.transformed] = done.1 }
            return ledger
        }
    }

    private struct Place: Sendable {
        let index: Int
        let output: any Output
        let transform: RouteTransform?
        let account = Account()
    }

    private let places: [Place]
    private let context = Mutex<Attributes>([:])

    init(_ outputs: [Route.Target], _ transforms: [RouteTransform?]) {
        places = outputs.enumerated().compactMap { index, target in
            guard case .output(let output, .inline) = target else { return nil }
            return Place(index: index, output: output, transform: transforms[index])
        }
    }

    func setContext(_ attributes: @autoclosure () -> Attributes) {
        guard !places.isEmpty else { return }
        let attributes = attributes()
        context.withLock { $0 = attributes }
    }

    func write(_ record: Record, to outputs: RouteMask) {
        var record = record
        record.context = context.withLock { $0 }
        for place in places where outputs.contains(RouteMask(output: place.index)) {
            place.account.accepted.add(1, ordering: .relaxed)
            CallScope.output(place.index).run {
                guard let result = place.transform.map({ $0.transformed(record) }) ?? record else {
                    place.account.transformed.add(1, ordering: .sequentiallyConsistent)
                    return
                }
                place.output.write(result)
                place.account.delivered.add(1, ordering: .sequentiallyConsistent)
            }
        }
    }

    func start(_ record: Record, for outputs: RouteMask) {
        var record = record
        record.context = context.withLock { $0 }
        for place in places where outputs.contains(RouteMask(output: place.index)) {
            CallScope.output(place.index).run {
                if let result = place.transform.map({ $0.transformed(record) }) ?? record { place.output.start(result) }
            }
        }
    }

    /// Ledgers by output id. A record that an output is still writing is pending.
    var ledgers: [String: Ledger] {
        places.reduce(into: [:]) { $0[$1.output.id] = $1.account.ledger }
    }
}

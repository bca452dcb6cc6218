import DaybookBase

/// The outputs that are called on the logging threads: their accounting, and the context that their records get, which
/// no journal adds for them. Safe to share.
final class InlineOutputs: Sendable {
    /// Counts of one output.
    private final class Account: Sendable {
        let accepted = Atomic<UInt64>(0)
        let delivered = Atomic<UInt64>(0)
        let transformed = Atomic<UInt64>(0)

        var ledger: Ledger {
            // What has been accepted last, so that a record is never done with before it was accepted.
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

    /// Sets what records written from now on have in common.
    func setContext(_ attributes: @autoclosure () -> Attributes) {
        guard !places.isEmpty else { return }
        let attributes = attributes()
        context.withLock { $0 = attributes }
    }

    /// Hands a record to those of the outputs that are to get it.
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

    /// Tells those of the outputs that take starts that a span has begun.
    func start(_ record: Record, for outputs: RouteMask) {
        var record = record
        record.context = context.withLock { $0 }
        for place in places where outputs.contains(RouteMask(output: place.index)) {
            CallScope.output(place.index).run {
                if let result = place.transform.map({ $0.transformed(record) }) ?? record { place.output.start(result) }
            }
        }
    }

    /// The accounting by output id. What an output is in the middle of is pending.
    var ledgers: [String: Ledger] {
        places.reduce(into: [:]) { $0[$1.output.id] = $1.account.ledger }
    }
}

import DaybookStore

/// Parses a query with the names that a route accepts.
package struct ParameterReader {
    package let parameters: Parameters
    package var filter: FilterParameters

    /// - Parameter sight: The sight unless `private=show` is given. Default: `nil`, masked.
    package init(_ parameters: Parameters, _ filters: FilterContext, sight: Sight? = nil) {
        self.parameters = parameters
        filter = FilterParameters(filters, isLive: parameters.contains { $0.name == "live" }, sight: sight)
    }

    /// Narrowed to the records of the run that `run` names.
    /// - Throws: ``StoreError``, or ``Problem`` for an unknown run, or one of another scope.
    package init(narrowing parameters: Parameters, _ filters: FilterContext, in store: any EventStore) async throws {
        self.init(try await Self.narrowed(parameters, in: store), filters)
    }

    /// Passes parameters that are not filters to `read`.
    package mutating func read(
        own names: Set<String>, _ read: (_ name: String, _ value: String) throws(Problem) -> Void
    ) throws(Problem) {
        for (name, value) in parameters {
            guard names.contains(name) || FilterParameters.names.contains(name) else {
                throw Problem(.badRequest, "\(name) is for sort=time; by arrival there are after and before.")
            }
            if names.contains(name) { try read(name, value) } else { try filter.read(name, value) }
        }
        try filter.finish()
    }

    /// Replaces `run=ID` by the run's bounds and scope.
    private static func narrowed(_ parameters: Parameters, in store: any EventStore) async throws -> Parameters {
        guard let text = parameters.first(where: { $0.name == "run" })?.value else { return parameters }
        guard let id = Int64(text) else { throw Problem(.badRequest, "run is the number of a run, not “\(text)”.") }
        let run = try await StoredRun(id, in: store)
        var narrowed = parameters.filter { $0.name != "run" }
        func bound(_ name: String, _ limit: Int64, _ choose: (Int64, Int64) -> Int64) throws(Problem) {
            let text = narrowed.first { $0.name == name }?.value
            let own = try text.map { text throws(Problem) in
                try FilterParameters.number(name, text, in: 0...Int64.max)
            }
            narrowed.removeAll { $0.name == name }
            narrowed.append((name, String(own.map { choose($0, limit) } ?? limit)))
        }
        // Sorted by time, `after` and `before` are positions.
        let isByTime = try RecordParameters.areByTime(parameters)
        try bound(isByTime ? "arrived_after" : "after", run.id, max)
        if let end = run.end { try bound(isByTime ? "arrived_before" : "before", end.number, min) }
        let scope = run.start.scope
        let own = [
            ("installation", scope.installation), ("session", scope.session), ("version", scope.version),
        ]
        for case (let name, let value?) in own {
            if let other = narrowed.first(where: { $0.name == name })?.value, other != value {
                throw Problem(.badRequest, "The run \(id) is of the \(name) \(value), not “\(other)”.")
            }
            narrowed.removeAll { $0.name == name }
            narrowed.append((name, value))
        }
        return narrowed
    }
}

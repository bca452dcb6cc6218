import DaybookStore

protocol ServerStore: EventStore {
    associatedtype Reader: ServerReader

    /// Cancels the reader with the task.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Reader) throws(Reader.Failure) -> Value
    ) async throws -> Value
}

extension ServerStore {
    package func slice(_ query: RecordQuery) async throws -> RecordSlice {
        try await read { reader throws(Reader.Failure) in try reader.slice(query) }
    }

    package func slice(_ query: TimeQuery) async throws -> TimeSlice {
        try await read { reader throws(Reader.Failure) in try reader.slice(query) }
    }

    package func head() async throws -> Int64 {
        try await read { reader throws(Reader.Failure) in try reader.plausibleHead() }
    }

    package func timeBounds(within times: Range<Int64>?) async throws -> ClosedRange<Int64>? {
        try await read { reader throws(Reader.Failure) in try reader.timeBounds(within: times) }
    }

    package func histogram(_ query: HistogramQuery) async throws -> Histogram {
        try await read { reader throws(Reader.Failure) in try reader.histogram(query) }
    }

    package func facets(_ query: FacetQuery) async throws -> Facets {
        try await read { reader throws(Reader.Failure) in try reader.facets(query) }
    }

    package func sessions(_ query: SessionQuery) async throws -> [SessionSummary] {
        try await read { reader throws(Reader.Failure) in try reader.sessions(query) }
    }

    package func tagSummaries(after position: TagPosition?) async throws -> TagPage {
        try await read { reader throws(Reader.Failure) in try reader.tags(after: position) }
    }

    package func ledger(_ query: LedgerQuery) async throws -> LedgerPage {
        try await read { reader throws(Reader.Failure) in try reader.ledger(query) }
    }
}

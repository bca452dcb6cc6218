/// What every store does when it erases: the condition is checked first, then one page of records after another goes.
extension RecordFilter {
    /// - Throws: ``StoreError``, `badStatement` where there is no condition: nobody erases everything by a slip.
    package func checkForErasing() throws(StoreError) {
        guard isEmpty else { return }
        throw StoreError(.badStatement, "Erasing needs a condition. To erase everything, delete the store.")
    }

    /// The installation, where it is the only condition: then nothing that names it is to stay.
    package var onlyInstallation: String? {
        var other = self
        other.installation = nil
        return other.isEmpty ? installation : nil
    }
}

extension EventStore {
    /// Finds the records that match, the oldest first, and has them deleted page by page, so that appends get their turn
    /// between two pages.
    /// - Parameters:
    ///   - pageSize: records that are deleted at once.
    ///   - delete: deletes the records with these arrival numbers, and says how many were still there.
    /// - Returns: how many were deleted.
    /// - Throws: ``StoreError``. What was deleted before stays deleted.
    package func erasePages(
        of filter: RecordFilter, pageSize: Int, delete: (_ ids: [Int64]) async throws -> Int64
    ) async throws -> Int64 {
        var query = RecordQuery()
        query.filter = filter
        query.order = .oldestFirst
        query.limit = pageSize
        var erased: Int64 = 0
        while true {
            let slice = try await slice(query)
            if !slice.records.isEmpty { erased += try await delete(slice.records.map(\.id)) }
            guard let next = slice.next else { return erased }
            query = query.resumed(at: next)
        }
    }
}

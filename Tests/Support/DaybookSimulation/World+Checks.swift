import DaybookBase
import DaybookStore
import DaybookTools

/// What must hold after each step.
extension World {
    /// For how long a failure of the store counts against the collector's health, in nanoseconds.
    private static let healthMemory: UInt64 = 30_000_000_000
    /// The most notices that may wait: one for each label and its end, over some evaluations.
    private static let mostNotices: Int64 = 1_000

    /// The store has the records that were sent, once.
    func checkStore() async throws {
        try await readStore()
        for (marker, found) in stored.markers {
            try promise(.storedOnceAndSent, found.copies == 1, "\(marker) is stored \(found.copies) times")
            try promise(.storedOnceAndSent, wasMade(marker), "\(marker) is stored, and nobody sent it")
            try promise(.erasedStaysErased, !stored.erased.contains(marker), "\(marker) was erased and is stored")
        }
        for marker in traffic.acknowledged where stored.markers[marker] == nil {
            try promise(
                .acknowledgedIsStored, stored.erased.contains(marker), "\(marker) was acknowledged and is not stored")
        }
    }

    private func readStore() async throws {
        var query = RecordQuery()
        (query.order, query.after, query.limit) = (.oldestFirst, stored.last, 1_000)
        while true {
            let slice = try await collector.store.wholeSlice(query)
            for record in slice.records {
                let marker = marker(of: record.row)
                if marker?.hasPrefix("mallory-") == true {
                    try promise(
                        .ownRecordsAreOurs, !OwnRecords.have(record.row.tag),
                        "a sending key has written a record of \(record.row.tag)")
                }
                let isHonest = marker.map { !$0.hasPrefix("mallory-") } ?? false
                stored.note(isHonest ? marker : nil, id: record.id, now: clock.clock.wall())
            }
            guard let next = slice.next else { return }
            query = query.resumed(at: next)
        }
    }

    private func marker(of row: RecordRow) -> String? {
        guard case .object(let attributes)? = try? JSONReader.value(of: Array(row.attributes.utf8)) else { return nil }
        return attributes[Marker.attribute]?.text
    }

    private func wasMade(_ marker: String) -> Bool {
        guard let dash = marker.lastIndex(of: "-"), let number = Int(marker[marker.index(after: dash)...]) else {
            return false
        }
        let sender = marker[..<dash]
        if sender == "older" { return (1...max(older.last, 1)).contains(number) }
        return clients.first { $0.name == sender }.map { (1...max($0.logged.count, 1)).contains(number) } ?? false
    }

    /// Each sender's accounts are exact, its own and the store's.
    func checkSenders() async throws {
        for client in clients {
            let mistake = await client.mistakeInAccounts()
            try promise(.accountsAreExact, mistake == nil, mistake ?? "")
            if let before = revoked[client.name] {
                try promise(
                    .revokedKeysAreClosed, stored.count(of: client.name) <= before,
                    "\(client.name)'s key was revoked, and more of its records are stored")
            }
        }
        var accounts = traffic.accounts
        var query = LedgerQuery()
        repeat {
            let page = try await collector.store.ledger(query)
            for ledger in page.ledgers {
                guard let stream = honestStream(of: ledger), let account = accounts.removeValue(forKey: stream) else {
                    continue
                }
                try checkAccount(of: ledger, account)
            }
            query.after = page.next
        } while query.after != nil
        for (stream, account) in accounts {
            try promise(.sendersAreIsolated, account.certain.intervals.isEmpty, "\(stream) has no account")
        }
    }

    /// The stream of an account with an honest owner; what others claim about it has accounts of its own.
    private func honestStream(of ledger: StreamLedger) -> String? {
        let parts = ledger.stream.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, parts[0].hasPrefix("proof:") || parts[0] == "unproven:older" else { return nil }
        return String(parts[1])
    }

    private func checkAccount(of ledger: StreamLedger, _ account: Traffic.Account) throws {
        let settled = IntervalSet(ledger.settled)
        try promise(
            .sendersAreIsolated, account.certain.isSubset(of: settled),
            "a stream has settled \(settled.intervals), and its sender was answered for \(account.certain.intervals)")
        try promise(
            .sendersAreIsolated, settled.isSubset(of: account.possible),
            "a stream has settled \(settled.intervals), and its sender sent \(account.possible.intervals)")
        try promise(
            .sendersAreIsolated, ledger.losses.isEmpty, "\(ledger.losses) are said to be lost, and no sender said so")
    }

    func checkCollector() async throws {
        let now = clock.clock.monotonic()
        failure = collector.isStoreFailing ? failure ?? now : nil
        let health = await collector.ask("/healthz", key: "").status
        if let failure {
            let isRecent = now - failure < Self.healthMemory
            try promise(.healthIsTrue, !isRecent || health == 503, "the store fails, and the health is \(health)")
        } else {
            try promise(.healthIsTrue, health == 200, "the store takes records, and the health is \(health)")
        }
        let notices = await collector.notices()
        let settled = collector.settledNotices + notices.settled
        try promise(
            .noticesArriveOrWait, settled + notices.waiting == Int64(collector.target.told),
            "\(collector.target.told) notices were to be told, \(settled) were, and \(notices.waiting) wait")
        try promise(.noticesArriveOrWait, notices.waiting <= Self.mostNotices, "\(notices.waiting) notices wait")
        try promise(
            .privateStaysPrivate, !collector.target.bodies.contains { $0.contains("secret-") },
            "a webhook was told a private value")
        guard let run else { return }
        let runs = await collector.ask("/api/v1/runs", key: collector.keys.token.text)
        try promise(
            .ownRecordsAreOurs, !runs.text.contains("mallory") && isOpen(run, in: runs.data("runs")),
            "a sending key has ended or signed the run \(run)")
    }

    /// Whether a run that nobody ended is still open; an erased one is not listed.
    private func isOpen(_ run: Int64, in list: Value?) -> Bool {
        guard case .array(let runs)? = list else { return false }
        return !runs.contains { entry in
            guard case .object(let entry) = entry, case .int(run)? = entry["id"] else { return false }
            return entry["finished"] != .null
        }
    }

    /// Once all faults are over.
    func checkEnd() async throws {
        stored.erase { _, _ in false }
        try await checkStore()
        for client in clients {
            let pending = await client.pending()
            try promise(.everythingArrives, pending == 0, "\(client.name) still has \(pending) records")
            for marker in client.logged where stored.markers[marker] == nil {
                try promise(.everythingArrives, stored.erased.contains(marker), "\(marker) is lost")
            }
        }
        for _ in 0..<10 {
            clock.advance(by: .seconds(600))
            await collector.keepAlerts()
        }
        let waiting = await collector.notices().waiting
        try promise(.noticesArriveOrWait, waiting == 0, "\(waiting) notices wait for a target that answers")
    }
}

extension IntervalSet {
    fileprivate func isSubset(of other: IntervalSet) -> Bool {
        var union = other
        for interval in intervals { union.insert(interval) }
        return union == other
    }
}

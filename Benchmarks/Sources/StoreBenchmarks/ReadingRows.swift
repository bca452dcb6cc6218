import DaybookStore
import Foundation

/// Fills a store, waits for its index, and times what the inspector asks.
struct ReadingRows {
    let path: String
    let rows: Int

    func run() async throws {
        let store = try SQLiteStore(path: path)
        try await fill(store)
        print("file \(megabytes(path)) MB, index \(megabytes(path + "-index")) MB")
        try await page("newest page", store) { _ in }
        for text in ["needle", "東京特許", "許可", "局", "肉じゃ", "献立", "卵", "egg", "x", "absent text", "ffff", "7312", "salt"] {
            try await page("text “\(text)”", store) { $0.text = text }
        }
        try await page("absent, its parts common", store) { $0.text = "recipecarrot" }
        try await page("tag", store) { $0.tag = "category4.event_name_38" }
        try await page("tag pattern", store) { $0.tag = "category4.**" }
        try await page("errors", store) { $0.kinds = ["error"] }
        try await page("one session", store) { $0.session = "session-\(rows / 600)" }
        try await page("absent session", store) { $0.session = "none" }
        try await page("installation and text", store) { filter in
            filter.installation = "installation-7"
            filter.text = "卵焼き"
        }
        try await page("version", store) { $0.version = "8.0.0" }
        try await page("uid", store) { $0.uid = "0123456789abcdef0123456789abcdef0123456789abcdef-\(rows / 2)" }
        try await page("a minute of time", store) { filter in
            filter.since = 1_763_000_000_000_000_000 + Int64(rows / 2) * 250_000_000
            filter.until = filter.since.map { $0 + 60_000_000_000 }
        }
        try await counts(store)
    }

    private func fill(_ store: SQLiteStore) async throws {
        let head = Int(try await store.head())
        var sample = SampleRows()
        for _ in 0..<head { _ = sample.row() }
        let start = ContinuousClock.now
        var time = Duration.zero
        for _ in stride(from: head, to: rows, by: 4_096) {
            let batch = RecordBatch(rows: (0..<4_096).map { _ in sample.row() })
            let before = ContinuousClock.now
            try await store.append(batch)
            time += ContinuousClock.now - before
        }
        if head < rows {
            print("appended \(rows - head) rows, \(Int(Double(rows - head) / time.seconds)) rows/s in append")
        }
        await store.settleIndex()
        print(
            "appended and indexed after \((ContinuousClock.now - start).seconds.rounded()) s, "
                + "CPU \((ProcessTime.now / 1_000).rounded()) s with making the rows")
    }

    private func page(_ name: String, _ store: SQLiteStore, _ change: (inout RecordFilter) -> Void) async throws {
        var query = RecordQuery()
        change(&query.filter)
        query.limit = 50
        var first: [Double] = []
        var slice = try await store.slice(query)
        let work = ProcessTime.now
        for _ in 0..<5 {
            let start = ContinuousClock.now
            slice = try await store.slice(query)
            first.append((ContinuousClock.now - start).seconds * 1_000)
        }
        let cpu = (ProcessTime.now - work) / 5
        let start = ContinuousClock.now
        let whole = try await store.page(query).count
        let total = (ContinuousClock.now - start).seconds * 1_000
        report(
            name, first, cpu,
            "\(slice.records.count) rows\(slice.isPartial ? " so far" : ""); page of \(whole) in \(round(total)) ms")
    }

    private func counts(_ store: SQLiteStore) async throws {
        guard let bounds = try await store.timeBounds() else { return }
        let hour: Int64 = 3_600_000_000_000
        let start = bounds.lowerBound / hour * hour
        let hours = (bounds.upperBound - start) / hour + 1
        try await time("histogram of all, by hours") {
            _ = try await store.histogram(HistogramQuery(start: start, width: (hours + 99) / 100 * hour, count: 100))
        }
        try await time("histogram of a tag pattern, by minutes") {
            var query = HistogramQuery(start: start + hours / 2 * hour, width: hour / 60, count: 120, split: .level)
            query.filter.tag = "category1.**"
            _ = try await store.histogram(query)
        }
        try await time("histogram of a text, first answer") {
            var query = HistogramQuery(start: start, width: (hours + 99) / 100 * hour, count: 100)
            query.filter.text = "卵焼き"
            _ = try await store.histogram(query)
        }
        try await time("facets of all") { _ = try await store.facets(FacetQuery()) }
        try await time("facets of errors, first answer") {
            var query = FacetQuery()
            query.filter.kinds = ["error"]
            _ = try await store.facets(query)
        }
        try await time("50 sessions") { _ = try await store.sessions(SessionQuery()) }
        try await time("tag summaries") { _ = try await store.tagSummaries() }
        try await time("time bounds") { _ = try await store.timeBounds() }
    }

    private func time(_ name: String, _ body: () async throws -> Void) async throws {
        try await body()
        var times: [Double] = []
        let work = ProcessTime.now
        for _ in 0..<5 {
            let start = ContinuousClock.now
            try await body()
            times.append((ContinuousClock.now - start).seconds * 1_000)
        }
        report(name, times, (ProcessTime.now - work) / 5, "")
    }

    private func report(_ name: String, _ times: [Double], _ cpu: Double, _ note: String) {
        let sorted = times.sorted()
        print("\(name): \(round(sorted[2])) ms (\(round(sorted[0]))–\(round(sorted[4]))), CPU \(round(cpu)) ms \(note)")
    }

    private func round(_ value: Double) -> Double { (value * 100).rounded() / 100 }

    private func megabytes(_ path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return ((attributes?[.size] as? Int) ?? 0) >> 20
    }
}

/// Milliseconds of processor time that this process has used: beside the time on the clock it tells what a busy machine
/// adds.
enum ProcessTime {
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

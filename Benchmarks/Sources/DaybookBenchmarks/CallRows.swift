import Daybook
import Foundation
import Synchronization

/// The cost of a log call, for each way to log and its comparisons.
struct CallRows {
    private let options: BenchmarkOptions
    private let directory: URL

    init(_ options: BenchmarkOptions) {
        self.options = options
        directory = options.directory
    }

    struct Row {
        let id: String
        let name: String
        /// The limit as a multiple of the repetition's first row.
        var ratio: Double?
        /// The limit in nanoseconds on the reference machine.
        var nanoseconds: Double?
        /// The limit in allocations a call.
        var allocations: Double?
        /// Calls of `perform` in a repetition.
        var count = 100_000
        /// Calls in a stretch; the median stretch is the row's figure.
        var stretch = 20
        /// Whether each call stores a Daybook record.
        var isStored = true
        let perform: (Int) -> Void
    }

    /// Prints the table.
    ///
    /// - Returns: How slow the machine is.
    func run() throws -> Scale {
        let rows = try Self.rows(in: directory)
        var results = [[Measurement]](repeating: [], count: rows.count)
        for row in rows { row.perform(row.count / 10) }
        for _ in 0..<options.repetitions {
            for (index, row) in rows.enumerated() {
                // Lets the drain thread finish the previous row's work.
                Thread.sleep(forTimeInterval: 0.02)
                results[index].append(.of(row.count, stretch: row.stretch, row.perform))
            }
        }
        let scale = Scale(limit: results[0].map(\.hot).median)
        print(scale.text)
        print(
            "\n| What | ns per call | × limit | in a row | × alone | allocations | target | met |\n"
                + "|---|---:|---:|---:|---:|---:|---:|:-:|"
        )
        for (row, measured) in zip(rows, results) { print(Self.line(row, measured, limit: results[0], scale)) }
        return scale
    }

    /// Only a row's calls, for a profiler.
    static func repeatCalls(of id: String, count: Int, in directory: URL) throws {
        let rows = try rows(in: directory)
        guard let row = rows.first(where: { $0.id == id }) else {
            throw UsageError("no row \(id); there are " + rows.map(\.id).joined(separator: ", "))
        }
        row.perform(count)
    }

    private static func line(
        _ row: Row, _ measured: [Measurement], limit: [Measurement], _ scale: Scale
    ) -> String {
        let times = measured.map(\.hot)
        let ratio = zip(measured, limit).map { $0.hot / $1.hot }.median
        let allocations = measured.map(\.allocations).median
        let inRow = measured.map { $0.nanoseconds / $0.hot }.median
        var targets: [String] = []
        var isMet = true
        if let most = row.ratio {
            targets.append("≤ \(most.text(1))×")
            isMet = isMet && ratio <= most
        }
        if let most = row.nanoseconds {
            targets.append(scale.most(most, in: .nanosecond))
            isMet = isMet && times.median <= scale.most(most)
        }
        if let most = row.allocations {
            targets.append("≤ \(most.text(0)) allocations")
            // A new segment every 10,000 calls allocates, which is not part of a call.
            isMet = isMet && allocations < most + 0.01
        }
        if row.isStored {
            targets.append("≤ 1.6× in a row")
            isMet = isMet && inRow <= 1.6
        }
        let verdict = targets.isEmpty ? "–" : isMet ? "yes" : "**no**"
        return "| \(row.name) | \(times.median.text(1)) | \(ratio.text(2)) "
            + "| \(measured.map(\.nanoseconds).median.text(1)) | \(inRow.text(2)) | \(allocations.text(3)) | \(targets.isEmpty ? "–" : targets.joined(separator: ", ")) | \(verdict) |"
    }

    static func rows(in directory: URL) throws -> [Row] {
        let ring = try CRing(in: directory)
        let swiftRing = SwiftRing()
        let file = try WrittenFile(in: directory)
        let table = try WrittenTable(in: directory)
        let pipeline = try Pipeline(directory: directory.appendingPathComponent("calls")) {
            Route("**", to: DiscardingOutput(), level: .info)
        }
        let log = pipeline.log("app.search")
        let visit = Sample.visit
        let appending = try filtered(in: directory, "append") { Append("recipe_search.**", ["experiment": "b"]) }
        let sampling = try filtered(in: directory, "sample") { Daybook.Sample("recipe_search.**", rate: 0.999_999) }
        let dropping = try filtered(in: directory, "drop") { Drop("recipe_search.**") }
        let redacting = try filtered(in: directory, "redact") { Redact.credentials }
        let rewriting = try filtered(in: directory, "rewrite") { Map("**") { _, _ in } }
        return [
            Row(id: "limit", name: "C: clock + encode into a warm mapped ring (**the limit**)", isStored: false) {
                ring.log($0)
            },
            Row(id: "swift", name: "Swift: the same with `String` and `Mutex`", isStored: false) { count in
                for index in 0..<count {
                    swiftRing.log(
                        keyword: Sample.keyword, recipe: Int64(index), position: 7, isCold: true, visit: visit)
                }
            },
            Row(id: "write", name: "`write(2)` of 120 bytes to a file", count: 20_000, isStored: false) {
                file.log($0)
            },
            Row(id: "sqlite", name: "SQLite: one transaction per event (WAL, NORMAL)", count: 5_000, isStored: false) {
                table.log($0)
            },
            Row(
                id: "disabled", name: "disabled level, with attributes", nanoseconds: 2, allocations: 0, stretch: 1000,
                isStored: false
            ) { count in
                for index in 0..<count { log.debug("A search started \(index)", ["recipe_id": Value(index)]) }
            },
            Row(id: "typed", name: "typed event, 5 columns", ratio: 3.2, allocations: 0) { count in
                for index in 0..<count {
                    log.post(
                        RecipeSearch.search(
                            keyword: Sample.keyword, recipeId: Int64(index), position: 7, isCold: true, visit: visit))
                }
            },
            Row(id: "untyped", name: "untyped event, 5 attributes as a literal", ratio: 5.5, allocations: 1) { count in
                for index in 0..<count {
                    log.post(
                        "recipe_search.search",
                        [
                            "keyword": .string(Sample.keyword), "recipe_id": .int(Int64(index)), "position": 7,
                            "is_cold": true, "visit": .string(visit),
                        ])
                }
            },
            Row(
                id: "builder", name: "untyped event, 5 attributes set in a closure", ratio: 3.2, allocations: 1
            ) { count in
                for index in 0..<count {
                    log.post("recipe_search.search") {
                        $0["keyword"] = Sample.keyword
                        $0["recipe_id"] = index
                        $0["position"] = 7
                        $0["is_cold"] = true
                        $0["visit"] = visit
                    }
                }
            },
            Row(id: "message", name: "message with source location", nanoseconds: 150) { count in
                for _ in 0..<count { log.info("A search started") }
            },
            typed("append", "typed event through `Append` of one attribute", appending),
            typed("sample", "typed event through `Sample` that keeps nearly all", sampling),
            typed("drop", "typed event that `Drop` drops", dropping, allocations: 0, isStored: false),
            typed("redact", "typed event through `Redact.credentials`, nothing to redact", redacting, nanoseconds: 400),
            Row(
                id: "redact-message", name: "message with source location through `Redact.credentials`, the same"
            ) { count in
                let log = redacting.log("app.search")
                for _ in 0..<count { log.info("A search started") }
            },
            Row(
                id: "redacted", name: "message through `Redact.credentials`, one credential in it", count: 20_000
            ) { count in
                let log = redacting.log("app.search")
                for _ in 0..<count { log.info("password=hunter2 was refused") }
            },
            typed("rewrite", "typed event through `Map`, which builds the record", rewriting, count: 20_000),
        ]
    }

    private static func filtered(
        in directory: URL, _ name: String, @PipelineBuilder _ filter: () -> [PipelineBuilder.Part]
    ) throws -> Pipeline<EmptyContext> {
        let parts = filter()
        return try Pipeline(directory: directory.appendingPathComponent(name)) {
            for part in parts { part }
            Route("**", to: DiscardingOutput(), level: .info)
        }
    }

    /// The typed event through a pipeline's filters.
    private static func typed(
        _ id: String, _ name: String, _ pipeline: Pipeline<EmptyContext>, nanoseconds: Double? = nil,
        allocations: Double? = nil, count: Int = 100_000, isStored: Bool = true
    ) -> Row {
        let log = pipeline.log()
        let visit = Sample.visit
        return Row(
            id: id, name: name, nanoseconds: nanoseconds, allocations: allocations, count: count, isStored: isStored
        ) { count in
            for index in 0..<count {
                log.post(
                    RecipeSearch.search(
                        keyword: Sample.keyword, recipeId: Int64(index), position: 7, isCold: true, visit: visit))
            }
        }
    }
}

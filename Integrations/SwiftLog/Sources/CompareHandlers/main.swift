// Compares a swift-log call's cost with this handler and with swift-log's stream handler:
// swift run -c release --package-path Integrations/SwiftLog CompareHandlers
import Daybook
import DaybookSwiftLog
import Foundation
import Logging

struct Comparison {
    private static let calls = 20
    private static let stretches = 4_000

    /// Nanoseconds per call in one stretch.
    private static func stretch(_ logger: Logger) -> Double {
        let time = ContinuousClock().measure {
            for call in 0..<calls {
                logger.info(
                    "recipe shown",
                    metadata: [
                        "recipe_id": "\(call)", "position": "3", "cold": "true", "source": "search",
                        "keyword": "omelette with cheese",
                    ])
            }
        }
        return time / .nanoseconds(1) / Double(calls)
    }

    /// Nanoseconds per call of each logger: the median of many short stretches, in turns, so that other load affects
    /// all alike.
    private static func measure(_ loggers: [Logger]) -> [Double] {
        var times = loggers.map { _ in [Double]() }
        for _ in 0..<stretches {
            for (index, logger) in loggers.enumerated() { times[index].append(stretch(logger)) }
        }
        return times.map { $0.sorted()[stretches / 2] }
    }

    static func run() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        let pipeline = try Pipeline(directory: directory) { Route("**", to: Discarding()) }
        guard let nowhere = fopen("/dev/null", "w"), dup2(fileno(nowhere), STDERR_FILENO) >= 0 else { return }
        let rows: [(String, Logger)] = [
            ("SwiftLogNoOpLogHandler", Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }),
            (
                "StreamLogHandler to /dev/null",
                Logger(label: "bench", factory: { StreamLogHandler.standardError(label: $0) })
            ),
            ("DaybookLogHandler, in the journal", Logger(label: "bench") { DaybookLogHandler(log: pipeline.log($0)) }),
        ]
        for (row, time) in zip(rows, measure(rows.map(\.1))) { print("\(Int(time)) ns  \(row.0)") }
    }
}

struct Discarding: BatchOutput {
    let id = "discarding"
    func send(_ batch: Batch) async -> Delivery { .delivered }
}

try Comparison.run()

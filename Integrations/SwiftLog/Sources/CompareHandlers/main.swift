// What a swift-log call costs with this handler, and with swift-log's own stream handler, in one run:
// swift run -c release --package-path Integrations/SwiftLog CompareHandlers
import Daybook
import DaybookSwiftLog
import Foundation
import Logging

struct Comparison {
    static let calls = 200_000

    /// Nanoseconds per call, the best of three rounds.
    static func measure(_ logger: Logger) -> Double {
        let clock = ContinuousClock()
        let rounds = (0..<3).map { _ in
            clock.measure {
                for call in 0..<calls {
                    logger.info(
                        "recipe shown",
                        metadata: [
                            "recipe_id": "\(call)", "position": "3", "cold": "true", "source": "search",
                            "keyword": "omelette with cheese",
                        ])
                }
            }
        }
        return rounds.map { Double($0.components.attoseconds) / 1e9 + Double($0.components.seconds) * 1e9 }.min()!
            / Double(calls)
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
        for (name, logger) in rows { print("\(Int(measure(logger))) ns  \(name)") }
    }
}

struct Discarding: BatchOutput {
    let id = "discarding"
    func send(_ batch: Batch) async -> Delivery { .delivered }
}

try Comparison.run()

import Daybook
import DaybookTesting
import Foundation

/// The numbers that arrive when this process delivers what `CrashWriter` left.
func numbers(deliveredFrom directory: String) async throws -> [Int64] {
    try await records(deliveredFrom: directory).compactMap { record in
        guard case .int(let number)? = record.attributes["number"], record.tag == "crash.record" else { return nil }
        return number
    }
}

func records(deliveredFrom directory: String) async throws -> [Record] {
    let collector = CollectingOutput(id: "collector")
    let pipeline = try Pipeline(directory: URL(fileURLWithPath: directory)) {
        Route("**", to: collector)
    }
    try await pipeline.flush(deadline: .seconds(60))
    await pipeline.shutdown(deadline: .seconds(60))
    return collector.records
}

import Daybook
import DaybookTracing
import Foundation
import Tracing

// The code of docs/guides/tracing-and-metrics.md; a test keeps the two equal.

func startTracing(directory: URL) throws {
    Log.install(try Pipeline(directory: directory) { Route("**", to: ConsoleOutput()) })
    InstrumentationSystem.bootstrap(DaybookTracer())
}

func cook(_ id: Int) async throws {
    try await withSpan("cook") { span in
        span.attributes["recipe_id"] = id
        Log("kitchen").info("The pan is hot")
        try await Task.sleep(for: .seconds(1))
    }
}

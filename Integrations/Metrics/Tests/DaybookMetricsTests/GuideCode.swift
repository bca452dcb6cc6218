import Daybook
import DaybookMetrics
import Foundation
import Metrics

// The code of docs/guides/tracing-and-metrics.md; a test keeps the two equal.

func startMetrics(directory: URL) throws {
    Log.install(try Pipeline(directory: directory) { Route("**", to: ConsoleOutput()) })
    let metrics = DaybookMetrics()
    MetricsSystem.bootstrap(metrics)
    Task { await metrics.run() }
}

func serve() {
    Counter(label: "requests", dimensions: [("route", "/recipes")]).increment()
}

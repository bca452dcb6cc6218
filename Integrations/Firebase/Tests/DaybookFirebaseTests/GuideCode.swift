import Daybook
import DaybookFirebase
import Foundation
import PublishedFirebase

// The code of docs/guides/outputs.md, compiled against Firebase's published signatures; a test keeps the two equal.

func startLogging(directory: URL) throws {
    let pipeline = try Pipeline(directory: directory) {
        Route("**", to: CrashlyticsOutput { Crashlytics.crashlytics() }, level: .warning, timing: .inline)
        Route("**", to: PerformanceOutput { Performance.startTrace(name: $0) }, timing: .inline)
        Route("**", to: AnalyticsOutput(report: { print($0) }) { Analytics.logEvent($0, parameters: $1) })
    }
    Log.install(pipeline)
}

func crashlyticsWithFrames() -> CrashlyticsOutput<Crashlytics> {
    CrashlyticsOutput(exception: { issue in
        let model = ExceptionModel(name: issue.name, reason: issue.reason)
        model.stackTrace = issue.frames.map { StackFrame(symbol: $0.symbol, file: $0.file, line: $0.line) }
        return model
    }) { Crashlytics.crashlytics() }
}

import Daybook
import DaybookSwiftLog
import Foundation
import Logging

// The code of docs/guides/swift-log.md; a test keeps the two equal.

func startLogging(directory: URL) throws {
    let pipeline = try Pipeline(directory: directory) {
        Route("**", to: ConsoleOutput(), level: .debug)
    }
    Log.install(pipeline)
    LoggingSystem.bootstrap(DaybookLogHandler.init)
}

func startLogging(directory: URL, requestMetadata: Logger.MetadataProvider) throws {
    Log.install(try Pipeline(directory: directory) { Route("**", to: ConsoleOutput()) })
    LoggingSystem.bootstrap(
        { DaybookLogHandler(label: $0, metadataProvider: $1) }, metadataProvider: requestMetadata)
}

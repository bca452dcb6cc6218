import Foundation

do {
    try await IngestBenchmarks(CommandLine.arguments.dropFirst()).run()
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(2)
}

import Foundation

do {
    try await IngestBenchmarks(CommandLine.arguments.dropFirst()).run()
} catch let missed as Attacks.Missed {
    FileHandle.standardError.write(Data("\(missed)\n".utf8))
    exit(1)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(2)
}

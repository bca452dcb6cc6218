import Foundation

do {
    let options = try BenchmarkOptions(CommandLine.arguments.dropFirst())
    try FileManager.default.createDirectory(at: options.directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: options.directory) }
    if let loop = options.loop {
        try CallRows.repeatCalls(of: loop.id, count: loop.count, in: options.directory)
    } else {
        print("Medians. × limit: the ratio to the first row, measured in the same repetition.\n")
        try CallRows(options).run()
        print("\n| What | Figure | Target | Met |\n|---|---:|---:|:-:|")
        try ContentionRows(options).run()
        try PacedRows(options).run()
        try await BacklogRows(options).run()
    }
} catch let error as UsageError {
    FileHandle.standardError.write(Data((error.text + "\n").utf8))
    exit(2)
}

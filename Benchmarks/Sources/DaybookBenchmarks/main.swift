import Foundation

do {
    let options = try BenchmarkOptions(CommandLine.arguments.dropFirst())
    try FileManager.default.createDirectory(at: options.directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: options.directory) }
    if let loop = options.loop {
        try CallRows.repeatCalls(of: loop.id, count: loop.count, in: options.directory)
    } else {
        let idle = try await IdleRows(options)
        print(
            """
            ns per call: the median of stretches of 20 calls; × limit: its ratio to the first row, measured in the same
            repetition; in a row: the mean of 100,000 calls one after the other, while the drain thread delivers, writes
            the log and syncs. Of several repetitions, the median.

            """)
        let scale = try CallRows(options).run()
        if let rivals = options.rivals { try RivalRows(options, programs: rivals).run() }
        print("\n| What | Figure | Target | Met |\n|---|---:|---:|:-:|")
        try ContentionRows(options).run()
        try await ContentionRows(options).runBurst()
        try PacedRows(options, scale).run()
        try WakeRows(options, scale).run()
        idle.run()
        try await DiskRows(options, scale).run()
        try await BacklogRows(options, scale).run()
        try await LimitedRows(options).run()
        try ChecklistRows().run()
    }
} catch let error as UsageError {
    FileHandle.standardError.write(Data((error.text + "\n").utf8))
    exit(2)
}

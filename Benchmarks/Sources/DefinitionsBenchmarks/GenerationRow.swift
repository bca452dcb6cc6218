import Foundation

/// What a build runs after a definition changed: read, check, generate, write.
struct GenerationRow {
    let folder: URL

    func run() throws {
        let sample = SampleDefinitions(files: 500)
        try sample.write(to: folder.appending(path: "LogDefinitions"))
        let runs = try (0..<5).map { run in
            // Different output files, because an unchanged one is not written.
            try ChildProcess.run(
                [ChildProcess.own, "generate-swift", "--output", "out\(run).swift", "LogDefinitions"],
                in: folder)
        }
        let user = runs.map(\.user).median
        printFigure(
            "\(sample.files) files, \(sample.events) events: check and Swift, processor time", seconds(user),
            target: "≤ 0.5 s", isMet: user <= 0.5)
        printFigure("the same, all of the time", seconds(runs.map(\.wall).median))
    }
}

import DaybookDefinitions
import Foundation

// With arguments of `daybook-definitions` it acts as that program, to measure its processes.
let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "generate-swift" {
    let outcome = DefinitionsGenerate.run(arguments)
    FileHandle.standardError.write(Data(outcome.errors.utf8))
    exit(outcome.exitCode)
}
guard arguments.isEmpty || arguments == ["--builds"] else {
    print("usage: DefinitionsBenchmarks [--builds]\n  --builds  also build two packages, which takes minutes")
    exit(2)
}
let folder = FileManager.default.temporaryDirectory.appending(path: "daybook-definitions-\(UUID().uuidString)")
do {
    defer { try? FileManager.default.removeItem(at: folder) }
    print("\n| What | Figure | Target | Met |\n|---|---:|---:|:-:|")
    try GenerationRow(folder: folder.appending(path: "generation")).run()
    try CompileRow(folder: folder.appending(path: "compile")).run()
    if arguments == ["--builds"] { try UnchangedBuildRow(folder: folder.appending(path: "unchanged")).run() }
} catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    exit(1)
}

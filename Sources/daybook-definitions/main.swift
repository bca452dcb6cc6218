import DaybookDefinitions
import Foundation

let outcome = DefinitionsGenerate.run(Array(CommandLine.arguments.dropFirst()))
// `write(_:)` would trap on a closed or full stream.
try? FileHandle.standardError.write(contentsOf: Data(outcome.errors.utf8))
do {
    try FileHandle.standardOutput.write(contentsOf: Data(outcome.output.utf8))
} catch {
    exit(2)
}
exit(outcome.exitCode)

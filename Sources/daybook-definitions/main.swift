import DaybookDefinitions
import Foundation

let outcome = DefinitionsGenerate.run(Array(CommandLine.arguments.dropFirst()))
FileHandle.standardOutput.write(Data(outcome.output.utf8))
FileHandle.standardError.write(Data(outcome.errors.utf8))
exit(outcome.exitCode)

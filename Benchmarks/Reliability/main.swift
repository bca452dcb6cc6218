import DaybookTesting
import Foundation

do {
    let command = try ReliabilityCommand(CommandLine.arguments.dropFirst())
    let tally = try await command.run()
    print(tally)
    exit(tally.isClean ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(2)
}

import Foundation

exit(
    await CommandLineTool(commands: Command.all).run(Array(CommandLine.arguments.dropFirst()), console: .standard)
        .rawValue)

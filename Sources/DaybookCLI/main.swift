import Foundation

// A reader that leaves is an error of writing, which each stream answers in its own way.
signal(SIGPIPE, SIG_IGN)
exit(
    await CommandLineTool(commands: Command.all).run(Array(CommandLine.arguments.dropFirst()), console: .standard)
        .rawValue)

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.count == 3, arguments[0] == "reading", let rows = Int(arguments[2]) {
    try await ReadingRows(path: arguments[1], rows: rows).run()
} else if arguments.count == 2, arguments[0] == "append" {
    try await AppendRows(folder: arguments[1]).run()
} else {
    print("usage: StoreBenchmarks reading FILE ROWS | append FOLDER")
}

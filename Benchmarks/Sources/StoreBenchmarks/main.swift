let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "reading" where arguments.count == 3:
    guard let rows = Int(arguments[2]) else { fallthrough }
    try await ReadingRows(path: arguments[1], rows: rows).run()
default:
    print("usage: StoreBenchmarks reading FILE ROWS")
}

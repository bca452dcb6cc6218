/// One setting of a command with where its value came from.
struct Setting: Sendable {
    /// Where a value came from; the first of these that says something wins.
    enum Origin: Sendable, Hashable, CustomStringConvertible {
        case option
        case environment(String)
        case file(String, line: Int)
        case byDefault

        var description: String {
            switch self {
            case .option: "the command line"
            case .environment(let name): name
            case .file(let path, let line): "\(path):\(line)"
            case .byDefault: "default"
            }
        }
    }

    /// As the option is called, without dashes.
    var name: String
    /// Empty where there is no value; a flag that is set has `true`.
    var values: [String]
    var origin: Origin
}

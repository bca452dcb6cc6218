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

    /// A value and where it came from: each line of a file has its own.
    struct Value: Sendable, Hashable {
        /// A flag that is set has `true`.
        var text: String
        var origin: Origin
    }

    /// As the option is called, without dashes.
    var name: String
    /// Empty where there is no value.
    var values: [Value]

    init(name: String, values: [Value]) {
        self.name = name
        self.values = values
    }

    init(name: String, values: [String], origin: Origin) {
        self.init(name: name, values: values.map { Value(text: $0, origin: origin) })
    }
}

/// Input that cannot be used, with its place.
struct InputError: Error, CustomStringConvertible {
    var file: String
    /// From 1; `nil` where the file as a whole is meant.
    var line: Int?
    var message: String

    var description: String { file + (line.map { ":\($0)" } ?? "") + ": " + message }
}

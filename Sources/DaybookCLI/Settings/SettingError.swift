/// A setting whose value cannot be used: whoever knows where the value came from says so (``Settings/located(_:)``).
struct SettingError: Error, CustomStringConvertible {
    var name: String
    var value: String
    var reason: any Error

    var description: String { "\(reason)" }

    /// Reads each value of a setting.
    /// - Throws: ``SettingError``.
    static func reading<Value>(
        _ name: String, _ arguments: Arguments, _ read: (String) throws -> Value
    ) throws(SettingError) -> [Value] {
        var values: [Value] = []
        for text in arguments.all(name) {
            do {
                values.append(try read(text))
            } catch {
                throw SettingError(name: name, value: text, reason: error)
            }
        }
        return values
    }
}

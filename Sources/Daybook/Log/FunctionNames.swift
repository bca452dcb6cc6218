import DaybookBase

/// The functions in which measurements started, as compile-time constants: Instruments accepts no other names.
///
/// Filled only if an output takes starts. Never emptied: a program has a fixed number of functions.
package enum FunctionNames {
    private static let known = Mutex<[String: StaticString]>([:])

    static func note(_ function: StaticString) {
        guard function.hasPointerRepresentation else { return }
        let text = function.description
        known.withLock { if $0[text] == nil { $0[text] = function } }
    }

    /// The constant of a `Record.function`; `nil` if no measurement started there.
    package static func constant(_ function: String) -> StaticString? { known.withLock { $0[function] } }
}

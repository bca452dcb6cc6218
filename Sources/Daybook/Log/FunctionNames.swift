import DaybookBase

/// The functions that measurements were started in, as the constants that the compiler made of `#function`: Instruments
/// takes no other names.
///
/// Filled only where an output takes starts, and never emptied: a program has as many functions as it has.
package enum FunctionNames {
    private static let known = Mutex<[String: StaticString]>([:])

    static func note(_ function: StaticString) {
        guard function.hasPointerRepresentation else { return }
        let text = function.description
        known.withLock { if $0[text] == nil { $0[text] = function } }
    }

    /// The constant of a `Record.function`, or `nil` if nothing has been started there.
    package static func constant(_ function: String) -> StaticString? { known.withLock { $0[function] } }
}

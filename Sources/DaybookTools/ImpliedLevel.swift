import DaybookBase

/// The level of a record whose sender gives none but which tells of a failure.
package enum ImpliedLevel {
    /// What an exception is told by; some senders give its stack alone.
    package static let exceptionNames: Set = [WireName.exceptionType, "exception.message", "exception.stacktrace"]

    /// The severity number: 21 (fatal) for the event of a crash, 17 (error) for a failure, otherwise `nil`.
    /// - Parameters:
    ///   - event: the event's name; `nil` where the record is no event.
    ///   - isFailure: whether the record is an error or has an exception's attributes.
    package static func number(event: String?, isFailure: Bool) -> Int? {
        if let event {
            if isCrash(event) { return Int(Level.fatal.rawValue) }
            if isException(event) { return Int(Level.error.rawValue) }
        }
        return isFailure ? Int(Level.error.rawValue) : nil
    }

    /// Whether a name ends in `crash`, in any case and spelling: `app.crash`, `AppCrash`, `app.crashed`, `crash_report`.
    private static func isCrash(_ name: String) -> Bool {
        let letters = name.filter(\.isLetter).lowercased()
        return ["crash", "crashed", "crashreport", "crashreported"].contains(where: letters.hasSuffix)
    }

    /// Whether a name is or ends in the word `exception`.
    private static func isException(_ name: String) -> Bool {
        name.split { !$0.isLetter }.last?.lowercased() == "exception"
    }
}

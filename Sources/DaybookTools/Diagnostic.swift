import DaybookBase

/// A message for the author of a file, with its location.
///
/// `description` is in the form that compilers print, so that editors and build logs can jump to the location.
public struct Diagnostic: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Severity: String, Sendable, CaseIterable {
        /// The file cannot be used.
        case error
        /// The file is still used.
        case warning
    }

    public var severity: Severity
    public var location: SourceLocation
    /// What is wrong.
    public var message: String
    /// What to write instead, or `nil`.
    public var hint: String?
    /// Names the rule that found it; `nil` for a requirement of the format itself.
    package var code: String?

    /// Creates a diagnostic.
    public init(_ severity: Severity, at location: SourceLocation, _ message: String, hint: String? = nil) {
        (self.severity, self.location, self.message, self.hint) = (severity, location, message, hint)
    }

    package static func error(_ location: SourceLocation, _ message: String, hint: String? = nil) -> Diagnostic {
        Diagnostic(.error, at: location, message, hint: hint)
    }

    package static func warning(_ location: SourceLocation, _ message: String, hint: String? = nil) -> Diagnostic {
        Diagnostic(.warning, at: location, message, hint: hint)
    }

    /// The same where it stops nothing.
    package var asWarning: Diagnostic {
        var warning = self
        warning.severity = .warning
        return warning
    }

    /// The message with its hint, for a reader who sees the place.
    package var text: String { message + (hint.map { " (\($0))" } ?? "") }

    /// `file:line:column: error: message (hint)`.
    public var description: String { "\(location): \(severity.rawValue): \(text)".printable }
}

/// A place in a source file. Lines and columns count from 1; columns count Unicode scalars.
public struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
    public var file: String
    public var line: Int
    public var column: Int

    /// Creates a location.
    public init(file: String, line: Int, column: Int) {
        (self.file, self.line, self.column) = (file, line, column)
    }

    /// `file:line:column`, as compilers print it.
    public var description: String { "\(file):\(line):\(column)" }
}

import DaybookBase

/// A message for the author of a definition file, with its location.
///
/// `description` is in the form that compilers print, so that editors and build logs can jump to the location.
public struct Diagnostic: Error, Sendable, Hashable, CustomStringConvertible {
    /// Whether the definitions can be used.
    public enum Severity: String, Sendable {
        /// Nothing is generated.
        case error
        /// The definitions are still used.
        case warning
    }

    public var severity: Severity
    public var location: SourceLocation
    /// What is wrong.
    public var message: String
    /// What to write instead, or `nil`.
    public var hint: String?
    /// The rule that found it, whose level a project can set; `nil` for a requirement of the format itself.
    public var rule: RuleID?

    /// Creates a diagnostic.
    public init(_ severity: Severity, at location: SourceLocation, _ message: String, hint: String? = nil) {
        self.severity = severity
        self.location = location
        self.message = message
        self.hint = hint
    }

    static func error(_ location: SourceLocation, _ message: String, hint: String? = nil) -> Diagnostic {
        Diagnostic(.error, at: location, message, hint: hint)
    }

    static func warning(_ location: SourceLocation, _ message: String, hint: String? = nil) -> Diagnostic {
        Diagnostic(.warning, at: location, message, hint: hint)
    }

    /// `file:line:column: error: message (hint)`.
    public var description: String {
        ("\(location): \(severity.rawValue): \(message)" + (hint.map { " (\($0))" } ?? "")).printable
    }
}

extension [Diagnostic] {
    /// Whether one of them is an error.
    public var hasErrors: Bool { contains { $0.severity == .error } }

    /// Sorted by file, location and text, without duplicates.
    func ordered() -> [Diagnostic] {
        var seen = Set<Diagnostic>()
        return filter { seen.insert($0).inserted }.sorted { left, right in
            let (a, b) = (left.location, right.location)
            return (a.file, a.line, a.column, left.message) < (b.file, b.line, b.column, right.message)
        }
    }
}

/// A place in a source file. Lines and columns count from 1; columns count Unicode scalars.
public struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
    public var file: String
    public var line: Int
    public var column: Int

    /// Creates a location.
    public init(file: String, line: Int, column: Int) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `file:line:column`, as compilers print it.
    public var description: String { "\(file):\(line):\(column)" }
}

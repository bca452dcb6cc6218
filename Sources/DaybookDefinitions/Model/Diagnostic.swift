// `import DaybookDefinitions` should suffice for what its errors are made of.
@_exported public import struct DaybookTools.Diagnostic
@_exported public import struct DaybookTools.SourceLocation

extension Diagnostic {
    /// The rule that found it, whose level a project can set; `nil` for a requirement of the format itself.
    public var rule: RuleID? {
        get { code.flatMap(RuleID.init) }
        set { code = newValue?.rawValue }
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

/// Where a record was logged. Made by the compiler's default arguments; costs nothing until something reads it.
public struct CallSite: Sendable {
    /// `Module/File.swift`.
    public var fileID: StaticString
    /// `function(label:)`.
    public var function: StaticString
    /// From 1.
    public var line: UInt32
    /// From 1, in UTF-8 bytes.
    public var column: UInt32

    /// A place in the source.
    @inlinable
    public init(fileID: StaticString, function: StaticString, line: UInt32, column: UInt32) {
        self.fileID = fileID
        self.function = function
        self.line = line
        self.column = column
    }
}

extension Record {
    /// Says where the record was logged.
    mutating func place(at site: CallSite?) {
        guard let site else { return }
        file = site.fileID.description
        function = site.function.description
        line = Int(site.line)
        column = Int(site.column)
    }
}

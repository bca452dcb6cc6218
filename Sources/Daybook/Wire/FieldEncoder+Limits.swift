extension FieldEncoder {
    /// Adds an integer to a column of 32 bits; one that does not fit becomes the nearest that does.
    public mutating func add(_ name: StaticString, clamping value: Int) { add(name, Int32(clamping: value)) }

    /// Adds an integer to a column of 32 bits; one that does not fit becomes the nearest that does. Nothing for `nil`.
    public mutating func add(_ name: StaticString, clamping value: Int?) {
        if let value { add(name, clamping: value) }
    }

    /// Adds an integer to a column of 32 bits; one that does not fit is left out, and the attribute
    /// `daybook.rejected.NAME` says `out_of_range`. Nothing for `nil`.
    public mutating func add(_ name: StaticString, rejecting value: Int?) {
        guard let value else { return }
        if let fitting = Int32(exactly: value) { add(name, fitting) } else { reject(name, because: "out_of_range") }
    }

    /// Adds text of at most `limit` UTF-8 bytes; longer text is left out, and the attribute `daybook.rejected.NAME`
    /// says `too_long`. Nothing for `nil`.
    public mutating func add(_ name: StaticString, _ value: String?, rejectingOver limit: Int) {
        guard let value else { return }
        if value.utf8.count <= limit { add(name, value) } else { reject(name, because: "too_long") }
    }

    /// The mark travels with the record, so that what was rejected can be counted wherever the record is.
    @inline(never)
    private mutating func reject(_ name: StaticString, because reason: String) {
        add(["\(WireName.rejectedPrefix)\(name)": .string(reason)])
    }
}

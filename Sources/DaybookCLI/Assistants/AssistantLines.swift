struct AssistantLines {
    enum Line: Equatable {
        case message([UInt8])
        /// Skipped to its end.
        case tooLong
    }

    /// The most bytes of a line.
    let limit: Int
    private var rest: [UInt8] = []
    private var isTooLong = false

    init(limit: Int) { self.limit = limit }

    mutating func add(_ piece: some Collection<UInt8>) -> [Line] {
        var lines: [Line] = []
        for (index, part) in piece.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            if index > 0, let line = end() { lines.append(line) }
            isTooLong = isTooLong || rest.count + part.count > limit
            if isTooLong { rest = [] } else { rest += part }
        }
        return lines
    }

    mutating func end() -> Line? {
        defer { (rest, isTooLong) = ([], false) }
        if isTooLong { return .tooLong }
        return rest.contains { $0 > 0x20 } ? .message(rest) : nil
    }
}

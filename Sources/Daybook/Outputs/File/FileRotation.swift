/// When a file is full, what files are called, and which must go. Pure.
struct FileRotation {
    /// What to do before a line is written.
    enum Step: Equatable {
        case write
        case rotate
    }

    private let name: String
    private let limits: FileLimits

    init(name: String, limits: FileLimits) {
        self.name = name
        self.limits = limits
    }

    /// The file that is written to. Its end keeps it apart from the numbered files of every other name.
    var current: String { "\(name).log" }

    /// The name of an earlier file; 1 is the youngest.
    private func earlier(_ number: Int) -> String { "\(current).\(number)" }

    /// The number of an earlier file of this name, or `nil` for any other file.
    func number(of file: String) -> Int? {
        guard file.hasPrefix(current + "."), let number = Int(file.dropFirst(current.utf8.count + 1)), number > 0,
            earlier(number) == file
        else { return nil }
        return number
    }

    /// What to do before `count` bytes are written to a file of `size` bytes last written to at `modified`.
    /// - Parameters:
    ///   - modified: Nanoseconds since 1970.
    ///   - now: Nanoseconds since 1970. Where the clock has gone back, the file is not old.
    func step(size: Int, modified: Int64, adding count: Int, now: Int64) -> Step {
        if size == 0 { return .write }
        return size + count > limits.bytes || slice(of: now) > slice(of: modified) ? .rotate : .write
    }

    /// The stretch of time that a moment's lines share a file in.
    private func slice(of moment: Int64) -> Int64 {
        let length = Int64(limits.age.nanoseconds) / Int64(limits.files)
        let (quotient, remainder) = moment.quotientAndRemainder(dividingBy: length)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The renamings that make room for a new current file, in order; the last file kept is replaced. Where a number is
    /// free, nothing behind it moves: a rotation that failed half-way is completed, not repeated.
    /// - Parameter taken: The numbers of the earlier files that exist.
    func renamings(taken: Set<Int>) -> [(from: String, to: String)] {
        guard limits.files > 1 else { return [] }
        let last = (1..<limits.files).first { !taken.contains($0) } ?? limits.files - 1
        return stride(from: last, to: 0, by: -1).map { ($0 == 1 ? current : earlier($0 - 1), earlier($0)) }
    }

    /// Whether an earlier file must go: it is one too many, or its last line is too old.
    func isOverdue(number: Int, modified: Int64, now: Int64) -> Bool {
        let (age, overflow) = now.subtractingReportingOverflow(modified)
        return number >= limits.files || !overflow && age > Int64(limits.age.nanoseconds)
    }
}

/// How much a ``FileOutput`` keeps. There is no way to have no limit.
public struct FileLimits: Sendable, Hashable {
    /// A file that would become longer is closed and a new one begun. Default 5 MiB; from 4 KiB to 1 GiB.
    public let bytes: Int
    /// The files kept, the one that is written to included. Default 5; from 1 to 100.
    public let files: Int
    /// A file whose last line is older is removed. So that no file mixes old and new, one is begun for each `age ÷ files`:
    /// a line is gone after `age` and at most that much more, if anything is written by then. Default 7 days; from 1
    /// minute to 10 years.
    public let age: Duration

    /// Limits; what is out of range becomes the nearest that is in range.
    public init(bytes: Int = 5 << 20, files: Int = 5, age: Duration = .seconds(7 * 86_400)) {
        self.bytes = min(max(bytes, 4 << 10), 1 << 30)
        self.files = min(max(files, 1), 100)
        self.age = min(max(age, .seconds(60)), .seconds(10 * 365 * 86_400))
    }
}

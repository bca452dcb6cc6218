import Testing

@testable import Daybook

struct FileRotationTests {
    private static let day: Int64 = 86_400_000_000_000
    private let rotation = FileRotation(
        name: "app", limits: FileLimits(bytes: 10_000, files: 4, age: .seconds(4 * 86_400)))

    @Test("Rotates when a line would not fit") func rotatesBySize() {
        #expect(rotation.step(size: 9_900, modified: 0, adding: 100, now: 0) == .write)
        #expect(rotation.step(size: 9_901, modified: 0, adding: 100, now: 0) == .rotate)
        #expect(rotation.step(size: 0, modified: 0, adding: 20_000, now: 0) == .write)
    }

    @Test("Rotates when the file's period is over") func rotatesByAge() {
        #expect(rotation.step(size: 1, modified: 0, adding: 1, now: Self.day - 1) == .write)
        #expect(rotation.step(size: 1, modified: Self.day - 1, adding: 1, now: Self.day) == .rotate)
        #expect(rotation.step(size: 1, modified: -1, adding: 1, now: 0) == .rotate)
        #expect(rotation.step(size: 0, modified: 0, adding: 1, now: .max) == .write)
        // A clock set back must not rotate a file every second.
        #expect(rotation.step(size: 1, modified: Self.day, adding: 1, now: 0) == .write)
    }

    @Test("Renames files up to the first free number") func renamesToFirstGap() {
        func moves(_ taken: Set<Int>) -> [String] { rotation.renamings(taken: taken).map { "\($0.from)>\($0.to)" } }
        #expect(moves([]) == ["app.log>app.log.1"])
        #expect(moves([1]) == ["app.log.1>app.log.2", "app.log>app.log.1"])
        #expect(moves([2, 3]) == ["app.log>app.log.1"])
        #expect(moves([1, 2, 3]) == ["app.log.2>app.log.3", "app.log.1>app.log.2", "app.log>app.log.1"])
        #expect(FileRotation(name: "app", limits: FileLimits(files: 1)).renamings(taken: [1]).isEmpty)
    }

    @Test(
        "Recognises only its own rotated files",
        arguments: [
            ("app.log.1", 1), ("app.log.12", 12), ("app.log", nil), ("app.log.", nil), ("app.log.0", nil),
            ("app.log.01", nil), ("app.log.+1", nil), ("app.log.x", nil), ("app.1.log", nil), ("other.log.1", nil),
            ("app.log.1.gz", nil),
        ])
    func matchesOwnFiles(file: String, number: Int?) {
        #expect(rotation.number(of: file) == number)
    }

    @Test("Files past the count or the age limit are overdue") func findsOverdueFiles() {
        #expect(!rotation.isOverdue(number: 3, modified: 0, now: 4 * Self.day))
        #expect(rotation.isOverdue(number: 3, modified: 0, now: 4 * Self.day + 1))
        #expect(rotation.isOverdue(number: 4, modified: 0, now: 0))
        #expect(!rotation.isOverdue(number: 1, modified: .max, now: .min))
    }

    @Test("File limits are clamped, so there is always a limit") func limitsAlwaysApply() {
        let none = FileLimits(bytes: .max, files: .max, age: .seconds(Int64.max))
        #expect(none == FileLimits(bytes: 1 << 30, files: 100, age: .seconds(3650 * 86_400)))
        let least = FileLimits(bytes: -1, files: 0, age: .zero)
        #expect(least == FileLimits(bytes: 4096, files: 1, age: .seconds(60)))
        // No overflow at either end.
        for limits in [none, least] {
            let rotation = FileRotation(name: "app", limits: limits)
            #expect(rotation.step(size: 1, modified: .min, adding: 1, now: .max) == .rotate)
        }
    }
}

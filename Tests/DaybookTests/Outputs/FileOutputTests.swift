import DaybookBase
import DaybookJournal
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

struct FileOutputTests {
    private static let day: Int64 = 86_400_000_000_000

    private final class Bench: Sendable {
        let files = SteeredFiles()
        let reports = Mutex<[String]>([])
        let limits: FileLimits

        init(_ limits: FileLimits = FileLimits()) { self.limits = limits }

        /// A new output, as each launch creates one.
        func output(_ format: TextFormat = plain) -> FileOutput {
            FileOutput(
                directory: SteeredFiles.directory, format: format, limits: limits,
                report: { [self] text in reports.withLock { $0.append(text) } }, fileSystem: files,
                now: { [files] in files.now })
        }
    }

    /// The message alone.
    private static let plain = {
        var format = TextFormat.line
        format.time = .hidden
        format.icons = .none
        return format
    }()

    private static func record(_ message: String) -> Record {
        Record(time: 0, kind: .message, level: .info, tag: "t", message: message)
    }

    @Test("Appends lines across launches and escapes line breaks") func appendsAcrossLaunches() {
        let bench = Bench()
        bench.output().write(Self.record("one"))
        let second = bench.output()
        second.write(Self.record("two"))
        second.write(Self.record("three\nforged"))
        #expect(bench.files.text("app.log") == "t one\nt two\nt three\\u{a}forged\n")
        #expect(second.lostCount == 0)
    }

    @Test("Continues after a short write") func continuesShortWrites() {
        let bench = Bench()
        bench.files.change { $0.stride = 3 }
        bench.output().write(Self.record("a longer line"))
        #expect(bench.files.text("app.log") == "t a longer line\n")
    }

    @Test("Files never exceed their limits of bytes and count") func filesStayWithinLimits() {
        let bench = Bench(FileLimits(bytes: 4096, files: 3))
        let output = bench.output()
        for index in 0..<1000 { output.write(Self.record("\(index) " + String(repeating: "x", count: 90))) }
        #expect(bench.files.fileNames == ["app.log", "app.log.1", "app.log.2"])
        let texts = ["app.log.2", "app.log.1", "app.log"].compactMap(bench.files.text)
        for text in texts { #expect(text.utf8.count <= 4096 && text.hasSuffix("\n")) }
        // The end of what was written is kept, without a gap.
        let numbers = texts.joined().split(separator: "\n").compactMap { Int($0.split(separator: " ")[1]) }
        #expect(numbers == Array(1000 - numbers.count..<1000))
        #expect(numbers.count > 80)
        #expect(output.lostCount == 0)
        #expect(bench.files.state.withLock { $0.openFiles.count } == 1)
    }

    @Test("A limit of one file keeps only the newest lines") func oneFileSuffices() {
        let bench = Bench(FileLimits(bytes: 4096, files: 1))
        let output = bench.output()
        for index in 0..<100 { output.write(Self.record("\(index) " + String(repeating: "x", count: 90))) }
        #expect(bench.files.fileNames == ["app.log"])
        #expect(bench.files.text("app.log")?.hasSuffix("t 99 \(String(repeating: "x", count: 90))\n") == true)
    }

    @Test("Deletes files older than the limit") func deletesOldFiles() {
        let bench = Bench(FileLimits(files: 4, age: .seconds(4 * 86_400)))
        let output = bench.output()
        for day in 0..<10 {
            bench.files.change { $0.now = Int64(day) * Self.day + 5 }
            output.write(Self.record("day \(day)"))
        }
        #expect(bench.files.fileNames.compactMap(bench.files.text) == [9, 8, 7, 6].map { "t day \($0)\n" })
        bench.files.change { $0.now = 30 * Self.day }
        bench.output().write(Self.record("day 30"))
        // Day 9's file was still the current one when it expired: it is closed now and deleted with the next.
        bench.files.change { $0.now = 31 * Self.day }
        bench.output().write(Self.record("day 31"))
        #expect(bench.files.fileNames.compactMap(bench.files.text) == ["t day 31\n", "t day 30\n"])
    }

    @Test("Leaves other programs' files alone") func keepsForeignFiles() {
        let bench = Bench(FileLimits(files: 2))
        bench.files.change { state in
            for (number, name) in ["app.log.7", "other.log", "other.log.9", "app.log.txt"].enumerated() {
                state.names[name] = 100 + number
                state.contents[100 + number] = [1]
                state.modified[100 + number] = 0
            }
        }
        bench.output().write(Self.record("x"))
        #expect(bench.files.fileNames == ["app.log", "app.log.txt", "other.log", "other.log.9"])
    }

    @Test(
        "A file error costs one record, and the next is tried",
        arguments: [FileOperation.createDirectory, .open, .write, .size, .read])
    func fileErrorCostsRecord(operation: FileOperation) {
        let bench = Bench()
        let output = bench.output()
        bench.files.change { $0.failures[operation] = 5 }
        for _ in 0..<3 { output.write(Self.record("lost")) }
        #expect(output.lostCount == 3)
        #expect(bench.reports.withLock { $0.count } == 1)
        #expect(bench.reports.withLock { $0[0] }.contains("could not \(operation.rawValue) /logs"))
        bench.files.change { $0.failures = [:] }
        output.write(Self.record("kept"))
        #expect(bench.files.text("app.log") == "t kept\n")
        #expect(output.lostCount == 3)
        #expect(bench.files.state.withLock { $0.openFiles.count } == 1)
    }

    @Test("A full disk tears at most one line") func fullDiskTearsOneLine() {
        let bench = Bench()
        let output = bench.output()
        output.write(Self.record("one"))
        bench.files.change { $0.room = 4 }
        output.write(Self.record("torn"))
        output.write(Self.record("gone"))
        bench.files.change { $0.room = .max }
        output.write(Self.record("two"))
        #expect(bench.files.text("app.log") == "t one\nt to\nt two\n")
        #expect(output.lostCount == 2)
        #expect(bench.reports.withLock { $0.count } == 1)
    }

    @Test("Ends a line torn by an earlier launch") func endsTornLine() {
        let bench = Bench()
        bench.files.change { state in
            state.names["app.log"] = 50
            state.contents[50] = Array("t to".utf8)
            state.modified[50] = 0
        }
        bench.output().write(Self.record("two"))
        #expect(bench.files.text("app.log") == "t to\nt two\n")
    }

    @Test("A failed rotation stops the file from growing") func failedRotationStopsGrowth() {
        let bench = Bench(FileLimits(bytes: 4096, files: 3))
        let output = bench.output()
        let long = String(repeating: "x", count: 1000)
        for _ in 0..<4 { output.write(Self.record(long)) }
        bench.files.change { $0.failures[.rename] = 13 }
        for _ in 0..<20 { output.write(Self.record(long)) }
        #expect(output.lostCount == 20)
        #expect((bench.files.text("app.log")?.utf8.count ?? 0) <= 4096)
        bench.files.change { $0.failures = [:] }
        output.write(Self.record("again" + long))
        #expect(bench.files.text("app.log")?.hasPrefix("t again") == true)
        #expect(bench.files.fileNames == ["app.log", "app.log.1"])
    }

    @Test("Recreates a file that was moved or deleted") func recreatesRemovedFile() {
        let bench = Bench()
        let output = bench.output()
        output.write(Self.record("one"))
        bench.files.change { state in
            state.names["taken"] = state.names.removeValue(forKey: "app.log")
        }
        output.write(Self.record("two"))
        #expect(bench.files.text("taken") == "t one\n")
        #expect(bench.files.text("app.log") == "t two\n")
        bench.files.change { state in
            state.names = [:]
            state.hasDirectory = false
        }
        output.write(Self.record("three"))
        #expect(bench.files.text("app.log") == "t three\n")
        #expect(output.lostCount == 0)
    }

    @Test("Shortens a record longer than a file") func shortensLongRecord() throws {
        let bench = Bench(FileLimits(bytes: 4096))
        let output = bench.output(.json)
        output.write(Self.record(String(repeating: "\u{1B}", count: 100_000)))
        let line = try #require(bench.files.text("app.log"))
        #expect(line.utf8.count <= 4096)
        #expect(line.contains("daybook.truncated"))
        #expect(throws: Never.self) { try JSONReader.value(of: Array(line.utf8.dropLast())) }
        var names = Self.record("")
        for index in 0..<1000 { names.attributes["attribute_\(index)"] = 1 }
        output.write(names)
        #expect(output.lostCount == 1)
        #expect(bench.files.text("app.log") == line)
    }

    @Test("Lines from many threads stay whole") func threadsWriteWholeLines() {
        let bench = Bench()
        let output = bench.output()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for index in 0..<100 { output.write(Self.record("\(thread)-\(index)")) }
        }
        let lines = (bench.files.text("app.log") ?? "").split(separator: "\n")
        #expect(Set(lines) == Set((0..<4).flatMap { thread in (0..<100).map { "t \(thread)-\($0)" } }))
        #expect(lines.count == 400)
    }
}

import Daybook
import DaybookProcesses
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

/// Promise J1: a record whose log call has returned survives the death of its process.
@Suite(.temporaryDirectory) struct KillTests {
    private let directory = TemporaryDirectory.current

    /// Twenty-five journals, each killed four times while logging, then delivered by this process.
    @Test("A hundred kills lose no record that had been logged") func hundredKillsLoseNothing() async throws {
        var random = SystemRandomNumberGenerator()
        for journal in 0..<25 {
            let directory = directory.subdirectory("\(journal)")
            defer { directory.remove() }
            var returned: Set<Int64> = []
            var first: Int64 = 0
            for _ in 0..<4 {
                let (start, count) = (first, Int.random(in: 1...400, using: &random))
                let numbers = try await offPool {
                    try Self.killedWriter(directory: directory.path, first: start, after: count)
                }
                returned.formUnion(numbers)
                first = (numbers.max() ?? first) + 10
            }
            let arrived = try await numbers(deliveredFrom: directory.path)
            let set = Set(arrived)
            #expect(set.count == arrived.count, "a record arrived twice")
            let lost = returned.subtracting(set)
            #expect(lost.isEmpty, "lost: \(lost.sorted().prefix(10))")
            // A kill may hit between the append and the report: at most one extra record per thread and launch.
            #expect(set.subtracting(returned).count <= 8)
        }
    }

    /// Each launch dies with two spans open, perhaps while recovering those of the one before.
    @Test("Spans left open by kills arrive once, marked as unfinished") func killedSpansAreUnfinished() async throws {
        for journal in 0..<5 {
            let directory = directory.subdirectory("\(journal)")
            defer { directory.remove() }
            var first: Int64 = 0
            var (open, ended): (Set<String>, Set<String>) = ([], [])
            for count in [1, 200, 1, 40] {
                open.formUnion(["outer-\(first)", "inner-\(first)"])
                ended.insert("ended-\(first)")
                let start = first
                let numbers = try await offPool {
                    try Self.killedWriter(directory: directory.path, first: start, after: count)
                }
                first = (numbers.max() ?? first) + 10
            }
            let spans = try await records(deliveredFrom: directory.path).filter { $0.kind == .span }
            let unfinished = spans.filter { $0.attributes["daybook.unfinished"] == true }.compactMap(\.message)
            let finished = spans.filter { $0.attributes["daybook.unfinished"] == nil }.compactMap(\.message)
            #expect(unfinished.sorted() == open.sorted())
            #expect(finished.sorted() == ended.sorted())
        }
    }

    private static func killedWriter(directory: String, first: Int64, after count: Int) throws -> [Int64] {
        let numbers = try KillTrials.killed(
            BuiltProduct.url("CrashWriter"), [directory, String(first)], after: count)
        #expect(numbers.count >= count)
        return numbers
    }
}

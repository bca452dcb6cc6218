import DaybookFuzzing
import DaybookStore
import DaybookTestTraits
import DaybookTesting
import DaybookTrials
import Foundation
import Testing

/// Some hostile inputs for every target; `make fuzz` tries more. If one ends the process, the last line of output names
/// the file that holds it.
@Suite(.serialized, .timeLimit(.minutes(5)), .temporaryDirectory) struct FuzzingTests {
    @Test("Every target answers or refuses hostile input", arguments: FuzzTarget.all) func hostileInputIsHandled(
        _ target: FuzzTarget
    ) async throws {
        let trace = FileManager.default.temporaryDirectory.appending(path: "daybook-fuzz-\(target.name).current")
        print("\(target.name): seed 1, the input under way is in \(trace.path)")
        let count = try await FuzzRun(target, seed: 1, trace: trace).run(.inputs(target.quickCount))
        #expect(count == target.quickCount)
        try? FileManager.default.removeItem(at: trace)
    }

    @Test("Damaged requests never cause a failure, and honest ones are stored") func damagedRequestsNeverFail()
        async throws
    {
        let store = try SQLiteStore(path: TemporaryDirectory.current.file("records.sqlite"))
        let tally = try await HostileRequestTrials.run(mutations: 200, seed: 1, on: store)
        #expect(tally.isClean && tally.trials == 1_400, "\(tally)")
        await store.close()
    }

    @Test("The same seed generates the same inputs", arguments: FuzzTarget.all) func seedFixesInputs(
        _ target: FuzzTarget
    ) {
        let inputs = (0..<20).map { target.input($0, seed: 7) }
        #expect(inputs == (0..<20).map { target.input($0, seed: 7) })
        #expect(Set(inputs).count > 10)
    }

    @Test("A failing input is reduced to its smallest form") func shrinksFailures() async {
        let input = Array("a long text with X in the middle of it".utf8)
        let smallest = await Mutation.smallest(input) { $0.contains(UInt8(ascii: "X")) }
        #expect(smallest == Array("X".utf8))
    }

    @Test("A bundle of files round-trips and skips unsafe paths") func fileBundleRoundTrips() {
        let files: [String: [UInt8]] = ["a/b": [1, 2, 3], "c": [], "d": [0, 0]]
        #expect(FileBundle.decode(FileBundle.encode(files)) == files)
        #expect(FileBundle.decode(FileBundle.encode(["../x": [1], "/y": [2], "z": [3]])) == ["z": [3]])
        #expect(FileBundle.decode(Array("a".utf8) + [0] + Array("0000009x".utf8)).isEmpty)
    }
}

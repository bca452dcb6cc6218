import DaybookJournal
import DaybookTesting
import Foundation

/// The nth file operation fails, for every n of a journal's life (promises J5 and J8).
public enum SyscallTrials {
    /// Every operation with each of these errors, once or from then on; and again with a kill instead of a healed disk.
    public static func run(errors: [Int32] = [EIO, ENOSPC, EDQUOT, EINTR]) -> TrialTally {
        var tally = TrialTally()
        for code in errors {
            for times in [1, Int.max] {
                for isKilled in [false, true] {
                    var count = 0
                    while trial(failing: count, times, code: code, isKilled: isKilled, &tally) { count += 1 }
                }
            }
        }
        for bytes in [1, 7, 100] {
            let files = FaultyFileSystem(over: UnsyncedFileSystem())
            files.limitTransfers(to: bytes)
            life(files, isKilled: false, "transfers of \(bytes) bytes", &tally)
        }
        return tally
    }

    /// Returns whether the fault occurred.
    private static func trial(
        failing count: Int, _ times: Int, code: Int32, isKilled: Bool, _ tally: inout TrialTally
    ) -> Bool {
        let files = FaultyFileSystem(over: UnsyncedFileSystem())
        files.fail(code: code, after: count, times: times)
        let what =
            "operation \(count), errno \(code), \(times == 1 ? "once" : "from then on")"
            + (isKilled ? ", killed" : "")
        life(files, isKilled: isKilled, what, &tally)
        return files.calls.contains { $0.failed }
    }

    private static func life(
        _ files: FaultyFileSystem, isKilled: Bool, _ what: String, _ tally: inout TrialTally
    ) {
        let directory = TemporaryDirectory.inMemory()
        defer { directory.remove() }
        tally.trials += 1
        let steered = SteeredSystem()
        let options = smallOptions()
        func open() -> Journal {
            Journal.open(
                directory: directory.path, outputs: ["a"], options: options, system: steered.system(files: files))
        }
        var written: [String] = []
        var durable: [String] = []
        var journal: Journal? = open()
        for index in 0..<180 {
            let text = "\(index) " + String(repeating: "s", count: index * 37 % 900)
            let appended = journal?.log(text)
            if appended?.isDropped == false {
                written.append(text)
                if appended?.attention.contains(.inMemory) == false { durable.append(text) }
            }
            if index % 60 == 30 { journal?.housekeep() }
            if index == 100 { journal?.sync() }
        }
        tally.compare(
            journal?.all().map(\.text) ?? [], required: written, written: Set(written), what + ", same launch")
        if !isKilled {
            files.heal()
            // By promise, a directory that could not be claimed at the open stays unused for the launch.
            let wasClaimed = !files.calls.contains {
                $0.failed
                    && ([.createDirectory, .lock, .list].contains($0.operation) || $0.path.hasSuffix("/lock"))
            }
            for _ in 0..<4 {
                steered.advance(120)
                journal?.housekeep()
            }
            if journal?.status == .mapped { durable = written }
            tally.expect(!wasClaimed || journal?.status == .mapped, what + ": the disk is not found again")
            journal?.close()
        }
        journal = nil
        files.heal()
        let next = open()
        tally.compare(next.all().map(\.text), required: durable, written: Set(written), what + ", next launch")
    }
}

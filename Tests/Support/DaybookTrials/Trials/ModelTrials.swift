import DaybookJournal
import DaybookTesting
import Foundation

/// Random operations on a journal and on its simplest model, a list.
public enum ModelTrials {
    private struct Expected: Equatable {
        var text: String
        var outputs: Set<String>
        var context: String
    }

    /// Runs `operations` operations on one journal.
    public static func run(operations: Int, seed: UInt64) -> TrialTally {
        var tally = TrialTally()
        var random = SeededGenerator(seed: seed)
        let directory = TemporaryDirectory.inMemory()
        defer { directory.remove() }
        let steered = SteeredSystem(seed: seed)
        let files = FaultyFileSystem(over: UnsyncedFileSystem())
        var outputs = ["a", "b"]
        var context = "start"
        var model: [Expected] = []
        var delivered: [String: Int] = [:]
        var number = 0
        let options = smallOptions(cap: 64 << 20)

        func open() -> Journal {
            Journal.open(
                directory: directory.path, outputs: outputs, context: Array(context.utf8), options: options,
                system: steered.system(files: files))
        }
        var journal: Journal? = open()

        /// What is pending for an output, by the model and by the journal.
        func check(_ output: String) {
            guard let journal, let index = outputs.firstIndex(of: output) else { return }
            let waiting = model.dropFirst(delivered[output] ?? 0).filter { $0.outputs.contains(output) }
            let found = journal.all(after: journal.cursor(of: output), output: index)
            let what = "seed \(seed), record \(number)"
            tally.compare(found.map(\.text), required: waiting.map(\.text), written: Set(waiting.map(\.text)), what)
            tally.expect(found.map(\.text) == waiting.map(\.text), what + ": out of order")
            tally.expect(found.map(\.contextText) == waiting.map(\.context), what + ": contexts")
            tally.expect(journal.pending(of: output) == UInt64(waiting.count), what + ": pending")
        }

        for _ in 0..<operations {
            tally.trials += 1
            switch Int.random(in: 0..<12, using: &random) {
            case 0...3:
                for _ in 0..<Int.random(in: 1...200, using: &random) {
                    let text = "\(number)" + String(repeating: ".", count: Int.random(in: 0...900, using: &random))
                    let mask = UInt64.random(in: 0..<(1 << UInt64(outputs.count)), using: &random)
                    journal?.log(text, mask: mask)
                    let wanted = outputs.enumerated().filter { mask & (1 << UInt64($0.offset)) != 0 }.map(\.element)
                    model.append(Expected(text: text, outputs: Set(wanted), context: context))
                    number += 1
                }
            case 4:
                context = "context \(number)"
                journal?.updateContext(Array(context.utf8))
            case 5:
                // Delivers a part of what is pending, and advances.
                guard let output = outputs.randomElement(using: &random), let journal else { continue }
                let index = outputs.firstIndex(of: output)
                let limit = Int.random(in: 1...300, using: &random)
                let progress = journal.read(after: journal.cursor(of: output), output: index, limitFrames: limit) { _ in
                    true
                }
                journal.advance(output, to: progress.through)
                var left = progress.frames
                var position = delivered[output] ?? 0
                while left > 0 {
                    if model[position].outputs.contains(output) { left -= 1 }
                    position += 1
                }
                delivered[output] = position
            case 6:
                steered.advance(Double.random(in: 0...3, using: &random))
                journal?.housekeep()
            case 7:
                // The process is killed or closes; the next may have other outputs, in another order.
                if Bool.random(using: &random) { journal?.close() }
                journal = nil
                outputs.shuffle(using: &random)
                journal = open()
            case 8:
                let candidate = ["c", "d", "e"].randomElement(using: &random) ?? "c"
                if outputs.contains(candidate) { continue }
                outputs.append(candidate)
                // A new output starts at the head; a returning one continues where it was.
                if delivered[candidate] == nil { delivered[candidate] = model.count }
                journal?.updateOutputs(outputs)
            case 9:
                files.fail([.open, .write, .sync, .rename], code: EIO, times: Int.random(in: 1...3, using: &random))
                journal?.housekeep()
                steered.advance(200)
                files.heal()
                journal?.housekeep()
                steered.advance(200)
                journal?.housekeep()
            case 10: journal?.sync()
            default: outputs.forEach(check)
            }
        }
        outputs.forEach(check)
        tally.expect(journal?.counters.drops == [:], "seed \(seed): drops")
        return tally
    }
}

import DaybookProcesses
import DaybookTrials
import Foundation

/// An input on which a target fails.
package struct FuzzFailure: Error, Sendable, CustomStringConvertible {
    package var target: String
    package var seed: UInt64
    package var number: Int
    /// The fault, in one line.
    package var reason: String
    /// The smallest one found.
    package var input: [UInt8]
    package var file = ""

    package var description: String {
        """
        \(target), input \(number) of seed \(seed): \(reason)
          smallest input: \(file) (\(input.count) bytes)
          to repeat: make fuzz TARGET=\(target) INPUT=\(file)
        """
    }
}

/// Tries inputs on a target, one after another, in this process.
package struct FuzzRun: Sendable {
    /// The most time for an input. A slow one is tried again, since the machine may be busy.
    private static let patience = Duration.seconds(30)

    package enum Amount: Sendable {
        case inputs(Int)
        case seconds(Double)
    }

    let target: FuzzTarget
    let seed: UInt64
    /// Holds the current input, for whoever finds this process dead; `nil` for no such file.
    let trace: URL?

    package init(_ target: FuzzTarget, seed: UInt64, trace: URL? = nil) {
        self.target = target
        self.seed = seed
        self.trace = trace
    }

    /// - Returns: How many were tried.
    /// - Throws: ``FuzzFailure``, or what setting up the target throws.
    package func run(_ amount: Amount) async throws -> Int {
        let subject = try await target.open()
        let start = ContinuousClock.now
        var number = 0
        do {
            while Self.goesOn(amount, number, start) {
                let input = target.input(number, seed: seed)
                try trace.map { try Data(input).write(to: $0) }
                if let reason = try await Self.reason(input, subject) {
                    let smallest = try await Mutation.smallest(input) { try await Self.reason($0, subject) != nil }
                    let last = try await Self.reason(smallest, subject) ?? reason
                    throw FuzzFailure(target: target.name, seed: seed, number: number, reason: last, input: smallest)
                }
                number += 1
            }
        } catch {
            await subject.close()
            throw error
        }
        await subject.close()
        return number
    }

    /// Tries one input.
    /// - Returns: The fault, or `nil`.
    package static func one(_ input: [UInt8], on target: FuzzTarget) async throws -> String? {
        let subject = try await target.open()
        let reason = try await reason(input, subject)
        await subject.close()
        return reason
    }

    private static func goesOn(_ amount: Amount, _ number: Int, _ start: ContinuousClock.Instant) -> Bool {
        switch amount {
        case .inputs(let count): number < count
        case .seconds(let seconds): start.duration(to: .now) < .seconds(seconds)
        }
    }

    private static func reason(_ input: [UInt8], _ subject: FuzzTarget.Subject) async throws -> String? {
        for attempt in 1...2 {
            let start = ContinuousClock.now
            if let reason = try await subject.check(input) { return reason }
            let time = start.duration(to: .now)
            if time < patience { return nil }
            if attempt == 2 { return "it took \(time)" }
        }
        return nil
    }
}

/// Runs targets in child processes, so that a crash reveals its input.
package struct FuzzCommand: Sendable {
    /// This program, with arguments that make it run one target: `… NAME SEED SECONDS TRACE`, `… NAME INPUT`.
    let program: URL
    let folder: URL

    package init(program: URL, folder: URL) {
        self.program = program
        self.folder = folder
    }

    /// Runs a target for `seconds` in a child process.
    /// - Returns: The failure; `nil` for none.
    package func run(_ target: FuzzTarget, seed: UInt64, seconds: Double) async throws -> FuzzFailure? {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let trace = folder.appending(path: "\(target.name)-\(seed).current")
        defer { try? FileManager.default.removeItem(at: trace) }
        let end = try await start(
            ["fuzz-target", target.name, String(seed), String(seconds), trace.path], within: seconds + 120)
        if end == .exited(status: 0) { return nil }
        if end == .exited(status: 1) {
            // It has reported its failure itself, and written the input.
            var failure = FuzzFailure(target: target.name, seed: seed, number: -1, reason: "as said above", input: [])
            failure.file = file(of: failure).path
            failure.input = (try? Data(contentsOf: file(of: failure))).map(Array.init) ?? []
            return failure
        }
        let input = (try? Data(contentsOf: trace)).map(Array.init) ?? []
        let smallest = try await Mutation.smallest(input, tries: 60) { try await kills($0, target) }
        var failure = FuzzFailure(
            target: target.name, seed: seed, number: -1,
            reason: end.map { "the process ended: \($0)" } ?? "the process did not end", input: smallest)
        try write(&failure)
        return failure
    }

    package func write(_ failure: inout FuzzFailure) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(failure.input).write(to: file(of: failure))
        failure.file = file(of: failure).path
    }

    private func file(of failure: FuzzFailure) -> URL {
        folder.appending(path: "\(failure.target)-\(failure.seed).input")
    }

    private func kills(_ input: [UInt8], _ target: FuzzTarget) async throws -> Bool {
        let file = folder.appending(path: "\(target.name).candidate")
        try Data(input).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let end = try await start(["fuzz-input", target.name, file.path], within: 120)
        if case .exited(let status) = end { return status > 2 }
        return true
    }

    /// - Returns: How it ended; `nil` if it had to be killed.
    private func start(_ words: [String], within seconds: Double) async throws -> ChildProcess.End? {
        try await offPool { [program] in
            // A sanitizer's report must not look like a target's own failure.
            let process = try ChildProcess(
                program, words,
                environment: ProcessInfo.processInfo.environment.merging(
                    ["ASAN_OPTIONS": "exitcode=99:detect_leaks=0"]) { given, _ in given })
            if let end = process.wait(seconds: seconds) { return end }
            process.send(SIGKILL)
            process.wait()
            return nil
        }
    }
}

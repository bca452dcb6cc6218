import DaybookBase
import Foundation

// Phones cannot start processes: there the module is empty.
#if os(macOS) || os(Linux)
    /// An app in its own process, for a test that launches, controls and kills it.
    ///
    /// Its output is read while it runs, so that a full pipe never blocks it. Safe to share between threads. A process
    /// that is still running when the last reference is released is killed.
    public final class AppProcess: Sendable {
        /// Why the app did not do what the test waits for.
        public struct Failure: Error, Sendable, CustomStringConvertible {
            public let description: String
        }

        private struct State {
            var lines: [String] = []
            var rest: [UInt8] = []
            /// Set once all output has been read, too.
            var status: Int32?
        }

        private final class Shared: Sendable {
            let mutex = Mutex(State())
        }

        private static let lineLimit = 100_000
        private let name: String
        private let process: ChildProcess
        private let input: FileHandle
        private let state = Shared()

        /// Launches an app.
        ///
        /// ```swift
        /// let app = try AppProcess(BuiltProduct.url("RecipeBox"), arguments: ["--journeys", "1"])
        /// try await app.end()
        /// ```
        /// - Parameters:
        ///   - executable: the program; ``BuiltProduct/url(_:)`` for one that is built together with the tests.
        ///   - environment: added to the test's own environment, such as that of a log probe.
        /// - Throws: the system's error.
        public init(_ executable: URL, arguments: [String] = [], environment: [String: String] = [:]) throws {
            // Writing to a child that has exited must not kill the test.
            signal(SIGPIPE, SIG_IGN)
            name = executable.lastPathComponent
            let (input, output) = (Pipe(), Pipe())
            let process = try ChildProcess(
                executable, arguments,
                environment: ProcessInfo.processInfo.environment.merging(environment) { _, own in own },
                input: .pipe(input), output: .pipe(output), errors: .null)
            self.process = process
            self.input = input.fileHandleForWriting
            let state = state
            let reader = output.fileHandleForReading
            Thread.detachNewThread {
                while case let piece = reader.availableData, !piece.isEmpty { Self.take(piece, state) }
                let status = process.wait().status
                state.mutex.withLock { $0.status = status }
            }
        }

        deinit { kill() }

        private static func take(_ piece: Data, _ shared: Shared) {
            shared.mutex.withLock { state in
                state.rest += piece
                while let end = state.rest.firstIndex(of: 0x0A) {
                    if state.lines.count < lineLimit {
                        state.lines.append(String(decoding: state.rest[..<end], as: UTF8.self))
                    }
                    state.rest.removeSubrange(...end)
                }
            }
        }

        /// The lines that it has printed to standard output, at most the first 100,000.
        public var lines: [String] { state.mutex.withLock { $0.lines } }

        /// Waits until the app has printed a line.
        /// - Parameter timeout: at most this long. Default 20 s.
        /// - Throws: ``Failure`` with what it printed instead.
        public func wait(forLine line: String, timeout: Duration = .seconds(20)) async throws {
            try await wait(for: "line “\(line)”", timeout) { $0.lines.contains(line) }
        }

        /// Writes a line to the app's standard input.
        public func send(_ line: String) throws { try input.write(contentsOf: Data((line + "\n").utf8)) }

        /// Kills the app at once (`SIGKILL`), as a system short of memory does. Does nothing if it has ended.
        public func kill() { process.send(SIGKILL) }

        /// Waits until the app has ended.
        /// - Returns: its exit status; if it was killed, the signal's number.
        /// - Throws: ``Failure`` if it runs for longer.
        @discardableResult
        public func end(timeout: Duration = .seconds(20)) async throws -> Int32 {
            try await wait(for: "end", timeout) { $0.status != nil }
            return state.mutex.withLock { $0.status ?? -1 }
        }

        private func wait(for what: String, _ timeout: Duration, _ isThere: (State) -> Bool) async throws {
            let deadline = ContinuousClock.now + timeout
            while true {
                let (isMet, hasEnded, lines) = state.mutex.withLock {
                    (isThere($0), $0.status != nil, $0.lines.suffix(5))
                }
                if isMet { return }
                guard !hasEnded, ContinuousClock.now < deadline else {
                    let why = hasEnded ? "it has ended" : "not within \(timeout)"
                    throw Failure(
                        description: "\(name): no \(what): \(why); last lines: \(lines.joined(separator: " ⏎ "))")
                }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    /// Executables that were built together with the running tests.
    public enum BuiltProduct {
        /// The executable called `name`, beside the test bundle.
        public static func url(_ name: String) -> URL {
            bundle.deletingLastPathComponent().appendingPathComponent(name)
        }

        private static var bundle: URL {
            #if canImport(Darwin)
                Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
            #else
                // On Linux the test bundle is the running executable.
                URL(fileURLWithPath: CommandLine.arguments[0]).standardizedFileURL
            #endif
        }
    }
#endif

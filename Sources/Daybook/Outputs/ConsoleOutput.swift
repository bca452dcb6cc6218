#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Glibc
#endif

/// Writes records as text to standard output or standard error.
///
/// Each record is one write, so that threads do not interleave. What a closed or full pipe refuses is lost. Safe to
/// share between threads.
public final class ConsoleOutput: Output {
    public enum Stream: Int32, Sendable {
        case standardOutput = 1
        case standardError = 2
    }

    public let id: String
    public let takesStarts: Bool
    private let stream: Stream
    /// Formats a record. A closure, because a conformance and all that it calls is linked into every program: this way
    /// only programs that make a console output contain the formats. Set by a convenience initialiser, since a class's
    /// vtable lists the others.
    private let line: @Sendable (Record) -> [UInt8]

    /// Creates a console output.
    ///
    /// ```swift
    /// Route("**", to: ConsoleOutput(format: .multiline), level: .debug)
    /// ```
    /// - Parameters:
    ///   - format: How a record is written. Default: one line, coloured if the stream is a terminal.
    ///   - stream: Default: standard output.
    ///   - showsStarts: Whether a measurement or request also has a line when it begins, `▶ load menu`. Default: no.
    ///     Never with the JSON layout, whose lines are records.
    ///   - id: Default: `console`.
    public convenience init(
        format: TextFormat = .line, stream: Stream = .standardOutput, showsStarts: Bool = false, id: String = "console"
    ) {
        let isTerminal = isatty(stream.rawValue) == 1 && Self.takesColours(Self.variable)
        self.init(id: id, stream: stream, takesStarts: showsStarts && format.layout != .json) {
            format.line(of: $0, isTerminal: isTerminal)
        }
    }

    private init(id: String, stream: Stream, takesStarts: Bool, line: @escaping @Sendable (Record) -> [UInt8]) {
        self.id = id
        self.stream = stream
        self.takesStarts = takesStarts
        self.line = line
    }

    /// Whether the environment allows colours: https://no-color.org, and `TERM=dumb`.
    static func takesColours(_ variable: (String) -> String?) -> Bool {
        (variable("NO_COLOR") ?? "").isEmpty && variable("TERM") != "dumb"
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    public func start(_ record: Record) { write(record) }

    public func write(_ record: Record) {
        line(record).withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let written = systemWrite(stream.rawValue, bytes.baseAddress.map { $0 + offset }, bytes.count - offset)
                if written <= 0 {
                    if written < 0 && errno == EINTR { continue }
                    return
                }
                offset += written
            }
        }
    }
}

/// `write(2)`, whose name the method above hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

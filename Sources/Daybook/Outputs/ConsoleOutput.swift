#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Writes records as lines to standard output or standard error.
public final class ConsoleOutput: Output {
    /// Where lines go.
    public enum Stream: Int32, Sendable {
        case standardOutput = 1
        case standardError = 2
    }

    public let id: String
    private let format: TextFormat
    private let stream: Stream

    /// A console.
    /// - Parameters:
    ///   - format: How a record reads. Default: one line; coloured where the stream is a terminal.
    ///   - stream: Default: standard output.
    ///   - id: Default: `console`.
    public init(format: TextFormat? = nil, stream: Stream = .standardOutput, id: String = "console") {
        self.id = id
        self.stream = stream
        self.format = format ?? TextFormat(isColoured: isatty(stream.rawValue) == 1)
    }

    public func write(_ record: Record) {
        // One write per line, so that lines of several threads do not mix; what a closed or full pipe refuses is gone.
        let line = Array((format.text(of: record) + "\n").utf8)
        line.withUnsafeBytes { bytes in
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

/// `write(2)`, by a name that the method above does not hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

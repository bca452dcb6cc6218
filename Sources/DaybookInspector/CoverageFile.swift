import DaybookAPI
import DaybookBase
import DaybookTools
import Foundation

/// A report of `daybook coverage --json`: where the sources call each event, and how often recorded tests fired it.
///
/// Read for each request, so that a new report shows without a restart. A value; safe to share between threads.
public struct CoverageFile: Sendable {
    /// The file cannot be read, or is not a coverage report. The description says which, and what to do.
    public struct ReadError: Error, CustomStringConvertible {
        public var description: String
    }

    /// Largest file in bytes.
    static let limit = 16 << 20

    /// The path of the report.
    public let path: String

    /// Creates a report from a file.
    /// - Throws: ``ReadError`` if it is not usable now.
    public init(path: String) throws {
        self.path = path
        _ = try read()
    }

    /// The current report, and its modification time in nanoseconds since 1970.
    func read() throws(ReadError) -> (events: [EventCoverage], written: Int64) {
        do {
            let bytes = try RegularFile.bytes(of: path, limit: Self.limit)
            let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            guard bytes.count <= Self.limit else {
                throw ReadError(description: "\(path) is over \(Self.limit) bytes.")
            }
            if let line = ConflictMarkers.line(in: bytes) {
                throw ReadError(description: "\(path):\(line): \(ConflictMarkers.problem).")
            }
            return (
                try EventCoverage.events(ofReport: bytes),
                Timestamp(secondsSince1970: date?.timeIntervalSince1970 ?? 0).nanoseconds
            )
        } catch is FormError {
            throw ReadError(
                description: "\(path) is not a coverage report: write it with `daybook coverage --json > \(path)`.")
        } catch let error as ReadError {
            throw error
        } catch let error as RegularFile.Failure {
            throw ReadError(description: "\(path) cannot be read: \(error)")
        } catch {
            throw ReadError(description: "\(path) cannot be read: \(error.fileReason)")
        }
    }
}

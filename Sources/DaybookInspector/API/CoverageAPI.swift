import DaybookAPI
import DaybookBase
import DaybookHTTP
import DaybookStore
import DaybookTools
import Foundation

/// Coverage of each event from a report; empty without one.
struct CoverageAPI: Sendable {
    let file: CoverageFile?

    var routes: [HTTPRoute] {
        [HTTPRoute("GET", "/api/v1/coverage", parameters: ["after"]) { try coverage($0.query) }]
    }

    func coverage(_ parameters: [(name: String, value: String)]) throws(Problem) -> HTTPResponse {
        var after: Int64 = 0
        for (name, value) in parameters { after = try FilterParameters.number(name, value, in: 0...Int64.max) }
        var found: (report: CoverageFile.Report, written: Int64)?
        do {
            found = try file?.read()
        } catch {
            throw Problem(.unavailable, error.description)
        }
        let events = found?.report.events ?? []
        let first = Int(min(after, Int64(events.count)))
        var bytes = 0
        let page = events[first...].prefix { event in
            defer { bytes += event.bytes }
            return bytes < AnswerBounds.bytes
        }
        return Envelope.success {
            $0.object {
                $0.key("written")
                $0.decimal(found?.written)
                $0.key("events")
                $0.array(of: page) { $0.event($1) }
                $0.key("next")
                if page.endIndex < events.count { $0.integer(Int64(page.endIndex)) } else { $0.null() }
            }
        }
    }
}

extension JSONBuilder {
    fileprivate mutating func event(_ event: CoverageFile.Report.Event) {
        object {
            $0.key("event")
            $0.string(event.event)
            $0.key("calls")
            $0.optional(event.calls)
            $0.key("called")
            $0.array(of: event.called ?? []) { writer, place in
                writer.object {
                    $0.key("file")
                    $0.string(place.file)
                    $0.key("line")
                    $0.integer(place.line)
                }
            }
            $0.key("fired")
            $0.optional(event.fired)
        }
    }

    private mutating func optional(_ number: Int64?) {
        if let number { integer(number) } else { null() }
    }
}

/// A report of `daybook coverage --json`: where each event is called in the sources, and how often recorded tests fired
/// it.
///
/// The file is read for each request, so that a new report shows without a restart. A value; safe to share between
/// threads.
public struct CoverageFile: Sendable {
    /// The file cannot be read, or is not a coverage report. The description says which, and what to do.
    public struct ReadError: Error, CustomStringConvertible {
        public var description: String
    }

    struct Report: Decodable {
        /// An event of the report; `nil` values were not examined.
        struct Event: Decodable {
            var event: String
            var calls: Int64?
            /// The first calls, in scan order.
            var called: [Place]?
            var fired: Int64?

            var bytes: Int { (called ?? []).reduce(event.utf8.count + 100) { $0 + $1.file.utf8.count + 30 } }
        }

        struct Place: Decodable {
            var file: String
            var line: Int64
        }

        var events: [Event]
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
    func read() throws(ReadError) -> (report: Report, written: Int64) {
        do {
            let data = Data(try RegularFile.bytes(of: path, limit: Self.limit))
            let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            guard data.count <= Self.limit else {
                throw ReadError(description: "\(path) is over \(Self.limit) bytes.")
            }
            if let line = ConflictMarkers.line(in: data) {
                throw ReadError(description: "\(path):\(line): \(ConflictMarkers.problem).")
            }
            let report = try JSONDecoder().decode(Report.self, from: data)
            return (report, Timestamp(secondsSince1970: date?.timeIntervalSince1970 ?? 0).nanoseconds)
        } catch is DecodingError {
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

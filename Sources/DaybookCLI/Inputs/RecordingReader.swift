import DaybookBase
import DaybookCollector
import DaybookOTLP
import DaybookStore
import DaybookTools
import Foundation

struct RecordingReader {
    private let path: String
    private let time: Int64
    private let stream: String?
    private var count = 0
    private var unread = Unread()
    /// The first line with unknown members.
    private var firstUnread: Int?
    /// A document over several lines: its bytes so far, and its first line; 0 if there is none.
    private var document: [UInt8] = []
    private var documentLine = 0

    init(path: String, time: Int64, stream: String?) { (self.path, self.time, self.stream) = (path, time, stream) }

    var warning: String? {
        guard let firstUnread else { return nil }
        return "\(path):\(firstUnread): \(unread.total) members are not read: \(RecordMembers.text(of: unread))"
    }

    /// A line's records; those of a document over several lines come with its last.
    mutating func records(of text: Data, line: Int) throws(InputError) -> [(RecordRow, RecordPlace)] {
        if documentLine > 0 {
            guard document.count + text.count <= RecordFile.lineLimit else {
                throw InputError(
                    file: path, line: documentLine,
                    message: "the document is over \(RecordFile.lineLimit) bytes: write one record or request a line")
            }
            document.append(0x0A)
            document += text
            return []
        }
        let bytes = Array(text)
        if RecordLine.isBlank(bytes[...]) { return [] }
        if count == 0, firstUnread == nil, RecordLine.isOpen(bytes) {
            (document, documentLine) = (bytes, line)
            return []
        }
        return try records(of: bytes, from: line)
    }

    mutating func end() throws(InputError) -> [(RecordRow, RecordPlace)] {
        documentLine > 0 ? try records(of: document, from: documentLine) : []
    }

    private mutating func records(of bytes: [UInt8], from line: Int) throws(InputError) -> [(RecordRow, RecordPlace)] {
        let before = unread.total
        defer { if firstUnread == nil, unread.total > before { firstUnread = line } }
        do {
            let object = try RecordLine.object(bytes, unread: &unread)
            if let rows = try OTLPDocument(object)?.rows(of: bytes, time: time, unread: &unread) {
                return rows.map { row, isIdentified in
                    count += 1
                    let number = row.sequence.map { Int64(clamping: $0) } ?? Int64(count)
                    return (
                        row, RecordPlace(line: line, position: count, number: number, isIdentified: isIdentified)
                    )
                }
            }
            count += 1
            let record = try RecordLine.record(
                object, of: bytes, defaults: .init(time: time, position: line, stream: stream), unread: &unread)
            let number = record.id ?? record.row.sequence.map { Int64(clamping: $0) } ?? Int64(line)
            let place = RecordPlace(
                line: line, position: count, number: number, isIdentified: record.isIdentified)
            return [(record.row, place)]
        } catch {
            if let marker = ConflictMarkers.line(in: bytes) {
                throw InputError(file: path, line: line + marker - 1, message: ConflictMarkers.problem)
            }
            let hint = documentLine > 0 ? " `jq -c .` writes each document of a file on a line of its own." : ""
            throw InputError(file: path, line: line, message: "\(error)\(hint)")
        }
    }
}

/// An OTLP request in JSON, recognized by its members' names.
private struct OTLPDocument {
    private static let members: [(names: [String], signal: OTLPSignal?)] = [
        (["resourceLogs", "resource_logs"], .logs), (["resourceSpans", "resource_spans"], .traces),
        (["resourceMetrics", "resource_metrics", "resourceProfiles", "resource_profiles"], nil),
    ]

    private var signals: [OTLPSignal] = []
    /// Of signals that are not stored.
    private var others: [String] = []

    /// `nil` if it is not such a request.
    init?(_ object: Attributes) {
        for (names, signal) in Self.members {
            let found = names.filter { object[$0] != nil }
            if found.isEmpty { continue }
            if let signal { signals.append(signal) } else { others += found }
        }
        if signals.isEmpty, others.isEmpty { return nil }
    }

    /// The rows as the collector makes them, and whether the sender named each.
    func rows(
        of bytes: [UInt8], time: Int64, unread: inout Unread
    ) throws(OTLPError) -> [(RecordRow, isIdentified: Bool)] {
        for name in others { unread.add(name) }
        var rows: [(RecordRow, isIdentified: Bool)] = []
        for signal in signals {
            var notRead = Unread()
            for batch in try OTLPRequest.batches(ofJSON: bytes, signal, now: time, unread: &notRead) {
                let named = Set(batch.identified.map(\.place))
                rows += batch.rows.enumerated().map { place, row in
                    (row, row.sequence != nil || named.contains(place))
                }
            }
            // Each signal is read separately, so another's members are not unknown.
            let others = Self.members.filter { $0.signal != signal }.flatMap { $0.names.map { "request." + $0 } }
            for (name, times) in notRead.counts where !others.contains(name) { unread.add(name, times: times) }
        }
        return rows
    }
}

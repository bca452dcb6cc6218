import DaybookBase
import DaybookChecklist
import DaybookDefinitions
import DaybookHTTP
import DaybookStore
import DaybookTools
import Foundation

/// Makes rows from a team's own requests by its rules (docs/formats/requests.md).
package struct TeamRequests: Sendable {
    /// Per request.
    private static let maximumRecords = 100_000

    private let rules: RequestRules
    /// Column types by event.
    private let types: [String: [String: ColumnType]]

    /// - Parameter definitions: supply column types for query and form texts. Default: none.
    package init(_ rules: RequestRules, definitions: Definitions = Definitions()) {
        self.rules = rules
        var types: [String: [String: ColumnType]] = [:]
        for category in definitions.categories {
            for event in category.events {
                let columns = definitions.common + category.columns + event.columns
                types["\(category.name).\(event.name)"] = Dictionary(
                    columns.map { ($0.name, $0.type) }, uniquingKeysWith: { $1 })
            }
        }
        self.types = types
    }

    /// Whether a rule matches the head, whatever the body.
    func take(_ head: HTTPRequest.Head) -> Bool { rules.take(Self.request(head)) }

    /// The request as its rules see it: the path below our prefix, and the host that a proxy forwards.
    private static func request(_ head: HTTPRequest.Head) -> RequestRules.Request {
        let path = head.path.dropFirst(IngestRoute.requests.rawValue.count)
        let query = head.query.map { "\(encoded($0.name))=\(encoded($0.value))" }.joined(separator: "&")
        let target = encoded(path, besides: "/") + (query.isEmpty ? "" : "?" + query)
        return RequestRules.Request(
            method: head.method, host: head.headers["x-forwarded-host"], target: target, body: [])
    }

    private static func encoded(_ text: some StringProtocol, besides more: String = "") -> String {
        // The unreserved characters of RFC 3986 §2.3.
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~" + more)
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }

    /// The records of a request. An entry without an event does not cause the others to be refused.
    /// - Parameters:
    ///   - body: inflated.
    ///   - now: the time of records without one, in nanoseconds since 1970.
    /// - Throws: ``OTLPError`` for an exceeded limit, or if nothing at all was found.
    func decoded(_ head: HTTPRequest.Head, _ body: [UInt8], now: Int64) throws(OTLPError) -> DecodedBody {
        var request = Self.request(head)
        // Each record may repeat what the path and query contain.
        var size = StoredSize(ofRequest: body.count + request.target.utf8.count)
        request.body = body
        var events: RequestEvents?
        do throws(RequestRules.Problem) { events = try rules.reading(request) } catch {
            throw OTLPError(error.description)
        }
        var batch = RecordBatch(rows: [])
        var decoded = DecodedBody()
        while let entry = events?.next() {
            switch entry {
            case .event(var event):
                guard batch.rows.count < Self.maximumRecords else {
                    throw OTLPError(
                        "More than \(Self.maximumRecords) records in one request. Send fewer at once.", isLimit: true)
                }
                type(&event, texts: events?.untyped ?? [])
                let row = Self.row(of: event, now: now, position: batch.rows.count)
                try size.add(row)
                if event.uid != nil {
                    batch.identified.append(.init(place: batch.rows.count, hasTime: event.time != nil))
                }
                batch.rows.append(row)
            case .refused(let refusal): decoded.refused.add(refusal)
            case .skipped(let what): decoded.skipped.add(what)
            case .absent(let what):
                throw OTLPError("\(head.method) \(request.target): nothing stands where the rules look: \(what).")
            }
        }
        if batch.rows.isEmpty, decoded.skipped.isEmpty, decoded.refused.total > 0 {
            throw OTLPError(decoded.refused.text)
        }
        decoded.unread = events?.unread ?? Unread()
        decoded.batches = [batch]
        return decoded
    }

    /// Converts texts to their columns' types; one that does not parse stays text, so that the violation is reported.
    private func type(_ event: inout RequestRules.Event, texts: Set<String>) {
        guard !texts.isEmpty, let types = types[event.tag] else { return }
        for (place, element) in event.attributes.elements.enumerated() where texts.contains(element.key) {
            guard case .string(let text) = element.value, let value = types[element.key]?.value(ofText: text) else {
                continue
            }
            event.attributes.elements[place].value = value
        }
    }

    private static func row(of event: RequestRules.Event, now: Int64, position: Int) -> RecordRow {
        var row = RecordRow(
            uid: "", time: event.time ?? now, kind: .event, level: event.severityNumber,
            tag: event.tag.storableName, attributes: JSONWriter.text(event.attributes.storable))
        // Without a uid, a resent request becomes two records.
        row.uid =
            event.uid?.storableName
            ?? RecordRow.digest(of: row, context: "", sentTime: UInt64(bitPattern: now), position: position)
        row.isDigest = event.uid == nil
        return row
    }
}

import DaybookBase
import DaybookOTLP
import DaybookStore
import DaybookTools

/// Parses OTLP requests: `ExportLogsServiceRequest` and `ExportTraceServiceRequest`, in protobuf and JSON.
///
/// Both encodings pass records to a ``RecordSink`` one by one. Known but unused fields (schema URLs, trace flags) are
/// skipped; unknown ones are counted. Source: opentelemetry-proto 1.7.
package enum OTLPRequest {
    /// The batches of a protobuf request, ready to store.
    /// - Parameters:
    ///   - now: the time of records without one, in nanoseconds since 1970.
    ///   - unread: counts unknown fields.
    package static func batches(
        ofProtobuf body: [UInt8], _ signal: OTLPSignal, now: Int64, unread: inout Unread
    ) throws(OTLPError) -> [RecordBatch] {
        switch signal {
        case .logs: try RowSink<WireLogRecord>.batches(ofProtobuf: body, now: now, &unread)
        case .traces: try RowSink<WireSpan>.batches(ofProtobuf: body, now: now, &unread)
        }
    }

    /// As above, of a JSON request.
    package static func batches(
        ofJSON body: [UInt8], _ signal: OTLPSignal, now: Int64, unread: inout Unread
    ) throws(OTLPError) -> [RecordBatch] {
        switch signal {
        case .logs: try RowSink<WireLogRecord>.batches(ofJSON: body, now: now, &unread)
        case .traces: try RowSink<WireSpan>.batches(ofJSON: body, now: now, &unread)
        }
    }

    /// As above, without counting unknown fields.
    package static func batches(
        ofProtobuf body: [UInt8], _ signal: OTLPSignal, now: Int64
    ) throws(OTLPError) -> [RecordBatch] {
        var unread = Unread()
        return try batches(ofProtobuf: body, signal, now: now, unread: &unread)
    }

    /// As above, without counting unknown members.
    package static func batches(
        ofJSON body: [UInt8], _ signal: OTLPSignal, now: Int64
    ) throws(OTLPError) -> [RecordBatch] {
        var unread = Unread()
        return try batches(ofJSON: body, signal, now: now, unread: &unread)
    }

    /// Parses a protobuf request and passes its records to a sink without copying.
    /// - Returns: unknown fields.
    /// - Throws: ``OTLPError`` with the byte offset; the request must then be refused, although the sink has some of
    ///   its records.
    @discardableResult
    package static func read<Sink: RecordSink>(
        protobuf bytes: [UInt8], into sink: inout Sink
    ) throws(OTLPError) -> Unread {
        var decoder = ProtobufDecoder(ofRequest: bytes.count)
        do {
            try bytes.withUnsafeBytes { buffer in try decoder.request(ProtobufReader(buffer), &sink) }
            return decoder.unread
        } catch let error as OTLPError {
            throw error
        } catch let error as ProtobufError {
            throw DecodingBudget.error(error).withHint(of: bytes, as: .protobuf)
        } catch {
            throw OTLPError("\(error)")
        }
    }

    /// Parses a JSON request and passes its records to a sink.
    /// - Returns: unknown members.
    /// - Throws: ``OTLPError`` with the byte offset or the member; the request must then be refused, although the sink
    ///   has some of its records.
    @discardableResult
    package static func read<Sink: RecordSink>(json bytes: [UInt8], into sink: inout Sink) throws(OTLPError) -> Unread {
        var document: JSONMessage
        do throws(OTLPError) {
            document = try JSONMessage.document(bytes)
        } catch {
            throw error.withHint(of: bytes, as: .json)
        }
        try document.request(&sink)
        return document.unread
    }
}

extension OTLPError {
    /// Adds a hint if the bytes are in another format than the head declares.
    fileprivate func withHint(of bytes: [UInt8], as format: IngestFormat) -> OTLPError {
        let start = ByteOrderMark.skipped(bytes).drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }.prefix(4)
        let hint: String? =
            if start.starts(with: [0x1F, 0x8B]) {
                "The body is gzip; the request needs Content-Encoding: gzip."
            } else if start.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
                "The body is zstd; the request needs Content-Encoding: zstd."
            } else if format == .protobuf, let first = start.first, "{[".utf8.contains(first) {
                "The body is JSON; the content type must be application/json."
            } else if format == .json, Self.isProtobuf(bytes) {
                "The body is protobuf; the content type must be application/x-protobuf."
            } else {
                nil
            }
        guard let hint, !isLimit else { return self }
        return OTLPError("\(hint) (\(reason))", path: path)
    }

    /// Whether the outermost level parses as protobuf.
    private static func isProtobuf(_ bytes: [UInt8]) -> Bool {
        bytes.first == 1 << 3 | 2
            && bytes.withUnsafeBytes { buffer in
                var reader = ProtobufReader(buffer)
                while let field = try? reader.nextField() {
                    guard field.number == 1, (try? reader.skip(field)) != nil else { return false }
                }
                return reader.isAtEnd
            }
    }
}

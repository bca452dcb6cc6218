import Daybook

extension ProtobufDecoder {
    /// Reads one message into memory that serves all of its kind.
    typealias Reading<Record> = (inout ProtobufDecoder, ProtobufReader, inout Record) throws -> Void

    /// Hands the records of a request to a sink: those of logs and of traces lie within the same resources and scopes.
    mutating func request<Sink: RecordSink>(
        _ given: ProtobufReader, _ record: inout Sink.Record, _ sink: inout Sink, _ read: Reading<Sink.Record>
    ) throws {
        var reader = given
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (1, .lengthDelimited): try resource(try reader.message(), &record, &sink, read)
            default: try reader.skip(field)
            }
        }
    }

    private mutating func resource<Sink: RecordSink>(
        _ given: ProtobufReader, _ record: inout Sink.Record, _ sink: inout Sink, _ read: Reading<Sink.Record>
    ) throws {
        try budget.takeRecord()
        sink.begin(resource: try resource(of: given))
        var reader = given
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (2, .lengthDelimited): try scope(try reader.message(), &record, &sink, read)
            default: try reader.skip(field)
            }
        }
    }

    private mutating func scope<Sink: RecordSink>(
        _ given: ProtobufReader, _ record: inout Sink.Record, _ sink: inout Sink, _ read: Reading<Sink.Record>
    ) throws {
        try budget.takeRecord()
        let (scope, count) = try scope(of: given)
        sink.begin(scope: scope, count: count)
        var reader = given
        while let field = try reader.nextField() {
            switch (field.number, field.wireType) {
            case (2, .lengthDelimited):
                try budget.takeRecord()
                try read(&self, try reader.message(), &record)
                sink.take(record)
            default: try reader.skip(field)
            }
        }
    }
}

import Daybook

/// `opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest`, decoded.
///
/// What no receiver of ours uses (schema URLs, trace flags) is passed over. Attributes dropped by the sender are counted.
/// Source: opentelemetry-proto 1.7.
package struct ExportLogsRequest: Sendable, Hashable {
    package var resources: [ResourceLogs]

    package init(resources: [ResourceLogs] = []) { self.resources = resources }
}

/// The records of one sending entity.
package struct ResourceLogs: Sendable, Hashable {
    /// What describes the sender: `service.name`, `app.installation.id`.
    package var resource = Attributes()
    package var scopes: [ScopeLogs] = []

    package init(resource: Attributes = Attributes(), scopes: [ScopeLogs] = []) {
        self.resource = resource
        self.scopes = scopes
    }
}

/// The records of one instrumentation scope.
package struct ScopeLogs: Sendable, Hashable {
    package var scope = InstrumentationScope()
    package var records: [LogRecord] = []

    package init(scope: InstrumentationScope = InstrumentationScope(), records: [LogRecord] = []) {
        self.scope = scope
        self.records = records
    }
}

/// The part of a program that made records: a logger's or a library's name.
package struct InstrumentationScope: Sendable, Hashable {
    package var name: String
    package var version: String
    package var attributes: Attributes

    package init(name: String = "", version: String = "", attributes: Attributes = Attributes()) {
        self.name = name
        self.version = version
        self.attributes = attributes
    }
}

/// One log record. Times are nanoseconds since 1970, 0 where the sender gave none.
package struct LogRecord: Sendable, Hashable {
    package var time: UInt64 = 0
    package var observedTime: UInt64 = 0
    /// 1–24, 0 for none; senders may say anything.
    package var severityNumber: Int32 = 0
    package var severityText = ""
    package var body: Value?
    package var attributes = Attributes()
    package var droppedAttributes: UInt32 = 0
    /// 32 lowercase hexadecimal digits, `nil` where absent, malformed or all zero.
    package var traceID: String?
    /// 16 lowercase hexadecimal digits, `nil` where absent, malformed or all zero.
    package var spanID: String?
    package var eventName = ""

    package init() {}
}

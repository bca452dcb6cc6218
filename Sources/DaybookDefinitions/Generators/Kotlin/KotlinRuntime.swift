/// The runtime part of every generated file, too small to be worth a library.
enum KotlinRuntime {
    static let imports = [
        "io.opentelemetry.api.common.AttributeKey", "io.opentelemetry.api.logs.LogRecordBuilder",
        "io.opentelemetry.api.logs.Logger", "io.opentelemetry.api.logs.Severity", "java.time.Instant",
        "java.time.LocalDate",
    ]

    static func text(_ overflow: SwiftOptions.Overflow) -> String {
        sending + (overflow == .reject ? rejecting : truncating) + "}\n"
    }

    private static let sending = #"""
        /** What can be logged: an event with its columns. */
        interface LogEvent {
            /** `category.event`. */
            val eventName: String

            fun encode(fields: LogFields)
        }

        /** A type of the app's own, as the text that is logged. */
        interface LogValue {
            val logValue: String
        }

        /**
         * Sends events through OpenTelemetry. May be used on any thread.
         *
         * @property context the common columns of the events from now on
         * @param hash what takes a sensitive value's place: a keyed hash whose key does not leave the device
         */
        class EventLog(private val logger: Logger, @Volatile var context: CommonPayload?, private val hash: (String) -> String) {
            fun post(event: LogEvent) {
                val record = logger.logRecordBuilder().setSeverity(Severity.INFO).setEventName(event.eventName)
                val fields = LogFields(record, hash)
                event.encode(fields)
                context?.encode(fields)
                record.emit()
            }
        }

        /** The columns of a record; what is null is left out. */
        class LogFields(private val record: LogRecordBuilder, private val hash: (String) -> String) {
            fun add(name: String, value: Long?) {
                if (value != null) record.setAttribute(AttributeKey.longKey(name), value)
            }

            /** What is no number travels as text, as JSON knows no such number. */
            fun add(name: String, value: Double?) {
                if (value == null) return
                if (value.isNaN() || value.isInfinite()) add(name, value.toString())
                else record.setAttribute(AttributeKey.doubleKey(name), value)
            }

            fun add(name: String, value: Boolean?) {
                if (value != null) record.setAttribute(AttributeKey.booleanKey(name), value)
            }

            fun add(name: String, value: String?) {
                if (value != null) record.setAttribute(AttributeKey.stringKey(name), value)
            }

            fun add(name: String, value: LocalDate?) = add(name, value?.toString())

            fun add(name: String, value: Instant?) = add(name, value?.toString())

            fun add(name: String, value: LogValue?) = add(name, value?.logValue)

            fun addSensitive(name: String, value: String?) {
                if (value != null) add(name, hash(value))
            }


        """#

    private static let truncating = #"""
            /** Cut to [limit] bytes of UTF-8, never inside a character. */
            fun add(name: String, value: String?, limit: Int) {
                if (value != null) add(name, cut(value, limit))
            }

            private fun cut(text: String, limit: Int): String {
                var bytes = 0
                var index = 0
                while (index < text.length) {
                    val code = text.codePointAt(index)
                    bytes += if (code < 0x80) 1 else if (code < 0x800) 2 else if (code < 0x10000) 3 else 4
                    if (bytes > limit) return text.substring(0, index)
                    index += Character.charCount(code)
                }
                return text
            }

        """#

    private static let rejecting = #"""
            /** Left out where it has more than [limit] bytes of UTF-8; `daybook.rejected.NAME` says so. */
            fun add(name: String, value: String?, limit: Int) {
                if (value == null) return
                if (value.toByteArray().size <= limit) add(name, value) else add("daybook.rejected.$name", "too_long")
            }

        """#
}

import Daybook
import Logging

extension Record {
    /// A swift-log event without its metadata.
    init(_ event: Logging.LogEvent, level: Level, tag: String) {
        self =
            event.error.map { Record(error: $0, level: level, tag: tag) }
            ?? Record(time: 0, kind: .message, level: level, tag: tag)
        message = event.message.description
        file = event.file
        function = event.function
        line = Int(clamping: event.line)
        // Daybook has no level between info and warning, so the name is kept.
        if event.level == .notice { attributes["swift_log.level"] = "notice" }
    }
}

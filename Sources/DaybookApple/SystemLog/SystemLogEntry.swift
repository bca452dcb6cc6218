import Daybook

/// One line of the system's log, as somebody wrote it there.
package struct SystemLogEntry: Sendable, Hashable {
    /// Nanoseconds since 1970.
    package var time: Int64
    package var level: Level
    package var subsystem: String
    package var category: String
    /// The framework or program that wrote it.
    package var sender: String
    package var text: String

    package init(time: Int64, level: Level, subsystem: String, category: String, sender: String, text: String) {
        self.time = time
        self.level = level
        self.subsystem = subsystem
        self.category = category
        self.sender = sender
        self.text = text
    }

    /// The message that it is taken over as: its tag is `system.` and the subsystem, or the sender where there is none.
    package var record: Record {
        Record(
            time: time, kind: .message, level: level, tag: "system." + (subsystem.isEmpty ? sender : subsystem),
            message: text, attributes: ["oslog.category": .string(category), "oslog.sender": .string(sender)])
    }
}

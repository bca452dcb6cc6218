import Daybook

/// What the system's log may show of records to whoever reads it.
public enum SystemLogPrivacy: Sendable, Hashable {
    /// Everything but the columns that the definitions call private: these are there while a debugger is attached, and
    /// `<private>` otherwise. The default.
    case asDefined
    /// The tag alone; texts and values are there while a debugger is attached.
    case tagsOnly
}

/// The two parts of a record's line in the system's log.
package struct SystemLogText: Sendable, Hashable {
    /// For everyone who can read the device's log.
    package var open: String
    /// For a debugger; `nil` where nothing is to be hidden.
    package var hidden: String?

    package init(_ record: Record, privacy: SystemLogPrivacy) {
        // The system's log has its own time, level and category.
        var format = TextFormat.line
        format.time = .hidden
        format.icons = .none
        format.colours = .never
        switch privacy {
        case .asDefined:
            open = format.text(of: record)
            let values = Attributes(
                record.attributes.elements.filter { record.privateNames.contains($0.key) }.map { ($0.key, $0.value) })
            hidden = values.isEmpty ? nil : TextFormat.printable(JSONWriter.text(values))
        case .tagsOnly:
            open = TextFormat.printable(record.tag)
            format.showsPrivate = true
            hidden = format.text(of: record)
        }
    }
}

import Daybook
import DaybookJournal
import DaybookJournalInspection
import DaybookTools

extension Command {
    static let journalCheck = Command(
        name: "journal check", summary: "Verify a journal's files",
        operands: ("DIR", 1...1),
        details: """
            Changes nothing, and may run while an app writes. Exit status 1 if something is damaged, 2 if no journal is there.
            """
    ) { arguments, console in
        let report = try JournalInspection(directory: arguments.operands[0]).check()
        try report.checkFiles(in: arguments.operands[0])
        console.output(JournalText.summary(of: report))
        for problem in report.problems { console.errors("\("\(problem)".printable)\n") }
        return report.isIntact ? .done : .no
    }

    static let journalDump = Command(
        name: "journal dump", summary: "Print a journal's frames, one JSON object per line",
        options: [Masking.flag],
        operands: ("DIR", 1...1),
        details:
            "Records are decoded; the journal's own frames show their flags and size. Exit status 2 if no journal is there."
    ) { arguments, console in
        let masking = try Masking.policy(arguments)
        let journal = JournalInspection(directory: arguments.operands[0])
        var isEmpty = true
        try journal.dump { frame in
            isEmpty = false
            console.output(JournalText.line(of: frame, masking))
            return true
        }
        guard isEmpty else { return .done }
        let report = try journal.check()
        try report.checkFiles(in: arguments.operands[0])
        console.errors("note: the journal has no frame that can be read\n")
        return report.isIntact ? .done : .no
    }
}

extension JournalReport {
    /// - Throws: ``InputError`` if there is no journal.
    fileprivate func checkFiles(in directory: String) throws(InputError) {
        if !hasFiles { throw InputError(file: directory, message: "there is no journal here") }
    }
}

enum JournalText {
    static func summary(of report: JournalReport) -> String {
        var lines = report.segments.map { segment in
            "\(segment.name)  \(segment.byteCount) bytes  frames \(segment.frames)  records \(segment.records)  "
                + "sequences \(segment.firstSequence)–\(segment.lastSequence)\(segment.isSealed ? "" : "  open")"
        }
        lines += report.rings.map { ring in
            "\(ring.name)  \(ring.byteCount) bytes  frames \(ring.frames)  records \(ring.records) in no segment yet"
        }
        lines += report.cursors.map { "cursor \($0.output)  done through \($0.sequence)" }
        lines += report.setAside.map { "set aside \($0)" }
        lines += report.writers.map { "another writer's journal \($0)" }
        let records = report.segments.reduce(0) { $0 + $1.records } + report.rings.reduce(0) { $0 + $1.records }
        let state =
            report.problems.isEmpty
            ? "intact" : report.isIntact ? "intact, but for what a kill or a loss of power takes" : "damaged"
        lines.append("\(state): \(report.segments.count) segments, \(records) records")
        return lines.map { $0.printable + "\n" }.joined()
    }

    static func line(of frame: DumpedFrame, _ masking: MaskingPolicy?) -> String {
        var object: Attributes = [
            "segment": .string(frame.segment),
            "offset": .int(Int64(frame.offset)),
            "seq": Value(frame.sequence),
            "flags": Value(frame.flags.rawValue),
            "outputs": .array(frame.outputs.map { .string($0) }),
            "context_version": Value(frame.contextVersion),
            "bytes": .int(Int64(frame.payload.count)),
        ]
        let isSpan = !frame.flags.isDisjoint(with: .spanStart.union(.spanEnd))
        if !frame.flags.isJournals,
            let record = try? frame.payload.withUnsafeBytes({ try RecordDecoder.decode($0, isSpan: isSpan) })
        {
            let record = masking.map(record.masked) ?? record
            object["time"] = .string(Timestamp(nanoseconds: record.time).rfc3339(fractionDigits: 9))
            object["kind"] = .string(record.kind.rawValue)
            object["level"] = .string(record.level.name)
            object["tag"] = .string(record.tag)
            object["message"] = record.message.map { .string($0) }
            object["attributes"] = .object(record.attributes)
        }
        return JSONWriter.text(object) + "\n"
    }
}

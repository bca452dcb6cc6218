import DaybookJournal

extension Command {
    static let journalCheck = Command(
        name: "journal check", summary: "Verify a journal's files",
        operands: ("DIR", 1...1),
        details: "Changes nothing, and may run while an app writes. Exit status 1 if something is damaged."
    ) { arguments, console in
        let report = try JournalInspection(directory: arguments.operands[0]).check()
        console.output(JournalText.summary(of: report))
        for problem in report.problems { console.errors("\(problem)\n") }
        return report.isIntact ? .done : .no
    }

    static let journalDump = Command(
        name: "journal dump", summary: "Print a journal's frames, one JSON object a line",
        operands: ("DIR", 1...1), details: "Records are decoded; the journal's own frames show their flags and size."
    ) { arguments, console in
        try JournalInspection(directory: arguments.operands[0]).dump { frame in
            console.output(JournalText.line(of: frame))
            return true
        }
        return .done
    }
}

import DaybookBase
import DaybookTools

/// The output of `daybook coverage`.
public struct CoverageReport: Sendable {
    private let coverage: Coverage
    private let required: [Coverage.Stage]

    /// Creates a report.
    ///
    /// - Parameter required: The stages that every event in use must have reached for exit code 0.
    public init(_ coverage: Coverage, required: [Coverage.Stage]) {
        self.coverage = coverage
        self.required = required
    }

    /// The format of the report.
    public enum Format: Sendable { case text, json, markdown }

    /// The outcome: exit code 0 if every event in use has reached the required stages, else 1; 2 if none is in use.
    public func outcome(_ format: Format) -> CommandOutcome {
        let output =
            switch format {
            case .text: text
            case .json: json
            case .markdown: markdown
            }
        guard coverage.inUse > 0 else {
            return CommandOutcome(
                output: output, errors: "error: nothing was judged: no event in use is defined\n", exitCode: 2)
        }
        return CommandOutcome(output: output, exitCode: coverage.missing(required).isEmpty ? 0 : 1)
    }

    private var stages: String { required.map(\.rawValue).joined(separator: ", ") }

    private func lacking(_ row: Coverage.Row) -> String {
        row.lacking(required).map(\.rawValue).joined(separator: ", ")
    }

    /// For a pull request: missing events first, then all.
    private var markdown: String {
        let missing = coverage.missing(required)
        let inUse = coverage.inUse
        var lines = ["**\(inUse - missing.count) of \(inUse)** events in use are \(stages).", ""]
        if inUse == 0 { lines[0] = "**Nothing judged.** No event in use is defined." }
        for row in missing {
            let place = Markdown.text("\(row.location.file):\(row.location.line)")
            lines.append("- [ ] \(Markdown.text(row.tag)) is not \(lacking(row)) (\(place))")
        }
        for (tag, count) in coverage.undefined {
            lines.append("- [ ] \(Markdown.text(tag)) has no definition (\(count))")
        }
        if lines.count > 2 { lines.append("") }
        lines += ["| event | called | fired | seen |", "|---|---|---|---|"]
        for row in coverage.rows {
            let name = Markdown.cell(row.tag) + (row.isObsolete ? " (obsolete)" : "")
            let cells = [
                name, row.called?.places.isEmpty == false ? Markdown.cell(called(row)) : called(row),
                row.fired.map(String.init) ?? "?", row.seen?.isEmpty == false ? Markdown.cell(seen(row)) : seen(row),
            ]
            lines.append("| \(cells.joined(separator: " | ")) |")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private var text: String {
        var table = [["EVENT", "CALLED", "FIRED", "SEEN"]]
        for row in coverage.rows {
            table.append([
                row.tag.printable + (row.isObsolete ? " [obsolete]" : ""), called(row).printable,
                row.fired.map(String.init) ?? "?", seen(row).printable,
            ])
        }
        let widths = (0..<3).map { column in table.map { $0[column].count }.max() ?? 0 }
        var lines = table.map { cells in
            zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
                + "  " + cells[3]
        }
        for (tag, count) in coverage.undefined { lines.append("\(tag.printable): \(count) without a definition") }
        let missing = coverage.missing(required)
        for row in missing {
            lines.append("\(row.location): \(row.tag) is defined and not \(lacking(row))".printable)
        }
        let inUse = coverage.inUse
        lines.append(
            inUse == 0 ? "nothing judged" : "\(inUse - missing.count) of \(inUse) events in use are \(stages)")
        return lines.map { $0 + "\n" }.joined()
    }

    private func called(_ row: Coverage.Row) -> String {
        guard let called = row.called else { return "?" }
        guard let first = called.places.first else { return "-" }
        return "\(first.file):\(first.line)" + (called.count > 1 ? " +\(called.count - 1)" : "")
    }

    private func seen(_ row: Coverage.Row) -> String {
        guard let seen = row.seen else { return "?" }
        guard !seen.isEmpty else { return "-" }
        return seen.prefix(3).map { "\($0.version ?? "?"): \($0.count)" }.joined(separator: ", ")
            + (seen.count > 3 ? ", …" : "")
    }

    private var json: String {
        let missing = coverage.missing(required)
        return JSONWriter.indentedText([
            "ok": .bool(missing.isEmpty && coverage.inUse > 0), "judged": Value(coverage.inUse),
            "required": .array(required.map { .string($0.rawValue) }),
            "missing": .array(missing.map { .string($0.tag) }), "events": .array(coverage.rows.map(json)),
            "undefined": .array(coverage.undefined.map { ["event": .string($0.tag), "count": Value($0.count)] }),
        ]).printableJSON
    }

    private func json(_ row: Coverage.Row) -> Value {
        let called = row.called?.places.map { ["file": .string($0.file), "line": Value($0.line)] as Value }
        let seen = row.seen?.map { ["version": Value($0.version), "count": Value($0.count)] as Value }
        return [
            "event": .string(row.tag), "file": .string(row.location.file), "line": Value(row.location.line),
            "obsolete": .bool(row.isObsolete), "metrics": .array(row.metrics.map(Value.string)),
            "calls": row.called.map { Value($0.count) } ?? .null, "called": called.map(Value.array) ?? .null,
            "fired": row.fired.map { Value($0) } ?? .null, "seen": seen.map(Value.array) ?? .null,
        ]
    }
}

import DaybookBase
import DaybookDefinitions
import DaybookTools

/// A board: a page of saved queries, read from Markdown. Format: docs/formats/boards.md.
package struct Board: Sendable, Hashable {
    /// How to draw an answer. `nil` columns are chosen by type.
    package struct Chart: Sendable, Hashable {
        package enum Kind: String, Sendable, CaseIterable {
            case table, line, area, bar, number
        }

        package var kind = Kind.table
        package var x: String?
        /// In order; empty for all numeric columns.
        package var y: [String] = []
        package var series: String?

        package init() {}

        package var columns: [(setting: String, name: String)] {
            [("x", x)].compactMap { name, column in column.map { (name, $0) } } + y.map { ("y", $0) }
                + [("series", series)].compactMap { name, column in column.map { (name, $0) } }
        }
    }

    package enum Content: Sendable, Hashable {
        case heading
        case prose(String)
        case sql(String, Chart)
        /// A record filter, as in the history's address or search field.
        case filter(String)
    }

    package struct Block: Sendable, Hashable {
        /// The heading above it; before the first heading, the board's title.
        package var title: String
        package var content: Content
        /// The first line, from 1.
        package var line: Int
        /// The statement's position; `nil` for other content, or without a file.
        package var place: StatementPlace?
    }

    /// The file's name without folder and extension.
    package var id: String
    package var title: String
    package var file: String
    package var blocks: [Block]
}

extension Board {
    /// Statements' probable mistakes.
    /// - Parameter masking: Values hidden from the statements.
    package func warnings(_ tables: StatementTables, masking: MaskingPolicy?) -> [Diagnostic] {
        blocks.flatMap { block -> [Diagnostic] in
            guard case .sql(let sql, _) = block.content else { return [] }
            // A board from a collector lacks the lines around its statements.
            let place = block.place ?? StatementPlace(of: [sql], line: block.line + 1, indent: 0)
            return tables.warnings(of: sql, masking: masking).map { warning in
                let (line, column) = place.place(of: warning)
                return .warning(SourceLocation(file: file, line: line, column: column), warning.message)
            }
        }
    }
}

extension Board.Chart {
    /// The settings after ```` ```sql ````; empty for a table.
    package var text: String {
        guard self != Self() else { return "" }
        let settings = [
            ("chart", kind.rawValue), ("x", x ?? ""), ("y", y.joined(separator: ",")), ("series", series ?? ""),
        ]
        return settings.filter { !$0.1.isEmpty }.map { " \($0.0)=\(Self.quoted($0.1))" }.joined()
    }

    private static func quoted(_ value: String) -> String {
        value.contains(where: \.isWhitespace) ? "\"\(value)\"" : value
    }
}

extension Board {
    package static func text(title: String, sql: String, chart: Chart) -> String {
        let lines = sql.split(whereSeparator: \.isNewline)
        let longest = lines.map { line in line.drop { $0 == " " }.prefix { $0 == "`" }.count }.max() ?? 0
        let fence = String(repeating: "`", count: max(3, longest + 1))
        return "## \(MarkdownText.heading(title))\n\n\(fence)sql\(chart.text)\n\(sql)\n\(fence)\n"
    }
}

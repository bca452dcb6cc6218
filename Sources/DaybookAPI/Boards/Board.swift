import DaybookBase
import DaybookDefinitions
import DaybookTools

/// A page of questions to the store, as its Markdown says; docs/formats/boards.md describes it.
package struct Board: Sendable, Hashable {
    /// How an answer is drawn. Columns that are `nil` are chosen by their types.
    package struct Chart: Sendable, Hashable {
        package enum Kind: String, Sendable, CaseIterable {
            case table, line, area, bar, number
        }

        package var kind = Kind.table
        package var x: String?
        /// In their order; empty where all numbers are values.
        package var y: [String] = []
        package var series: String?

        package init() {}

        /// The columns that are named, with the settings that do.
        package var columns: [(setting: String, name: String)] {
            [("x", x)].compactMap { name, column in column.map { (name, $0) } } + y.map { ("y", $0) }
                + [("series", series)].compactMap { name, column in column.map { (name, $0) } }
        }
    }

    /// A part of the page.
    package enum Content: Sendable, Hashable {
        case heading
        case prose(String)
        case sql(String, Chart)
        /// A filter of the history, as its address or its search field has it.
        case filter(String)
    }

    package struct Block: Sendable, Hashable {
        /// The heading that it stands under; the board's title above the first.
        package var title: String
        package var content: Content
        /// Where it begins, from 1.
        package var line: Int
        /// Where a statement stands; `nil` for what is none, and for what was not read from a file.
        package var place: StatementPlace?
    }

    /// The file's name without folder and ending.
    package var id: String
    package var title: String
    package var file: String
    package var blocks: [Block]
}

extension Board {
    /// What its statements say and hardly mean.
    /// - Parameter masking: what they do not see.
    package func warnings(_ tables: StatementTables, masking: MaskingPolicy?) -> [Diagnostic] {
        blocks.flatMap { block -> [Diagnostic] in
            guard case .sql(let sql, _) = block.content else { return [] }
            // A collector's board comes without the lines around its statements.
            let place = block.place ?? StatementPlace(of: [sql], line: block.line + 1, indent: 0)
            return tables.warnings(of: sql, masking: masking).map { warning in
                let (line, column) = place.place(of: warning)
                return .warning(SourceLocation(file: file, line: line, column: column), warning.message)
            }
        }
    }
}

extension Board.Chart {
    /// As it stands behind ```` ```sql ````; empty for a table.
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
    /// A block as it is written into a file: a heading, and the statement under it.
    package static func text(title: String, sql: String, chart: Chart) -> String {
        let lines = sql.split(whereSeparator: \.isNewline)
        let longest = lines.map { line in line.drop { $0 == " " }.prefix { $0 == "`" }.count }.max() ?? 0
        let fence = String(repeating: "`", count: max(3, longest + 1))
        return "## \(MarkdownText.heading(title))\n\n\(fence)sql\(chart.text)\n\(sql)\n\(fence)\n"
    }
}

import DaybookBase
import DaybookTools

/// Parses a column's type: `!string? 256`, `!bigint`, `SearchOrder?`.
enum TypeParser {
    /// The type at the cursor, or `nil` with an error in `diagnostics`.
    static func parse(
        _ cursor: inout ScalarCursor, line: PlacedText, file: String, diagnostics: inout [Diagnostic]
    ) -> (type: ColumnType, isOptional: Bool)? {
        let start = cursor.offset
        let place = line.location(in: file, offset: start)
        let isBuiltIn = cursor.skip("!")
        let name = cursor.take { $0.isNameScalar }
        guard !name.isEmpty else {
            diagnostics.append(missing(cursor, at: place))
            return nil
        }
        let isOptional = cursor.skip("?")
        guard cursor.isAtEnd || cursor.next == "[" || cursor.next?.isWhiteSpace == true else {
            cursor.move(to: start)
            let word = cursor.take { !$0.isWhiteSpace }
            diagnostics.append(
                .error(place, "`\(word.clipped)` is not a type", hint: "write `!bigint`, `!string 256` or a name"))
            return nil
        }
        let limitPlace = limitOffset(cursor)
        var limit: Int?
        if let limitPlace {
            cursor.move(to: limitPlace)
            let digits = cursor.take { $0.isASCIIDigit }
            limit = Int(digits) ?? -1
        }
        let type: ColumnType
        if isBuiltIn {
            guard let known = ColumnType(builtIn: name, limit: limit) else {
                diagnostics.append(unknown(name, at: place))
                return nil
            }
            type = known
        } else {
            type = .custom(name)
            if let error = check(custom: name, at: place) { diagnostics.append(error) }
        }
        if let limitPlace, let limit {
            let there = line.location(in: file, offset: limitPlace)
            if name != "string" || !isBuiltIn {
                diagnostics.append(.error(there, "`\(type.source)` has no limit", hint: "only `!string` may have one"))
            } else if limit < 1 || limit > Int(Int32.max) {
                diagnostics.append(.error(there, "a limit is a number of bytes from 1 to \(Int32.max)"))
            }
            if cursor.skip("?") {
                let hint = "to make the column optional, write `!string? \(limit)`"
                diagnostics.append(.warning(there, "`?` after the limit is ignored", hint: hint))
            }
        }
        return (type, isOptional)
    }

    /// Where the limit begins, if white space and a digit follow.
    private static func limitOffset(_ cursor: ScalarCursor) -> Int? {
        var ahead = cursor
        ahead.skipSpaces()
        guard ahead.offset > cursor.offset, ahead.next?.isASCIIDigit == true else { return nil }
        return ahead.offset
    }

    private static func missing(_ cursor: ScalarCursor, at place: SourceLocation) -> Diagnostic {
        if cursor.next == "！" {
            return .error(place, "the mark before the type is a full-width `！`", hint: "write `!`")
        }
        return .error(place, "the column has no type", hint: "write a type such as `!bigint` after the colon")
    }

    private static func unknown(_ name: String, at place: SourceLocation) -> Diagnostic {
        let synonyms = [
            "int": "integer", "int16": "smallint", "int32": "integer", "int64": "bigint", "long": "bigint",
            "float": "real", "number": "double", "numeric": "double", "text": "string", "varchar": "string",
            "datetime": "timestamp", "time": "timestamp", "timestampz": "timestamptz",
        ]
        let meant = synonyms[name.lowercased()] ?? NearestName.of(name, among: ColumnType.builtInNames)
        let all = ColumnType.builtInNames.map { "!\($0)" }.joined(separator: " ")
        return .error(
            place, "unknown type `!\(name.clipped)`",
            hint: meant.map { "did you mean `!\($0)`?" } ?? "the types are \(all)")
    }

    private static func check(custom name: String, at place: SourceLocation) -> Diagnostic? {
        if name.unicodeScalars.first?.isASCIIDigit == true {
            return .error(place, "the type `\(name.clipped)` begins with a digit")
        }
        if ColumnType.builtInNames.contains(name) {
            return .warning(
                place, "`\(name)` without `!` is a type of your own", hint: "did you mean `!\(name)`?")
        }
        return nil
    }
}

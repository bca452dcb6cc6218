import DaybookBase

/// Writes the JSON that the original format's tool prints, so that scripts based on it keep working, with additional
/// members of ours: `is_obsolete`, and a column's `classification` and `values`.
///
/// Descriptions are plain text in it, so Markdown's marks are removed as the original tool does.
public enum DumpGenerator {
    /// One member per category, including `common`.
    public static func generate(_ definitions: Definitions) -> String {
        var members = definitions.categories.map { ($0.name, dump($0)) }
        if let location = definitions.commonLocation {
            let common = Category(
                name: DefinitionFile.commonName, description: definitions.commonDescription,
                columns: definitions.common, location: location)
            members.append((common.name, dump(common)))
        }
        members.sort { $0.0 < $1.0 }
        return JSONWriter.indentedText(.object(Attributes(members)))
    }

    private static func dump(_ category: Category) -> Value {
        [
            "name": .string(category.name),
            "events": .object(Attributes(category.events.map { ($0.name, dump($0)) })),
            "descriptions": paragraphs(category.description),
            "common_columns": .array(category.columns.map(dump)),
        ]
    }

    private static func dump(_ event: Event) -> Value {
        [
            "name": .string(event.name),
            "columns": .array(event.columns.map(dump)),
            "descriptions": paragraphs(event.description),
            "is_obsolete": .bool(event.isObsolete),
        ]
    }

    private static func dump(_ column: Column) -> Value {
        [
            "name": .string(column.name),
            "type": [
                "name": .string(column.type.name),
                "optional": .bool(column.isOptional),
                "is_custom": .bool(column.type.isCustom),
                "str_length": column.type.limit.map { Value($0) } ?? .null,
            ],
            "descriptions": .array(descriptions(column.details).map(Value.string)),
            "is_obsolete": .bool(column.isObsolete),
            "classification": .string(column.classification.rawValue),
            "values": .array(column.values.map { .string($0.value) }),
        ]
    }

    private static func paragraphs(_ description: String) -> Value {
        .array(Prose.paragraphs(of: description).map { .string(PlainText.of($0)) })
    }

    /// As in the original, an item's text ends with its children's.
    private static func descriptions(_ details: [Column.Detail]) -> [String] {
        var texts = details.map { PlainText.of($0.text) }
        let depths = details.originalDepths
        for index in texts.indices.reversed() {
            var children: [String] = []
            for child in details.indices[(index + 1)...] {
                if depths[child] <= depths[index] { break }
                if depths[child] == depths[index] + 1 { children.append(texts[child]) }
            }
            if !children.isEmpty { texts[index] += "\n\n\n" + children.joined(separator: "\n") + "\n" }
        }
        return texts
    }
}

extension [Column.Detail] {
    /// Each item's depth in the original format, from 1.
    ///
    /// Its Markdown parser strips up to four spaces from every line below an item, so two steps of two spaces are one
    /// level. Our parser follows the visible indentation; only the dump needs theirs.
    var originalDepths: [Int] {
        var depths = [Int](repeating: 1, count: count)
        assign(1, to: indices, rests: map { Swift.max(0, $0.indent - 4) }, in: &depths)
        return depths
    }

    private func assign(_ depth: Int, to range: Range<Int>, rests: [Int], in depths: inout [Int]) {
        guard let first = range.first else { return }
        let sibling = Swift.min(4, rests[first])
        var start = first
        while start < range.upperBound {
            depths[start] = depth
            let end =
                depth == ListScanner.greatestDepth
                ? start + 1 : range[(start + 1)...].first { Swift.min(4, rests[$0]) == sibling } ?? range.upperBound
            if end > start + 1 {
                let inner = rests[(start + 1)..<end].map { Swift.max(0, $0 - 4) }
                let slice = Array(self[(start + 1)..<end])
                var below = [Int](repeating: 1, count: slice.count)
                slice.assign(depth + 1, to: slice.indices, rests: inner, in: &below)
                depths.replaceSubrange((start + 1)..<end, with: below)
            }
            start = end
        }
    }
}

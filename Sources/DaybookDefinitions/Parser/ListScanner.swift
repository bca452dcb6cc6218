/// Reads one bulleted list and everything nested in it.
enum ListScanner {
    /// Nested items deeper than this count as this deep.
    static let greatestDepth = 8

    /// The list that begins at `lines[index]`; `index` moves behind it.
    static func list(in lines: [SourceLine], from index: inout Int) -> [ListItem] {
        let base = lines[index].indent
        var items: [ListItem] = []
        // The indents of the open nested items, outermost first.
        var open: [Int] = []
        var afterBlank = false
        while index < lines.count {
            let line = lines[index]
            if line.isBlank {
                afterBlank = true
                index += 1
                continue
            }
            if line.headingLevel > 0 || line.isRule || (line.indent <= base && (line.fence != nil || line.opensComment))
            {
                break
            }
            if let text = line.bulletText, line.indent <= base {
                items.append(ListItem(lines: [line.text(from: text)]))
                open = []
            } else if let text = line.bulletText ?? line.numberText, line.indent > base {
                while let last = open.last, last >= line.indent { open.removeLast() }
                open.append(line.indent)
                let depth = min(open.count, greatestDepth)
                items[items.count - 1].nested.append(
                    NestedItem(depth: depth, indent: line.indent, lines: [line.text(from: text)]))
            } else if line.indent <= base, afterBlank || line.numberText != nil || line.isQuote {
                break
            } else {
                continueItem(&items[items.count - 1], with: line.text(from: line.start))
            }
            afterBlank = false
            index += 1
        }
        return items
    }

    /// Text without a bullet belongs to the innermost item above it.
    private static func continueItem(_ item: inout ListItem, with line: TextLine) {
        if item.nested.isEmpty {
            item.lines.append(line)
        } else {
            item.nested[item.nested.count - 1].lines.append(line)
        }
    }
}

import DaybookOTLP

/// Texts that come again and again in a request, copied once: tags, sessions, files.
///
/// A table without chains: a text whose place is taken takes it over.
struct TextCache {
    private var texts = [String](repeating: "", count: 64)

    /// The text, copied.
    mutating func string(_ text: WireText) -> String {
        let place = Int(truncatingIfNeeded: text.mark) & (texts.count - 1)
        if text.isEqual(to: texts[place]) { return texts[place] }
        let string = text.string
        texts[place] = string
        return string
    }
}

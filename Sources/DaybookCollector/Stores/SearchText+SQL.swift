import DaybookStore

extension SearchText {
    /// Whether an engine that knows NFKC and the case of ASCII's letters finds exactly what Daybook would: letters of
    /// ASCII and what has no case.
    /// - Parameter marks: characters that stand otherwise in the engine's form of JSON.
    func isComparable(without marks: Set<UInt32>) -> Bool {
        String(decoding: plain, as: UTF8.self).unicodeScalars.allSatisfy { scalar in
            guard !marks.contains(scalar.value) else { return false }
            return switch scalar.value {
            case 0x20...0x7E, 0x3001...0x3029, 0x3041...0x3096, 0x30A1...0x30FE, 0x4E00...0x9FFF: true
            default: false
            }
        }
    }
}

/// Texts that occur again and again, numbered.
struct NameTable {
    private var numbers: [UInt64: Int] = [:]
    private var names: [String] = []

    init() {}

    /// A text's number. Two texts with one 64-bit hash would be taken for one: of a million values that happens with a
    /// chance of one in thirty million.
    mutating func number(of text: UnsafeBufferPointer<UInt8>) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        if let number = numbers[hash] { return number }
        names.append(String(decoding: text, as: UTF8.self))
        numbers[hash] = names.count - 1
        return names.count - 1
    }

    mutating func number(of text: String) -> Int {
        var text = text
        return text.withUTF8 { number(of: $0) }
    }

    func name(_ number: Int) -> String { names[number] }
}

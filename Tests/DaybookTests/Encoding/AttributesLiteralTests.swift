import Testing

@testable import Daybook

struct AttributesLiteralTests {
    /// The literal's array is taken over as it is, which rests on this.
    @Test func anElementAndATupleHaveTheSameLayout() {
        #expect(MemoryLayout<Attributes.Element>.size == MemoryLayout<(String, Value)>.size)
        #expect(MemoryLayout<Attributes.Element>.stride == MemoryLayout<(String, Value)>.stride)
        #expect(MemoryLayout<Attributes.Element>.alignment == MemoryLayout<(String, Value)>.alignment)
        #expect(
            MemoryLayout<Attributes.Element>.offset(of: \.value) == MemoryLayout<(String, Value)>.offset(of: \.1))
    }

    @Test func aLiteralKeepsItsOrderAndCanBeChanged() {
        let text = String(repeating: "long ", count: 10)
        var attributes: Attributes = ["b": .string(text), "a": 2, "list": [1, [2, "x"]], "none": nil]
        let copy = attributes
        attributes["a"] = 3
        attributes.elements.append(Attributes.Element("z", .string(text + "!")))
        #expect(attributes.elements.map(\.key) == ["b", "a", "list", "none", "z"])
        #expect(attributes["a"] == 3 && copy["a"] == 2)
        #expect(copy["b"] == .string(text) && copy.elements.count == 4)
    }
}

import Testing

@testable import Daybook

struct AttributesLiteralTests {
    /// The two are stored differently, which must not show.
    @Test("A literal equals attributes built from the same entries") func literalEqualsEntries() {
        let literal: Attributes = ["b": "two", "a": 1, "b": ["x": nil]]
        let pairs: [(String, Value)] = [("b", "two"), ("a", 1), ("b", ["x": nil])]
        let entries = Attributes(pairs)
        #expect(literal == entries && literal.hashValue == entries.hashValue)
        #expect(literal != ["a": 1, "b": "two", "b": ["x": nil]])
        #expect(literal.elements == entries.elements && "\(literal)" == "\(entries)")
        #expect(literal["b"] == .object(["x": .null]) && literal["c"] == nil)
        #expect(([:] as Attributes).isEmpty && Attributes() == [:])
    }

    @Test("Attributes print as a Swift literal") func printsAsLiteral() {
        let nested: Attributes = ["deep": [1, 2.5, nil]]
        let attributes: Attributes = [
            "a": 1, "b \"c\"": "egg\n", "d": true, "e": .bytes([1, 2]), "f": .object(nested), "g": .array([]),
            "h": .object([:]),
        ]
        #expect(
            "\(attributes)" == #"["a": 1, "b \"c\"": "egg\n", "d": true, "e": .bytes([1, 2]), "#
                + #""f": ["deep": [1, 2.5, nil]], "g": [], "h": [:]]"#)
        #expect("\(Attributes())" == "[:]" && "\(Attributes([("a", 1)]))" == #"["a": 1]"#)
    }

    @Test("A literal keeps its order and can be mutated") func literalKeepsOrder() {
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

import DaybookBase
import Testing

@Suite struct ValueTests {
    /// Similar values of every kind.
    private static let values: [Value] = [
        .null, .bool(false), .bool(true), .int(0), .int(1), .double(0), .double(1), .string(""), .string("1"),
        .bytes([]),
        .bytes([1]), .array([]), .array([1]), .array([[1]]), .object([:]), .object(["a": 1]), .object(["a": [1]]),
    ]

    @Test("A value equals itself and no other") func valuesDiffer() {
        for (index, value) in Self.values.enumerated() {
            for (place, other) in Self.values.enumerated() {
                #expect((value == other) == (index == place), "\(value) and \(other)")
            }
        }
        #expect(Value.double(.nan) != .double(.nan))
    }

    @Test("Equal values have equal hashes") func equalValuesHashEqual() {
        // An object from a literal stores its pairs as they are; a changed one stores entries.
        let copies = Self.values.map { value in
            guard case .object(var attributes) = value else { return value }
            attributes["b"] = 2
            attributes["b"] = nil
            return .object(attributes)
        }
        #expect(copies == Self.values && copies.map(\.hashValue) == Self.values.map(\.hashValue))
        #expect(Set(copies + Self.values).count == Self.values.count)
    }
}

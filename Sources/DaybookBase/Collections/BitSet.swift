/// A set of flags. Unlike `OptionSet`, a conformance does not add two dozen functions to every program.
@usableFromInline
package protocol BitSet: Equatable, Sendable {
    associatedtype Bits: FixedWidthInteger
    var rawValue: Bits { get }
    init(rawValue: Bits)
}

extension BitSet {
    @inlinable
    package static var none: Self { Self(rawValue: 0) }

    @inlinable
    package var isEmpty: Bool { rawValue == 0 }

    @inlinable
    package func contains(_ other: Self) -> Bool { rawValue & other.rawValue == other.rawValue }

    @inlinable
    package func isSubset(of other: Self) -> Bool { other.contains(self) }

    @inlinable
    package func isDisjoint(with other: Self) -> Bool { rawValue & other.rawValue == 0 }

    @inlinable
    package func union(_ other: Self) -> Self { Self(rawValue: rawValue | other.rawValue) }

    @inlinable
    package func intersection(_ other: Self) -> Self { Self(rawValue: rawValue & other.rawValue) }

    @inlinable
    package func subtracting(_ other: Self) -> Self { Self(rawValue: rawValue & ~other.rawValue) }

    @inlinable
    package mutating func insert(_ other: Self) { self = union(other) }

    @inlinable
    package mutating func remove(_ other: Self) { self = subtracting(other) }
}

// Source: https://developer.apple.com/documentation/corefoundation

// A 64-bit number, like `Double`.
// Source: https://developer.apple.com/documentation/corefoundation/cgfloat
@frozen public struct CGFloat: Comparable, Hashable, Sendable, SignedNumeric {
    public init(_ value: Double) {}
    public init(_ value: Int) {}
    public init?<T: BinaryInteger>(exactly source: T) {}
    public init(floatLiteral value: Double) {}
    public init(integerLiteral value: Int) {}
    public var magnitude: CGFloat { self }
    public static func + (a: CGFloat, b: CGFloat) -> CGFloat { a }
    public static func - (a: CGFloat, b: CGFloat) -> CGFloat { a }
    public static func * (a: CGFloat, b: CGFloat) -> CGFloat { a }
    public static func / (a: CGFloat, b: CGFloat) -> CGFloat { a }
    public static func *= (a: inout CGFloat, b: CGFloat) {}
    public static func < (a: CGFloat, b: CGFloat) -> Bool { false }
}
extension CGFloat: ExpressibleByFloatLiteral {}

extension Double {
    public init(_ value: CGFloat) { self = 0 }
}

// Source: https://developer.apple.com/documentation/corefoundation/cgpoint
public struct CGPoint: Hashable, Sendable {
    public init(x: CGFloat, y: CGFloat) {}
    public static var zero: CGPoint { fatalError() }
}

// Source: https://developer.apple.com/documentation/corefoundation/cgsize
public struct CGSize: Hashable, Sendable {
    public init(width: CGFloat, height: CGFloat) {}
    public static var zero: CGSize { fatalError() }
}

// Source: https://developer.apple.com/documentation/corefoundation/cgrect
public struct CGRect: Hashable, Sendable {
    public init(x: CGFloat, y: CGFloat, width: CGFloat, height: CGFloat) {}
    public static var zero: CGRect { fatalError() }
}

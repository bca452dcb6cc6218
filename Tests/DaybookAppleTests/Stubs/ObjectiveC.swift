// Source: https://developer.apple.com/documentation/objectivec

// Source: https://developer.apple.com/documentation/objectivec/nsobject-swift.class
extension NSObject: Equatable, Hashable {
    public static func == (a: NSObject, b: NSObject) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) { fatalError() }
}

// Source: https://developer.apple.com/documentation/objectivec/autoreleasepool(invoking:)

// Source: https://developer.apple.com/documentation/objectivec/objcbool
@frozen public struct ObjCBool: ExpressibleByBooleanLiteral, Sendable {
    public init(_ value: Bool) {}
    public init(booleanLiteral value: Bool) {}
    public var boolValue: Bool { false }
}

// Source: https://developer.apple.com/documentation/swift/cvararg
extension NSObject: CVarArg {
    public var _cVarArgEncoding: [Int] { [] }
}

// The compiler calls these to convert a `Bool` for Objective-C.
public func _convertBoolToObjCBool(_ value: Bool) -> ObjCBool { ObjCBool(value) }
public func _convertObjCBoolToBool(_ value: ObjCBool) -> Bool { value.boolValue }

extension Value {
    /// An integer; above `Int64.max` as a string, because OpenTelemetry has signed 64-bit integers only.
    public init(_ integer: some BinaryInteger) {
        if let exact = Int64(exactly: integer) {
            self = .int(exact)
        } else {
            self = .string(integer.description)
        }
    }

    /// A finite double; otherwise the string `NaN`, `Infinity` or `-Infinity`, which every JSON reader accepts.
    public init(_ double: Double) {
        if double.isFinite {
            self = .double(double)
        } else {
            self = .string(double.isNaN ? "NaN" : double > 0 ? "Infinity" : "-Infinity")
        }
    }
}

/// Measurements in Prometheus' text format.
///
/// Source: *Exposition formats*, Prometheus documentation, text-based format 0.0.4.
package struct PrometheusText {
    /// What a family of measurements is.
    package enum Kind: String {
        /// Only goes up, but for a restart; its name ends in `_total`.
        case counter
        /// Goes up and down.
        case gauge
        case histogram
    }

    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The text so far.
    package private(set) var text = ""

    /// No measurements.
    package init() {}

    /// Adds one measurement without labels.
    package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        add(name, kind, help, [([], Double(value))])
    }

    /// Adds a family: the same measurement with different labels. None adds nothing.
    package mutating func add(
        _ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: [(String, String)], value: Double)]
    ) {
        guard !samples.isEmpty else { return }
        head(name, kind, help)
        for sample in samples { line(name, sample.labels, sample.value) }
    }

    /// Adds a histogram: its counts become cumulative, as the format wants.
    mutating func add(_ name: String, _ help: String, _ histogram: LatencyHistogram) {
        head(name, .histogram, help)
        var sum = 0
        for (bound, count) in zip(histogram.bounds.map(Self.number) + ["+Inf"], histogram.counts) {
            sum += count
            line(name + "_bucket", [("le", bound)], Double(sum))
        }
        line(name + "_sum", [], histogram.sum)
        line(name + "_count", [], Double(sum))
    }

    private mutating func head(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private mutating func line(_ name: String, _ labels: [(String, String)], _ value: Double) {
        let pairs = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
        text += name + (pairs.isEmpty ? "" : "{\(pairs)}") + " \(Self.number(value))\n"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let integer = Int64(exactly: value) { return String(integer) }
        return String(value)
    }
}

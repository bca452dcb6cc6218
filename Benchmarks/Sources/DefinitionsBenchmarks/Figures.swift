extension [Double] {
    /// The median; 0 if empty.
    var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}

/// With two decimals.
func seconds(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    return "\(hundredths < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest) s"
}

func printFigure(_ what: String, _ figure: String, target: String = "–", isMet: Bool? = nil) {
    print("| \(what) | \(figure) | \(target) | \(isMet.map { $0 ? "yes" : "**no**" } ?? "–") |")
}

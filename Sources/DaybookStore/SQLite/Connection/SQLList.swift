/// Numbers as the inside of `IN (…)`.
enum SQLList {
    static func text(of numbers: [Int64]) -> String { numbers.map(String.init).joined(separator: ",") }
}

import DaybookBase
import Foundation

/// Reads the JSON that a request carries.
enum RequestBody {
    /// Bytes of a name in a body: of a persona, a tester, a build, a device.
    private static let longestText = 200

    /// The body as a value.
    /// - Parameter expected: one line that says what the body is to be.
    /// - Throws: ``Problem`` with that line.
    static func read<Body: Decodable>(_ type: Body.Type, _ bytes: [UInt8], _ expected: String) throws(Problem) -> Body {
        // Foundation's decoder takes `{"a":0,}`.
        let text = Data(ByteOrderMark.skipped(bytes))
        guard (try? JSONReader.value(of: bytes)) != nil, let body = try? JSONDecoder().decode(type, from: text) else {
            throw Problem(.badRequest, expected)
        }
        return body
    }

    /// - Throws: ``Problem`` where a name is longer than anybody's.
    static func checkLengths(_ texts: [String?]) throws(Problem) {
        guard texts.allSatisfy({ ($0?.utf8.count ?? 0) <= longestText }) else {
            throw Problem(.badRequest, "Each value is at most \(longestText) bytes.")
        }
    }
}

import DaybookBase
import DaybookTools
import Testing

@testable import DaybookAPI

extension Form {
    func bytes(of model: Model) -> [UInt8] {
        var builder = JSONBuilder(integers: .stringsBeyondJavaScript)
        write(model, to: &builder)
        return builder.bytes
    }

    /// Expects that what is written reads back, and is then written the same.
    /// - Returns: What was written.
    @discardableResult
    func expectTrip(_ model: Model, of place: Testing.SourceLocation = #_sourceLocation) throws -> String {
        let written = bytes(of: model)
        let again = bytes(of: try read(try JSONReader.value(of: written)))
        let text = String(decoding: written, as: UTF8.self)
        #expect(String(decoding: again, as: UTF8.self) == text, sourceLocation: place)
        return text
    }
}

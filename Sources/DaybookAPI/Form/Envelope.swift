import DaybookBase
import DaybookTools

/// The two shapes of every JSON answer: `{"ok":true,"data":…}` and `{"ok":false,"error":{"code","message"}}`.
package enum Envelope {
    /// A failed request's error; members may be missing.
    package struct Failure: Error {
        package var code: String?
        package var message: String?
    }

    package static func success<Answer>(_ form: Form<Answer>, _ answer: Answer) -> [UInt8] {
        var builder = JSONBuilder(integers: .stringsBeyondJavaScript)
        builder.object {
            $0.key("ok")
            $0.bool(true)
            $0.key("data")
            form.write(answer, to: &$0)
        }
        return builder.bytes
    }

    /// The `data` of a successful answer; `nil` for anything else.
    /// - Throws: ``Failure``.
    package static func data(of bytes: [UInt8]) throws(Failure) -> Attributes? {
        var limits = JSONReader.Limits()
        limits.values = 20_000_000
        guard case .object(let answer)? = try? JSONReader.value(of: bytes, limits: limits) else { return nil }
        if answer["ok"] == true, let data = answer.members("data") { return data }
        let error = answer.members("error")
        throw Failure(code: error?.text("code"), message: error?.text("message"))
    }
}

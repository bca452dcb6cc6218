/// The bodies of an exchange that an app keeps in memory; `nil` if not, or no longer.
package struct RecordBodies: Sendable {
    package var request: String?
    package var response: String?

    package init(request: String?, response: String?) { (self.request, self.response) = (request, response) }

    static let form = Form<RecordBodies>.object(
        "RecordBodies", .init("request", .optional(.text), \.request), .init("response", .optional(.text), \.response),
        make: RecordBodies.init(request:response:))
}

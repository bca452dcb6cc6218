/// A notice in the live stream: the store has grown.
package struct LiveNotice: Sendable {
    /// The largest arrival number.
    package var head: Int64

    package init(head: Int64) { self.head = head }

    package static let form = Form<LiveNotice>.object(
        "LiveNotice", .init("head", .integer, \.head), make: LiveNotice.init(head:))
}

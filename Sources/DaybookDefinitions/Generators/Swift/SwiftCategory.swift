/// Writes the enum of one category.
struct SwiftCategory {
    private let category: Category
    private let types: SwiftTypes
    private let events: [SwiftEvent]

    init(_ category: Category, types: SwiftTypes) {
        self.category = category
        self.types = types
        events = category.events.map { SwiftEvent($0, of: category, types: types) }
    }

    func write(to source: inout SwiftSource) {
        let inUse = events.filter { !$0.isObsolete }
        source.documentation(category.description.isEmpty ? "Events of `\(category.name)`." : category.description)
        // Swift cannot switch over an enum all of whose cases are unavailable; nothing of it can be logged anyway.
        let conformance = inUse.isEmpty ? "" : ": LogEvent"
        source.block("public enum \(SwiftName.type(category.name))\(conformance)") { source in
            for (index, event) in events.enumerated() {
                if index > 0 { source.line() }
                event.writeCase(to: &source)
            }
            for event in events { event.writeDeprecatedForms(to: &source) }
            guard !inUse.isEmpty else { return }
            source.line()
            writeDescriptor(inUse, to: &source)
            source.line()
            writeEncode(inUse, to: &source)
            source.line()
            writeDescriptors(inUse, to: &source)
        }
    }

    private func writeDescriptor(_ events: [SwiftEvent], to source: inout SwiftSource) {
        source.block("public var descriptor: EventDescriptor") { source in
            source.line("switch self {")
            for event in events { source.line("case .\(event.name): Self.descriptors_.\(event.descriptorName)") }
            source.line("}")
        }
    }

    /// All descriptors of the category are made together: one static property per event compiles measurably slower.
    private func writeDescriptors(_ events: [SwiftEvent], to source: inout SwiftSource) {
        source.block("private struct Descriptors_: Sendable") { source in
            for event in events { source.line(event.descriptorDeclaration) }
        }
        source.line()
        source.line("private static let descriptors_ = Descriptors_()")
    }

    private func writeEncode(_ events: [SwiftEvent], to source: inout SwiftSource) {
        source.block("public func encode(into fields: inout FieldEncoder)") { source in
            guard !events.allSatisfy(\.parameters.isEmpty) else { return }
            source.line("switch self {")
            for event in events {
                guard !event.parameters.isEmpty else {
                    source.line("case .\(event.name): break")
                    continue
                }
                source.line("case .\(event.name)(", event.parameters.map { "let \($0.local)" }, "):")
                for parameter in event.parameters { source.line("    " + parameter.encoding(of: parameter.local)) }
            }
            source.line("}")
        }
    }
}

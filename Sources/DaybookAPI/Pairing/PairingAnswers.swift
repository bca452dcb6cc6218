import DaybookChecklist
import Foundation

/// An address with a code for a phone to redeem.
package struct OfferedPairing: Sendable {
    package var link: String
    package var collector: String
    package var isLocal: Bool
    package var seconds: Int

    static let form = Form<OfferedPairing>.object(
        "Pairing", .init("link", .text, \.link), .init("collector", .text, \.collector),
        .init("local", .bool, about: "Only programs of the collector's own machine reach it.", \.isLocal),
        .init("seconds", .number, \.seconds), make: OfferedPairing.init)
}

extension OfferedPairing {
    package init(code: String, collector: String, isLocal: Bool, lifetime: Duration) {
        var link = URLComponents()
        (link.scheme, link.host) = ("daybook", "pair")
        link.queryItems = [URLQueryItem(name: "collector", value: collector), URLQueryItem(name: "code", value: code)]
        self.init(
            link: link.string ?? "", collector: collector, isLocal: isLocal,
            seconds: Int(lifetime.components.seconds))
    }
}

/// What a phone gets for a code.
package struct RedeemedPairing: Sendable {
    /// For sending records; `nil` if none is needed.
    package var key: String?
    /// Nanoseconds since 1970.
    package var expires: Int64?
    package var tester: String?
    package var run: Int64?
    package var checklist: (id: String, title: String, markdown: String)?
    package var persona: PersonaTable.Persona?

    package init(
        key: (text: String, expires: Int64)?, tester: String?, run: Int64?, checklist: NamedChecklist?,
        persona: PersonaTable.Persona?
    ) {
        (self.key, self.expires, self.tester, self.run) = (key?.text, key?.expires, tester, run)
        self.checklist = checklist.map { ($0.id, $0.checklist.title, $0.checklist.source) }
        self.persona = persona
    }

    static let form = Form<RedeemedPairing>.object(
        "RedeemedPairing", .init("key", .optional(.text), \.key), .init("expires", .optional(.nanoseconds), \.expires),
        .init("tester", .optional(.text), \.tester), .init("run", .optional(.integer), \.run),
        .init("checklist", .optional(checklist), \.checklist), .init("persona", .optional(persona), \.persona)
    ) { key, expires, tester, run, checklist, persona in
        var answer = RedeemedPairing(
            key: key.map { ($0, expires ?? 0) }, tester: tester, run: run, checklist: nil, persona: persona)
        answer.checklist = checklist
        return answer
    }

    private static let checklist = Form<(id: String, title: String, markdown: String)>.object(
        "PairedChecklist", .init("id", .text, \.id), .init("title", .text, \.title),
        .init("markdown", .text, \.markdown)
    ) { ($0, $1, $2) }

    private static let persona = Form<PersonaTable.Persona>.object(
        "PairedPersona", .init("name", .text, \.name),
        FormField("values", .members(ChecklistValue.form)) { persona in
            persona.values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    ) { name, values in
        PersonaTable.Persona(name: name, values: Dictionary(values.map { ($0.name, $0.value) }) { first, _ in first })
    }
}

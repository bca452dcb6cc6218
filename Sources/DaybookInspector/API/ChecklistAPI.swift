import DaybookChecklist
import DaybookHTTP

/// The checklists with the engine's verdicts so far.
struct ChecklistAPI: Sendable {
    let board: ChecklistBoard

    func checklists() async throws -> HTTPResponse {
        let snapshot = try await board.snapshot()
        return Envelope.success {
            $0.object {
                $0.key("judged")
                $0.integer(snapshot.judged)
                $0.key("head")
                $0.integer(snapshot.head)
                $0.key("checklists")
                $0.array(of: snapshot.checklists) { $0.checklist($1) }
            }
        }
    }

    func restart(_ id: String) async throws -> HTTPResponse {
        guard let head = try await board.restart(id) else {
            throw Problem(.notFound, "No checklist is called “\(id)”.")
        }
        return Envelope.success {
            $0.object {
                $0.key("since")
                $0.integer(head)
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func checklist(_ judged: JudgedChecklist) {
        object {
            $0.key("id")
            $0.string(judged.id)
            $0.key("title")
            $0.string(judged.checklist.title)
            $0.key("since")
            $0.integer(judged.startsAfter)
            $0.key("scenarios")
            $0.array(of: zip(judged.checklist.scenarios, judged.standings())) { writer, pair in
                let (scenario, standings) = pair
                writer.object {
                    $0.key("id")
                    $0.string(scenario.name)
                    $0.key("title")
                    $0.string(scenario.name)
                    $0.key("items")
                    $0.array(of: standings.enumerated()) { $0.standing($1.element, number: $1.offset + 1) }
                }
            }
        }
    }

    private mutating func standing(_ standing: ItemStanding, number: Int) {
        object {
            $0.key("id")
            $0.string(String(number))
            $0.key("text")
            $0.string(standing.item.text)
            $0.key("pattern")
            $0.string(standing.pattern)
            $0.key("tests")
            $0.array(of: standing.item.tests) { $0.string($1.text) }
            $0.key("notes")
            $0.array(of: standing.item.notes) { $0.string($1) }
            $0.key("state")
            $0.string(standing.state.rawValue)
            $0.key("provisional")
            $0.bool(standing.isProvisional)
            $0.key("reason")
            $0.string(standing.reason)
            $0.key("matches")
            $0.integer(Int64(standing.matches))
            $0.key("records")
            $0.array(of: standing.evidence) { $0.evidence($1) }
        }
    }

    private mutating func evidence(_ evidence: Evidence) {
        object {
            $0.key("id")
            $0.integer(evidence.number)
            $0.key("time")
            $0.decimal(evidence.time)
            $0.key("tag")
            $0.string(evidence.tag)
            $0.key("values")
            $0.array(of: evidence.values) { writer, value in
                writer.object {
                    $0.key("column")
                    $0.string(value.column)
                    $0.key("value")
                    $0.checklistValue(value.value)
                }
            }
            $0.key("note")
            $0.string(evidence.note)
        }
    }

    private mutating func checklistValue(_ value: ChecklistValue?) {
        switch value {
        case nil: null()
        case .boolean(let value): bool(value)
        case .integer(let value): integer(value)
        case .number(let value): real(value)
        case .text(let text): string(text)
        case .structure(let json): spliced(json)
        }
    }
}

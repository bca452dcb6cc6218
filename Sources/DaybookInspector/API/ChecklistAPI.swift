import DaybookHTTP
import DaybookStore

/// The checklists with what has been seen so far.
struct ChecklistAPI: Sendable {
    let store: any EventStore
    let checklists: [ChecklistView]

    func checklists() async throws -> HTTPResponse {
        let summaries = try await store.tagSummaries()
        return Envelope.success {
            $0.object {
                $0.key("checklists")
                $0.array(of: checklists) { writer, checklist in
                    writer.object {
                        $0.key("id")
                        $0.string(checklist.id)
                        $0.key("title")
                        $0.string(checklist.title)
                        $0.key("scenarios")
                        $0.array(of: checklist.scenarios) { $0.scenario($1, summaries) }
                    }
                }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func scenario(_ scenario: ChecklistView.Scenario, _ summaries: [TagSummary]) {
        object {
            $0.key("id")
            $0.string(scenario.id)
            $0.key("title")
            $0.string(scenario.title)
            $0.key("items")
            $0.array(of: scenario.items) { $0.item($1, ItemVerdict($1, summaries)) }
        }
    }

    private mutating func item(_ item: ChecklistView.Item, _ verdict: ItemVerdict) {
        object {
            $0.key("id")
            $0.string(item.id)
            $0.key("text")
            $0.string(item.text)
            $0.key("pattern")
            $0.string(item.pattern)
            $0.key("state")
            $0.string(verdict.state.rawValue)
            $0.key("count")
            $0.integer(verdict.count)
            $0.key("last_time")
            $0.decimal(verdict.lastTime)
        }
    }
}

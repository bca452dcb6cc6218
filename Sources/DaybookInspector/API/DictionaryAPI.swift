import DaybookDefinitions
import DaybookHTTP
import DaybookStore

/// What the team defined, and how often each tag was seen.
struct DictionaryAPI: Sendable {
    let store: any EventStore
    /// The definitions as JSON: they do not change while the inspector runs, so they are written once.
    let definitions: [UInt8]

    init(store: any EventStore, definitions: Definitions, links: InspectorLinks) {
        self.store = store
        var writer = JSONWriter()
        writer.definitions(definitions, links: links)
        self.definitions = writer.bytes
    }

    func dictionary() -> HTTPResponse {
        Envelope.success { $0.raw(definitions) }
    }

    func tags() async throws -> HTTPResponse {
        let byVersion = try await store.tagSummaries()
        let summaries = byVersion.mergingVersions()
        let versions = Dictionary(grouping: byVersion) { [$0.tag, $0.kind] }
        return Envelope.success {
            $0.object {
                $0.key("tags")
                $0.array(of: summaries) { writer, summary in
                    writer.object {
                        $0.key("tag")
                        $0.string(summary.tag)
                        $0.key("kind")
                        $0.string(summary.kind)
                        $0.key("count")
                        $0.integer(summary.count)
                        $0.key("first_time")
                        $0.decimal(summary.firstTime)
                        $0.key("last_time")
                        $0.decimal(summary.lastTime)
                        $0.key("versions")
                        $0.array(of: versions[[summary.tag, summary.kind]] ?? []) { $0.version($1) }
                    }
                }
            }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func version(_ summary: TagSummary) {
        object {
            $0.key("version")
            $0.string(summary.version)
            $0.key("count")
            $0.integer(summary.count)
        }
    }
}

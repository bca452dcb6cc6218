import DaybookBase
import DaybookInspector
import DaybookStore
import Foundation

extension Command {
    static let assistant = Command(
        name: "mcp", summary: "Serve records to an assistant, over standard input/output",
        options: RecordSource.options + [
            .value("definitions", "DIR", "with a store: the team's definitions; default: the project's"),
            .value("checklists", "DIR", "with a store: the team's checklists; default: the project's"),
            .value("coverage", "FILE", "with a store: a report of `daybook coverage --json`"),
        ],
        details: """
            Speaks the Model Context Protocol: tools to search records, run read-only SQL, look up events and coverage, and
            check checklists. Private values and credentials are always masked. A collector offers the same at /mcp to \
            holders of a key made for read. Ends at the end of the input.
            """
    ) { arguments, console in
        let server = AssistantServer(try await client(arguments))
        let answers = AnswerLines(console)
        await withTaskGroup(of: Void.self) { group in
            for await line in standardInputLines() {
                group.addTask {
                    let answer =
                        switch line {
                        case .message(let bytes): await server.answer(bytes)
                        case .tooLong: AssistantServer.tooLong
                        }
                    if let answer { answers.write(answer) }
                }
            }
        }
        return .done
    }

    /// The given collector, or an inspector in this process over the store.
    private static func client(_ arguments: Arguments) async throws -> any APIClient {
        if let address = try CollectorAddress(arguments) {
            for option in ["definitions", "checklists", "coverage"] where arguments[option] != nil {
                throw UsageError(message: "--\(option) belongs to --store: a collector has its own")
            }
            return CollectorClient(address: address, onlyReads: true)
        }
        let team = try TeamFiles(arguments)
        let token = AccessToken()
        let masking = try await Masking.policy(arguments, ofStore: arguments.store)
        let statements = try StoreAddress.statements(arguments.store)
        let store = try StoreAddress.open(arguments.store, access: .readOnly)
        let inspector = InspectorHandler(
            store: store, definitions: team.definitions,
            checklists: team.checklists, token: token, notices: LiveNotices()
        ) {
            $0.masking = masking
            $0.links = team.links
            $0.coverage = team.coverage
            $0.statements = statements
            $0.statementLimits = .ofScreen(time: .seconds(10))
        }
        return InspectorClient(inspector: inspector, key: token.text)
    }

    private static func standardInputLines() -> AsyncStream<AssistantLines.Line> {
        AsyncStream { continuation in
            // Reading blocks, so it has its own thread.
            Thread.detachNewThread {
                var lines = AssistantLines(limit: AssistantServer.messageLimit)
                while true {
                    let piece = FileHandle.standardInput.availableData
                    if piece.isEmpty { break }
                    for line in lines.add(piece) { continuation.yield(line) }
                }
                // The last line may lack a line feed.
                if let line = lines.end() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}

/// Writes responses to standard output as whole lines, in order of completion.
private final class AnswerLines: Sendable {
    private let console: Mutex<Console>

    init(_ console: Console) { self.console = Mutex(console) }

    func write(_ answer: [UInt8]) {
        console.withLock { $0.output(String(decoding: answer, as: UTF8.self) + "\n") }
    }
}

import DaybookAPI
import DaybookBase
import DaybookChecklist
import DaybookHTTP

/// Runs for people and test tools: start, finish, list and judge them.
struct RunsAPI: Sendable {
    let runs: RunBook
    let audience: @Sendable (HTTPRequest.Head) -> VerdictAudience

    var routes: [HTTPRoute] {
        [
            HTTPRoute(Endpoints.runs) {
                try await runs.list(of: $0.head.parameter("checklist"), for: audience($0.head))
            },
            HTTPRoute(Endpoints.runStart, bodyLimit: 4_096) { try await runs.start(Self.start($0.body)) },
            HTTPRoute(Endpoints.runFinish) { try await runs.end($0.number("id")) },
            HTTPRoute(Endpoints.runVerdict) { try await runs.verdict($0.number("id"), for: audience($0.head)) },
        ]
    }

    private static func start(_ bytes: [UInt8]) throws -> RunStart {
        try RequestBody.read(
            bytes,
            "The body is a JSON object: {\"checklist\": \"…\", \"scenario\": \"…\", \"persona\": \"…\", "
                + "\"tester\": \"…\", \"build\": \"…\", \"installation\": \"…\", \"session\": \"…\", "
                + "\"version\": \"…\"}; only checklist is required."
        ) {
            RunStart(
                checklist: $0.text("checklist"), scenario: $0.text(ifAny: "scenario"),
                persona: $0.text(ifAny: "persona"), tester: $0.text(ifAny: "tester"), build: $0.text(ifAny: "build"),
                scope: RunScope(
                    installation: $0.text(ifAny: "installation"), session: $0.text(ifAny: "session"),
                    version: $0.text(ifAny: "version")))
        }
    }
}

import Daybook
import DaybookOTLP
import Foundation
import RecipeBoxEvents

/// A small recipe app without a screen, which acts and logs like its users.
///
/// Usage: `RecipeBox --session first|second|browse --collector URL --api URL --data DIR --tally FILE`. After printing
/// `checkpoint: NAME` it waits for a line on standard input. `--mistake NAME` makes it log wrongly, so that its tests
/// can show that they would notice.
@main
struct RecipeBox {
    let pipeline: Pipeline<CommonPayload>
    let journeys: Journeys

    static func main() async throws {
        let options: LaunchOptions
        do {
            options = try LaunchOptions(CommandLine.arguments)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n\(LaunchOptions.usage)".utf8))
            exit(2)
        }
        let box = try RecipeBox(options)
        switch options.session {
        case .first: try await box.firstSession()
        case .second: try await box.secondSession()
        case .browse: try await box.browse()
        }
    }

    init(_ options: LaunchOptions) throws {
        var pipelineOptions = PipelineOptions()
        pipelineOptions.resource = ["service.name": "RecipeBox", "service.version": "4.12.0"]
        pipelineOptions.backoff = Backoff(initial: .milliseconds(200), maximum: .seconds(2))
        pipeline = try Pipeline(
            directory: options.data,
            context: CommonPayload(
                appVersion: "4.12.0", osVersion: "18.1", deviceModel: "iPhone17,3", deviceKind: .phone,
                locale: "ja-JP", plan: .free),
            options: pipelineOptions
        ) {
            Redact.credentials
            Route("**", to: ConsoleOutput(), level: .info, timing: .inline)
            if let probe = Route.toProbe() {
                // A test launched the app: its records go only to the test.
                probe
            } else {
                Route(
                    "**", to: OTLPOutput(endpoint: options.collector),
                    batch: BatchLimits(count: 512, bytes: 256_000, delay: .milliseconds(500)))
            }
        }
        Log.install(pipeline)
        journeys = Journeys(api: options.api, tally: try Tally(path: options.tally), mistake: options.mistake)
    }

    /// Everything up to where the app is killed, while the user cooks.
    private func firstSession() async throws {
        journeys.launch()
        guard let recipe = try await journeys.searchAndShow("egg") else { return }
        pipeline.updateContext { $0.userId = 42 }
        try await journeys.save(recipe)
        try? await pipeline.flush(deadline: .seconds(10))
        checkpoint("saved")

        try await journeys.searchAndShow("ドラゴンフルーツ")
        await journeys.seeRecommendations()
        try await journeys.loadWeeklyMenu()
        journeys.startCooking(recipe)
        checkpoint("cooking")
    }

    /// The next launch: delivers the first session's records from the journal with its own.
    private func secondSession() async throws {
        pipeline.updateContext { $0.userId = 42 }
        journeys.launch(after: "SIGKILL")
        if let recipe = try await journeys.searchAndShow("たまご") { journeys.share(recipe) }
        journeys.changeSettings()
        await finish()
    }

    /// A user who goes on until interrupted.
    private func browse() async throws {
        journeys.launch()
        for keyword in Array(repeating: ["egg", "salad", "окрошка", "親子丼"], count: 900).joined() {
            try await journeys.searchAndShow(keyword)
            try await Task.sleep(for: .seconds(1))
        }
        await finish()
    }

    private func finish() async {
        try? await pipeline.flush(deadline: .seconds(20))
        let ledger = await pipeline.ledgers()["otlp"] ?? Ledger()
        await pipeline.shutdown(deadline: .seconds(1))
        print(
            "ledger: {\"accepted\": \(ledger.accepted), \"recovered\": \(ledger.recovered), "
                + "\"delivered\": \(ledger.delivered), \"pending\": \(ledger.pending)}")
    }

    private func checkpoint(_ name: String) {
        print("checkpoint: \(name)")
        fflush(nil)
        _ = readLine()
    }
}

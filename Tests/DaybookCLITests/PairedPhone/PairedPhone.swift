import Daybook
import DaybookOTLP
import Foundation

/// A phone under test: redeems a pairing link, prints what it received, and logs on request.
///
/// Arguments: its directory and the link. Prints `paired` and the result as a line of JSON, or `refused` and the
/// reason. Then logs an event for each line of standard input, which is its tag. Ends with its input.
@main
struct PairedPhone {
    static func main() async throws {
        let desktop = PairedOutput()
        let pipeline = try Pipeline(directory: URL(fileURLWithPath: CommandLine.arguments[1])) {
            Route("**", to: desktop, batch: .init(count: 100, delay: .milliseconds(100)))
        }
        try pipeline.setEnabled(false, output: desktop.id)
        let log = pipeline.log("phone")
        log.post("phone.before_pairing")
        guard let address = URL(string: CommandLine.arguments[2]), let link = PairingLink(address) else {
            return say("refused", ["reason": "this is no link"])
        }
        do {
            let pairing = try await pipeline.pair(desktop, with: link, build: "4.12.0", device: "Test phone")
            say(
                "paired",
                [
                    "installation": pipeline.installation, "key": pairing.key ?? "", "tester": pairing.tester ?? "",
                    "checklist": pairing.checklist?.markdown ?? "", "persona": pairing.persona?.name ?? "",
                    "plan": pairing.persona.flatMap { $0.values["plan"] }.map { "\($0)" } ?? "",
                    "run": pairing.run.map(String.init) ?? "",
                ])
        } catch {
            return say("refused", ["reason": "\(error)"])
        }
        while let tag = readLine() { log.post(tag) }
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))
    }

    private static func say(_ word: String, _ what: [String: String]) {
        let json = (try? JSONEncoder().encode(what)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        print("\(word) \(json)")
        fflush(nil)
    }
}

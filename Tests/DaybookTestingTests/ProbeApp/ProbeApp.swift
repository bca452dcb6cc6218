import Daybook
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An app under test: it fetches articles from its content server, shows each and logs it.
///
/// Arguments: its directory, its content server, and `twice` for a build that shows each article twice, or `wait` to
/// print `logged` after its first record and to wait for a line on standard input.
@main
struct ProbeApp {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let pipeline = try Pipeline(directory: URL(fileURLWithPath: arguments[1])) {
            if let probe = Route.toProbe() { probe }
        }
        let log = pipeline.log("app.lifecycle")
        log.post("app.launch", ["cold": true])
        if arguments.last == "wait" {
            print("logged")
            fflush(nil)
            _ = readLine()
        }
        if let content = URL(string: arguments[2] + "/articles"),
            let (data, _) = try? await URLSession.shared.data(from: content),
            let articles = try? JSONDecoder().decode([Int64].self, from: data)
        {
            let shows = arguments.last == "twice" ? 2 : 1
            for article in articles {
                for _ in 0..<shows { log.post("feed.show_article", ["article_id": .int(article)]) }
            }
        }
        log.post("app.close")
        try await pipeline.flush(deadline: .seconds(60))
        await pipeline.shutdown(deadline: .seconds(60))
    }
}

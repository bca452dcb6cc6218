import Daybook
import DaybookApple
import DaybookDefinitions
import DaybookHTTP
import DaybookInspector
import DaybookStore
import Foundation

/// An app with the inspector and without a screen: standard input takes the web view's place.
///
/// Arguments: its directory. Each input line is an object: `{ "log": TAG }` logs an event and is answered once it is
/// stored; `{ "method", "url", "headers", "body" }` is a request with a Base64 body. The answer is a line with
/// `status`, `fields` and `body`; for a stream, its first part. It opens no socket and ends with its input.
@main
struct InAppInspector {
    private struct Line: Decodable {
        var log: String?
        var method: String?
        var url: URL?
        var headers: [String: String]?
        var body: Data?
    }

    private struct Answer: Encodable {
        var status: Int
        var fields: [String: String] = [:]
        var body = Data()
    }

    private let pipeline: Pipeline<EmptyContext>
    private let address: InspectorAddress
    private let handler: InspectorHandler

    private init(in folder: URL) throws {
        let notices = LiveNotices()
        let store = ObservedStore(try SQLiteStore(path: folder.appending(path: "inspector.sqlite").path)) {
            notices.notify(head: $0)
        }
        let token = AccessToken()
        pipeline = try Pipeline(directory: folder.appending(path: "journal")) {
            Route("**", to: StoreOutput(store), batch: .init(delay: .milliseconds(10)))
        }
        address = InspectorAddress(token: token.text)
        handler = InspectorHandler(
            store: store, definitions: Definitions(categories: []), checklists: [], token: token, notices: notices)
    }

    static func main() async throws {
        let app = try InAppInspector(in: URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true))
        while let line = readLine() {
            let answer = try await app.answer(JSONDecoder().decode(Line.self, from: Data(line.utf8)))
            print(String(decoding: try JSONEncoder().encode(answer), as: UTF8.self))
            fflush(nil)
        }
        await app.pipeline.shutdown(deadline: .seconds(60))
    }

    private func answer(_ line: Line) async throws -> Answer {
        if let tag = line.log {
            pipeline.log("app").post(tag)
            try await pipeline.flush(deadline: .seconds(60))
            return Answer(status: 200)
        }
        guard let url = line.url,
            let request = address.request(
                method: line.method ?? "GET", url: url, headers: line.headers ?? [:], body: [UInt8](line.body ?? Data())
            )
        else { return Answer(status: 0) }
        let response: HTTPResponse
        switch handler.admit(request.head) {
        case .refuse(let refusal): response = refusal
        case .accept: response = await handler.respond(to: request)
        }
        var answer = Answer(status: response.status, fields: InspectorAddress.fields(of: response))
        switch response.body {
        case .bytes(let bytes): answer.body = Data(bytes)
        case .stream(let chunks): for await chunk in chunks.prefix(1) { answer.body = Data(chunk) }
        }
        return answer
    }
}

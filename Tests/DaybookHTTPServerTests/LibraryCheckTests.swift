import DaybookHTTP
import Testing

@testable import DaybookHTTPServer

@Suite(.timeLimit(.minutes(5))) struct LibraryCheckTests {
    /// What a fit library answers.
    private static func fit(_ trial: LibraryCheck.Trial) -> String {
        switch trial {
        case .plainHead: "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\nGET /a b=c&d= "
        case .chunks: "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nPOST /a  bcd"
        default: "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n{}\n"
        }
    }

    private func failure(_ answer: @escaping (LibraryCheck.Trial) -> String?) -> HTTPServerError? {
        LibraryCheck(version: "2.0", answer: answer).failure
    }

    @Test("A library that answers as needed is fit") func acceptsFitLibrary() {
        #expect(failure(Self.fit) == nil)
        // What cannot be tried is no fault of the library.
        #expect(failure { _ in nil } == nil)
    }

    @Test(
        "A library that answers one request otherwise is refused with its version and the request",
        arguments: [
            (.plainHead, "HTTP/1.1 400 Bad Request\r\n\r\n", "the head of a request"),
            (.plainHead, "HTTP/1.1 200 OK\r\n\r\nGET /a b=c ", "the head of a request"),
            (.chunks, "HTTP/1.1 200 OK\r\n\r\nPOST /a  b\ncd", "a body in chunks"), (.chunks, "", "a body in chunks"),
            (.foldedLine, "HTTP/1.1 200 OK\r\n\r\nGET /a  ", "an ambiguous head"),
            (.nul, "", "an ambiguous head"), (.bareReturn, "HTTP/1.1 301 Moved\r\n\r\n", "an ambiguous head"),
            (.refusedLength, "HTTP/1.1 400 Bad Request\r\n\r\nHTTP/1.1 400 Bad Request\r\n\r\n", "an invalid length"),
            (.refusedLength, "HTTP/1.1 500 Internal Server Error\r\n\r\n", "an invalid length"),
        ] as [(LibraryCheck.Trial, String, String)])
    func refusesUnfitLibrary(trial: LibraryCheck.Trial, answer: String, what: String) {
        let error = failure { $0 == trial ? answer : Self.fit($0) }
        #expect(
            error?.description == "the HTTP library, libmicrohttpd 2.0, does not answer \(what) as the server needs; "
                + "install 0.9.75 or 1.0.1, which are known to do, or another version, and start again")
    }

    @Test("A server does not start with an unfit library") func refusesStart() {
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(addresses: ["127.0.0.1"], port: 0), handler: ok(""),
            library: { .unfitLibrary("2.0", failsAt: "a body in chunks") })
        #expect(throws: HTTPServerError.unfitLibrary("2.0", failsAt: "a body in chunks")) { try server.start() }
        #expect(server.port == nil)
    }

    @Test("The library of this process is fit") func processLibraryIsFit() {
        #expect(LibraryCheck.failureOfProcess == nil)
    }
}

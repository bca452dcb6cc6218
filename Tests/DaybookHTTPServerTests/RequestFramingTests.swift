import DaybookHTTP
import Testing

@testable import DaybookHTTPServer

@Suite struct RequestFramingTests {
    private func parse(_ fields: (String, String)..., version: String = "HTTP/1.1") -> RequestFraming? {
        var headers: HTTPHeaders = [:]
        for field in fields { headers.add(field.0, field.1) }
        return try? RequestFraming(headers, version: version)
    }

    @Test func knowsTheThreeFramings() {
        #expect(parse()?.body == RequestFraming.Body.none)
        #expect(parse(("Content-Length", "0"))?.body == RequestFraming.Body.none)
        #expect(parse(("content-length", "12"))?.body == .length(12))
        #expect(parse(("Transfer-Encoding", "Chunked"))?.body == .chunked)
    }

    @Test func expectsContinueOnlyWithABody() {
        #expect(parse(("Expect", "100-continue"), ("Content-Length", "3"))?.expectsContinue == true)
        #expect(parse(("Expect", "100-Continue"))?.expectsContinue == false)
    }

    @Test func refusesWhatTwoPartiesCouldReadDifferently() {
        #expect(parse(("Content-Length", "1"), ("Content-Length", "1")) == nil)
        #expect(parse(("Content-Length", "1, 1")) == nil)
        #expect(parse(("Content-Length", "+1")) == nil)
        #expect(parse(("Content-Length", "0x1")) == nil)
        #expect(parse(("Content-Length", "")) == nil)
        #expect(parse(("Content-Length", "99999999999999999999")) == nil)
        #expect(parse(("Content-Length", "1"), ("Transfer-Encoding", "chunked")) == nil)
        #expect(parse(("Transfer-Encoding", "gzip, chunked")) == nil)
        #expect(parse(("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "identity")) == nil)
        #expect(parse(("Expect", "something")) == nil)
        for version in ["HTTP/1.0", "HTTP/0.9", "HTTP/2", ""] {
            #expect(parse(("Transfer-Encoding", "chunked"), version: version) == nil)
            #expect(parse(("Content-Length", "1"), version: version)?.body == .length(1))
        }
    }
}

import DaybookHTTP
import Foundation
import Testing

@testable import DaybookHTTPServer

@Suite struct RequestFramingTests {
    private func parse(_ fields: (String, String)..., version: String = "HTTP/1.1") -> RequestFraming? {
        var headers: HTTPHeaders = [:]
        for field in fields { headers.add(field.0, field.1) }
        return try? RequestFraming(headers, version: version)
    }

    @Test("A body has no framing, a length or chunks") func knowsThreeFramings() {
        #expect(parse()?.body == RequestFraming.Body.none)
        #expect(parse(("Content-Length", "0"))?.body == RequestFraming.Body.none)
        #expect(parse(("content-length", "12"))?.body == .length(12))
        #expect(parse(("Transfer-Encoding", "Chunked"))?.body == .chunked)
    }

    @Test("Only a request with a body can expect 100-continue") func continueNeedsBody() {
        #expect(parse(("Expect", "100-continue"), ("Content-Length", "3"))?.expectsContinue == true)
        #expect(parse(("Expect", "100-Continue"))?.expectsContinue == false)
    }

    @Test("Refuses framing that two parties could read differently") func refusesAmbiguousFraming() {
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

    /// Each spelling of each name, with the same and another value, adjacent and apart.
    @Test("A field with a single value can appear only once") func singularFieldsOnce() {
        for name in RequestFraming.singular {
            let value = name == "expect" ? "100-continue" : "a"
            for other in [name, name.uppercased(), name.capitalized] {
                #expect(parse((name, value), ("Accept", "b")) != nil, "\(name)")
                #expect(parse((name, value), (other, value)) == nil, "\(name)")
                #expect(parse((name, value), ("Accept", "b"), (other, "c")) == nil, "\(name)")
            }
        }
    }

    @Test("A list field can appear more than once") func listsMayRepeat() {
        for name in [
            "Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "Connection", "Content-Encoding",
            "Forwarded",
            "If-Match", "If-None-Match", "Pragma", "TE", "Trailer", "Upgrade", "Via", "X-Forwarded-For", "X-Unknown",
        ] {
            #expect(!RequestFraming.singular.contains(name.lowercased()) && parse((name, "a"), (name, "b")) != nil)
        }
    }
}

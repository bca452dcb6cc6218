import Testing

@testable import DaybookHTTPServer

@Suite struct RequestTargetTests {
    @Test("Decodes the path and query of a target") func decodesPathAndQuery() throws {
        let target = try #require(RequestTarget("/a%20b/%E6%96%99?q=x+y%2B&empty=&flag&q=%26".utf8))
        #expect(target.path == "/a b/料")
        #expect(target.query.map(\.name) == ["q", "empty", "flag", "q"])
        #expect(target.query.map(\.value) == ["x y+", "", "", "&"])
        #expect(target.authority == nil)
    }

    @Test("Accepts the absolute form and the asterisk") func acceptsAbsoluteForm() throws {
        let target = try #require(RequestTarget("HTTP://localhost:4318?x=1".utf8))
        #expect(target.path == "/")
        #expect(target.authority == "localhost:4318")
        #expect(target.query.first?.value == "1")
        #expect(RequestTarget("*".utf8)?.path == "*")
    }

    @Test(
        "Refuses targets that are malformed or leave the root",
        arguments: [
            "", "a", "/%", "/%4", "/%zz", "/a%00b", "/%0a", "/a#b", "/a b", "/%ff", "/../etc", "/a/%2e%2e/b", "/a/.",
            "?x", "ftp://host/", "http:///x", "http://user@host/", "/?q=%", "/?q=%C3", "/\u{7f}", "**",
        ])
    func refusesMalformedTargets(text: String) {
        #expect(RequestTarget(text.utf8) == nil)
    }
}

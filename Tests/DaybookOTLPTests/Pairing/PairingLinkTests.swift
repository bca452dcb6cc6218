import Foundation
import Testing

@testable import DaybookOTLP

@Suite struct PairingLinkTests {
    private static let code = "0123456789abcdef0123456789abcdef"

    @Test("Parses a pairing link of any scheme") func parsesPairingLink() throws {
        for scheme in ["daybook", "recipebox"] {
            let url = try #require(
                URL(string: "\(scheme)://pair?collector=https%3A%2F%2F192.168.1.5%3A4318&code=\(Self.code)"))
            let link = try #require(PairingLink(url))
            #expect(link.collector.absoluteString == "https://192.168.1.5:4318")
            #expect(link.code == Self.code)
        }
    }

    @Test(
        "Rejects links that are not pairing links",
        arguments: [
            "daybook://other?collector=https://a.example&code=\(code)", "daybook://pair?collector=https://a.example",
            "daybook://pair?code=\(code)", "daybook://pair?collector=file:///etc&code=\(code)",
            "daybook://pair?collector=https://u:p@a.example&code=\(code)",
            "daybook://pair?collector=https://a.example/path&code=\(code)",
            "daybook://pair?collector=https://a.example?x=1&code=\(code)",
            "daybook://pair?collector=a.example&code=\(code)", "daybook://pair?collector=https://a.example&code=1",
            "daybook://pair?collector=https://a.example&code=0123456789ABCDEF0123456789ABCDEF", "https://a.example",
        ])
    func rejectsBadPairingLink(text: String) throws {
        #expect(PairingLink(try #require(URL(string: text))) == nil)
    }
}

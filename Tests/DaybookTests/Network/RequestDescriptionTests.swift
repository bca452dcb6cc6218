import Foundation
import Testing

@testable import Daybook

struct RequestDescriptionTests {
    @Test(
        "Replaces identifiers in paths with wildcards",
        arguments: [
            ("/12/34/", "/*/*/"), ("/recipes/42/steps", "/recipes/*/steps"), ("/v2/x", "/v2/x"),
            ("/u/6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "/u/*"), ("", ""),
        ])
    func masksPathIdentifiers(path: String, template: String) {
        #expect(RequestDescription.template(of: path) == template)
    }

    @Test("Leaves credentials, query values and fragment out of a recorded URL") func redactsURLSecrets() throws {
        let url = try #require(URL(string: "https://user:pass@api.example/recipes?token=secret&q=egg#fragment"))
        let text = RequestDescription.redacted(url)
        #expect(text == "https://api.example/recipes?token=REDACTED&q=REDACTED")
    }
}

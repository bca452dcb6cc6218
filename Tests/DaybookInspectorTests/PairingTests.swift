import DaybookBase
import DaybookChecklist
import DaybookTrials
import Foundation
import Testing

@testable import DaybookInspector

@Suite struct PairingCodesTests {
    private func code(_ digit: Character) throws -> AccessToken {
        try #require(AccessToken(text: String(repeating: digit, count: 32)))
    }

    @Test("A pairing code works once and for five minutes") func codeExpires() throws {
        var codes = PairingCodes()
        let offer = PairingCodes.Offer(checklist: "release", persona: "member", tester: "Aya")
        codes.add(try code("a"), for: offer, at: .zero)
        codes.add(try code("b"), for: .init(), at: .seconds(10))
        #expect(codes.redeem(String(repeating: "c", count: 32), at: .seconds(11)) == nil)
        #expect(codes.redeem("", at: .seconds(11)) == nil)
        #expect(codes.redeem(try code("a").text, at: .seconds(299)) == offer)
        #expect(codes.redeem(try code("a").text, at: .seconds(299)) == nil)
        #expect(codes.redeem(try code("b").text, at: .seconds(310)) == nil)
    }

    @Test("The oldest of too many codes is dropped") func dropsOldestCode() throws {
        var codes = PairingCodes()
        let texts = try "abcdef012".map(code)
        for text in texts { codes.add(text, for: .init(), at: .zero) }
        #expect(texts.count == PairingCodes.most + 1)
        #expect(codes.redeem(texts[0].text, at: .zero) == nil)
        #expect(codes.redeem(texts[1].text, at: .zero) == .init())
    }
}

@Suite(.timeLimit(.minutes(5))) struct PairingTests {
    private static let markdown = """
        # feed

        | persona | plan |
        |---------|------|
        | free    | free |

        ## reading
        - [ ] feed.show exactly 1 per id
        - [ ] feed.tap when plan = "free"
        """

    private func bench(_ desk: PairingDesk?) throws -> Bench {
        Bench(
            checklists: [try Checklist(markdown: Self.markdown, file: "LogChecklists/feed_release.md")], pairing: desk)
    }

    private static let desk = PairingDesk {
        .init(collector: "https://192.168.1.5:4318", isLocal: false)
    } lend: { name in
        .init(text: "dbk_\(name)", expires: 7)
    }

    @Test("The pairing link has an address and a code but no token") func linkHoldsNoToken() async throws {
        let bench = try bench(Self.desk)
        let data = try await bench.send("POST", "/api/v1/pairings", body: "{}").data()
        let link = try #require(data["link"].text)
        #expect(link.hasPrefix("daybook://pair?collector=https://192.168.1.5:4318&code="))
        #expect(!link.contains(bench.token.text))
        #expect(data["collector"] == "https://192.168.1.5:4318")
        #expect(data["local"] == false)
        #expect(data["seconds"] == 300)
        #expect(try await bench.send("GET", "/api/v1/status").data()["pairing"] == true)
    }

    @Test("Redeeming a code returns the checklist and starts a run") func codeStartsRun() async throws {
        let bench = try bench(Self.desk)
        let body = #"{"checklist":"feed_release","persona":"free","tester":"Aya"}"#
        let data = try await bench.send("POST", "/api/v1/pairings", body: body).data()
        let code = try #require(data["link"].text?.suffix(32))
        let redeem = #"{"code":"\#(code)","installation":"i-1","build":"4.12","device":"Phone"}"#
        // The code alone is enough: the phone has no token.
        let answer = await bench.send("POST", "/api/v1/pairings/redeem", body: redeem, headers: [:])
        let handed = try answer.data()
        #expect(handed["key"] == "dbk_pairing, Aya, Phone")
        #expect(handed["expires"] == "7")
        #expect(handed["checklist"]["markdown"].text == Self.markdown)
        #expect(handed["persona"]["values"] == ["plan": "free"])
        let run = try #require(handed["run"].int)
        let again = await bench.send("POST", "/api/v1/pairings/redeem", body: redeem, headers: [:])
        #expect(again.status == 401)
        let runs = try await bench.send("GET", "/api/v1/runs").data()["runs"].list
        #expect(runs?.map { $0["id"].int } == [run])
        #expect(runs?.first?["installation"] == "i-1")
    }

    @Test(
        "Rejects a pairing with an unknown checklist or an invalid persona or tester",
        arguments: [
            (#"{"checklist":"none"}"#, 404), (#"{"checklist":"feed_release","persona":"paid"}"#, 400), ("[]", 400),
            (#"{"tester":"\#(String(repeating: "x", count: 201))"}"#, 400),
        ])
    func refusesInvalidOffer(body: String, status: Int) async throws {
        #expect(try await bench(Self.desk).send("POST", "/api/v1/pairings", body: body).status == status)
    }

    @Test("An inspector without a pairing desk pairs with no phone") func noDeskMeansNoPairing() async throws {
        let bench = try bench(nil)
        #expect(await bench.send("POST", "/api/v1/pairings", body: "{}").status == 404)
        #expect(try await bench.send("GET", "/api/v1/status").data()["pairing"] == false)
        let body = #"{"code":"0","installation":"i"}"#
        #expect(await bench.send("POST", "/api/v1/pairings/redeem", body: body, headers: [:]).status == 404)
    }
}

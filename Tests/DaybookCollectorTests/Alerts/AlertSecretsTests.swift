import Foundation
import Testing

@testable import DaybookCollector

/// An environment variable goes only to its own address, whatever an alert says.
@Suite struct AlertSecretsTests {
    private static let environment = [
        "SLACK": "https://hooks.slack.example/services/T/B/hidden", "PLAIN": "http://hook.example:8080",
        "TOKEN": "token-hidden", "AWS_SECRET_ACCESS_KEY": "aws-hidden",
        "USER": "https://ann:user-hidden@hook.example/x",
        "SIX": "http://[::1]:9/six-hidden",
    ]

    private func secrets() throws -> AlertSecrets {
        try AlertSecrets(
            ["SLACK", "PLAIN", "USER", "SIX", "UNSET", "TOKEN=https://api.example"], environment: Self.environment)
    }

    @Test(
        "Fills a secret into its own target",
        arguments: [
            ("slack ${SLACK}", "https://hooks.slack.example/services/T/B/hidden"),
            ("${SLACK}/more?x=1", "https://hooks.slack.example/services/T/B/hidden/more?x=1"),
            ("${PLAIN}/a", "http://hook.example:8080/a"), ("${USER}", "https://ann:user-hidden@hook.example/x"),
            ("https://api.example/x?key=${TOKEN}", "https://api.example/x?key=token-hidden"),
            ("https://API.example:443/${TOKEN}", "https://API.example:443/token-hidden"),
            ("https://bot:${TOKEN}@api.example/", "https://bot:token-hidden@api.example/"),
            ("${SIX}", "http://[::1]:9/six-hidden"),
        ]) func fillsSecrets(target: String, address: String) throws
    {
        #expect(try AlertTarget.resolve(target, secrets: secrets()).get().url.absoluteString == address)
    }

    @Test(
        "Refuses to send a secret to any other address",
        arguments: [
            "https://evil.example/?leak=${AWS_SECRET_ACCESS_KEY}", "${AWS_SECRET_ACCESS_KEY}", "chatwork 1 ${PATH}",
            "https://evil.example/?leak=${SLACK}", "https://evil.example/${TOKEN}", "http://api.example/${TOKEN}",
            "https://api.example:444/${TOKEN}", "https://api.example.evil.example/${TOKEN}",
            "https://api.example@evil.example/${TOKEN}", "https://${TOKEN}.evil.example/",
            "https://${TOKEN}@evil.example/",
            "${PLAIN}.evil.example/", "${PLAIN}@evil.example/", "${PLAIN}0/", "https://evil.example#${SLACK}",
            "https://evil.example\\@api.example/${TOKEN}", "https://api.example\\.evil.example/${TOKEN}",
            "https://a@b@api.example/${TOKEN}", "https://api.example%2eevil.example/${TOKEN}",
            "https:/api.example/${TOKEN}", "https:api.example/${TOKEN}", "//api.example/${TOKEN}",
            "https://аpi.example/${TOKEN}", "https://api.example:/${TOKEN}${AWS_SECRET_ACCESS_KEY}",
            "https://evil.example/${SLACK}${TOKEN}", "chatwork 1 ${TOKEN}", "chatwork https://evil.example/ ${TOKEN}",
            "chatwork ${SLACK} ${TOKEN}", "https://[::1]:9/${SIX}", "slack https://evil.example/?${USER}",
            "template https://evil.example/${TOKEN}", "https://api.example:443@evil.example/${TOKEN}", "${UNSET}",
        ]) func confinesSecrets(target: String) throws
    {
        let outcome = AlertTarget.resolve(target, secrets: try secrets())
        guard case .failure(let problem) = outcome else {
            Issue.record("it goes to \(outcome)")
            return
        }
        for value in ["hidden", "ann:"] { #expect(!problem.message.contains(value), "\(problem)") }
    }

    @Test("Does not expand variables inside a secret's value") func expandsSecretsOnce() throws {
        let secrets = try AlertSecrets(
            ["A=https://api.example"], environment: ["A": "${AWS_SECRET_ACCESS_KEY}", "AWS_SECRET_ACCESS_KEY": "x"])
        guard case .success(let found) = AlertTarget.resolve("https://api.example/${A}", secrets: secrets) else {
            return
        }
        #expect(!found.url.absoluteString.contains("/x"))
    }

    @Test(
        "Rejects a malformed secret declaration without revealing its value",
        arguments: [
            (["TOKEN"], "holds no http or https address"), (["A B"], "NAME or NAME=https://host"),
            ([""], "NAME or NAME="),
            (["SLACK", "SLACK"], "given twice"), (["TOKEN=api.example"], "needs a place such as"),
            (["TOKEN=ftp://api.example"], "needs a place"), (["TOKEN="], "needs a place"),
        ]) func refusesBadSecrets(declared: [String], message: String)
    {
        let problem = #expect(throws: AlertTargetProblem.self) {
            try AlertSecrets(declared, environment: Self.environment)
        }
        #expect(problem?.message.contains(message) == true && problem?.message.contains("hidden") == false)
    }

    /// Knowing a webhook's path is enough to post to it: those who cannot manage see only the host.
    @Test("Shows an address without the parts that could be secret") func redactsAddresses() throws {
        for scheme in ["https", "http", "HTTPS"] {
            for user in ["", "hidden@", "ann:hidden@", "ann:hid@den@"] {
                for host in ["hooks.example", "hooks.example:8443", "[::1]:9"] {
                    for rest in ["", "/", "/services/T0/hidden", "?key=hidden", "#hidden", "/a?b=hidden", "\\hidden"] {
                        for kind in ["", "slack ", "template "] {
                            let target = "\(kind)\(scheme)://\(user)\(host)\(rest)"
                            let shown = AlertTarget.shown(target)
                            let isWhole = user.isEmpty && rest.count < 2
                            #expect(shown == (isWhole ? target : "\(kind)\(scheme)://\(host)/…"), "\(target)")
                        }
                    }
                }
            }
        }
        for (target, shown) in [
            ("slack ${SLACK}", "slack ${SLACK}"), ("${BASE}/hidden?x=1", "${BASE}…"),
            ("chatwork 123 ${TOKEN}", "chatwork 123 ${TOKEN}"), ("chatwork 123 hidden${TOKEN}", "chatwork 123 …"),
            ("https://api.example/${TOKEN}", "https://api.example/…"),
        ] { #expect(AlertTarget.shown(target) == shown) }
        // Nor does an error reveal it.
        for target in [
            "https://hooks.example/hidden?x=${NONE}", "${NONE}/hidden", "https://evil.example/hidden${SLACK}",
            "chatwork 1 hidden${TOKEN}",
        ] {
            let problem = try #require(AlertTarget.problem(of: target, secrets: try secrets()))
            #expect(!problem.message.contains("hidden"), "\(problem)")
        }
    }
}

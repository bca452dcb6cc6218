import Daybook
import DaybookBase
import DaybookTrials
import Foundation
import Testing

@testable import DaybookCollector

/// Each service's message against the service's documented limits; sources are in `AlertMessage`.
@Suite struct AlertMessageTests {
    /// Values a sender might choose: markup and mentions for every service, and far too many.
    private static let hostile = ["<!channel> @everyone [toall] <users/all> & *b* \"q\" \\ \n\u{202E}", long, "😀卵焼き"]
    private static let long = String(repeating: "<&[*é😀", count: 3_000)

    private func rule(_ name: String = "Payments fail", prose: String = "Call Ann.\n\n[Runbook](https://x.example)")
        -> AlertRule
    {
        AlertRule(
            name: name, prose: prose, question: .sql("SELECT 1"), every: 60,
            condition: .init(comparison: .above, bound: 10), firesWithoutData: false, duration: 900, targets: [],
            file: "a.md", line: 1)
    }

    private func notice(
        _ label: String = "2.1.0", _ status: AlertNotice.Status = .firing, reason: String? = nil
    ) -> AlertNotice {
        AlertNotice(
            alert: "Payments fail", status: status, label: label, value: 14, reason: reason, since: 0,
            time: 1_000_000_000)
    }

    /// A single notice, hostile values of each kind, and many notices of one evaluation.
    private var messages: [AlertMessage] {
        let hostile = Self.hostile.map { text in
            AlertMessage([(notice(text, reason: text), rule(text, prose: text + text))])
        }
        return [
            AlertMessage([(notice(), rule())]), AlertMessage([(notice("", .resolved), nil)]),
            AlertMessage([(notice("", .test), rule())]),
            AlertMessage(
                (0..<TestLength.trials(200, long: 1_000)).map {
                    (notice("\($0) " + Self.hostile[$0 % 3]), rule(prose: Self.long))
                }),
        ] + hostile
    }

    private func object(_ message: AlertMessage, _ kind: AlertTarget.Kind) throws -> Value {
        try sized(message, kind).object
    }

    private func sized(_ message: AlertMessage, _ kind: AlertTarget.Kind) throws -> (object: Value, bytes: Int) {
        let (type, bytes) = message.body(for: kind)
        #expect(type == "application/json")
        return (try JSONReader.value(of: bytes), bytes.count)
    }

    @Test("Slack messages are blocks within the service's limits") func formatsSlackBlocks() throws {
        for message in messages {
            let body = try object(message, .slack)
            let text = try #require(body["text"].text)
            #expect((1...4_000).contains(text.utf16.count))
            let blocks = try #require(body["blocks"].list)
            #expect((1...50).contains(blocks.count))
            for block in blocks {
                switch block["type"].text {
                case "header":
                    let header = try #require(block["text"])
                    #expect(header["type"] == "plain_text")
                    #expect((1...150).contains((header["text"].text ?? "").utf16.count))
                case "section":
                    let section = try #require(block["text"])
                    #expect(section["type"] == "mrkdwn" && section["verbatim"] == true)
                    let text = section["text"].text ?? ""
                    #expect((1...3_000).contains(text.utf16.count) && !text.contains("<") && !text.contains(">"))
                case "context":
                    let elements = try #require(block["elements"].list)
                    #expect((1...10).contains(elements.count))
                default: Issue.record("an unknown block \(block)")
                }
            }
        }
    }

    @Test("Teams messages are adaptive cards within the service's limits") func formatsTeamsCard() throws {
        for message in messages {
            let (body, size) = try sized(message, .teams)
            #expect(size <= 28 * 1_024)
            #expect(body["type"] == "message")
            let attachments = try #require(body["attachments"].list)
            #expect(attachments.count == 1)
            #expect(attachments[0]["contentType"] == "application/vnd.microsoft.card.adaptive")
            let card = try #require(attachments[0]["content"])
            #expect(card["type"] == "AdaptiveCard" && card["version"] == "1.4")
            let blocks = try #require(card["body"].list)
            #expect(!blocks.isEmpty)
            for block in blocks {
                // A `TextBlock` would interpret Markdown in senders' values.
                #expect(block["type"] == "RichTextBlock")
                let runs = try #require(block["inlines"].list)
                #expect(
                    runs.allSatisfy { $0["type"] == "TextRun" && $0["text"].text?.isEmpty == false })
            }
        }
    }

    @Test("Discord messages are embeds within limits that mention nobody") func formatsDiscordEmbed() throws {
        for message in messages {
            let body = try object(message, .discord)
            #expect(body["allowed_mentions"] == ["parse": []])
            let embeds = try #require(body["embeds"].list)
            #expect((1...10).contains(embeds.count))
            let title = try #require(embeds[0]["title"].text)
            let description = try #require(embeds[0]["description"].text)
            #expect((1...256).contains(title.utf16.count) && (1...4_096).contains(description.utf16.count))
            #expect(title.utf16.count + description.utf16.count <= 6_000)
            #expect((0...0xFF_FFFF).contains(try #require(embeds[0]["color"].int)))
            #expect(embeds[0]["timestamp"].text?.hasSuffix("Z") == true)
        }
    }

    @Test("Google Chat messages are cards within the service's limits") func formatsGoogleChatCard() throws {
        for message in messages {
            let (body, size) = try sized(message, .googleChat)
            #expect(size <= 32_000)
            // A `text` would mention people named in a value.
            #expect(body.members?.keys.sorted() == ["cardsV2"])
            let cards = try #require(body["cardsV2"].list)
            #expect(cards.count == 1 && cards[0]["cardId"].text != nil)
            let card = try #require(cards[0]["card"])
            #expect(card["header"]["title"].text?.isEmpty == false)
            let sections = try #require(card["sections"].list)
            let widgets = try #require(sections.first?["widgets"].list)
            for widget in widgets {
                let text = try #require(widget["textParagraph"]["text"].text)
                #expect(!text.isEmpty && !text.replacing("<br>", with: "").contains("<"))
            }
        }
    }

    @Test("Chatwork messages are forms within limits that mention nobody") func formatsChatworkForm() throws {
        for message in messages {
            let (type, bytes) = message.body(for: .chatwork)
            #expect(type == "application/x-www-form-urlencoded")
            let form = String(decoding: bytes, as: UTF8.self)
            #expect(form.utf8.allSatisfy { $0 < 0x80 && $0 != 0x20 && $0 != 0x2B })
            let fields = form.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
            #expect(fields.map { $0[0] } == ["body", "self_unread"])
            let body = try #require(fields[0][1].removingPercentEncoding)
            #expect((1...65_535).contains(body.count))
            let tags = ["[info]", "[title]", "[/title]", "[/info]"]
            #expect(!tags.reduce(body) { $0.replacing($1, with: "") }.contains("["))
        }
    }

    @Test(
        "Values cannot inject control characters or extra lines into messages",
        arguments: [AlertTarget.Kind.daybook, .slack, .teams, .discord, .googleChat, .chatwork, .template])
    func neutralisesValues(kind: AlertTarget.Kind) throws {
        let evil = "x\u{1B}[2J\u{7}\u{9B}\u{202E}\u{2066}\u{200B}\u{2028}\r\nRESOLVED: Payments fail"
        var rule = rule(prose: "Call.\n\n" + evil.replacing("\n", with: " "))
        rule.template = try AlertTemplate(#"{"a": "{{label}}", "b": ["{{reason}}", "{{text}}", "{{description}}"]}"#)
        for count in [1, 3] {
            let message = AlertMessage((0..<count).map { _ in (notice(evil, reason: evil), rule) })
            var texts: [String] = []
            func collect(_ value: Value) {
                switch value {
                case .string(let text): texts.append(text)
                case .array(let elements): elements.forEach(collect)
                case .object(let members): members.elements.forEach { collect($0.value) }
                default: break
                }
            }
            let bytes = message.body(for: kind).bytes
            if kind == .chatwork {
                texts.append(try #require(String(decoding: bytes, as: UTF8.self).removingPercentEncoding))
            } else {
                collect(try JSONReader.value(of: bytes))
            }
            #expect(texts.contains { $0.contains("u{1b}") })
            for text in texts {
                #expect(text.printableLines == text)
                #expect(!text.contains("\nRESOLVED"))
            }
        }
    }

    @Test("Escapes links and mentions in Discord messages") func escapesDiscordMarkup() throws {
        let embeds = try object(AlertMessage([(notice("<@1> <#2> https://e.example"), nil)]), .discord)["embeds"]
        let title = try #require(embeds[0]["title"].text)
        #expect(title == "FIRING\\: Payments fail \\(\\<\\@1\\> \\<\\#2\\> https\\://e.example\\)")
    }

    @Test("Groups the notices of one evaluation into one message with a count") func groupsNotices() throws {
        let body = try object(AlertMessage((0..<30).map { (notice("v\($0)"), rule()) }), .daybook)
        let text = try #require(body["text"].text)
        #expect(text.hasPrefix("30 firing: Payments fail\nFIRING: Payments fail (v0), value 14.0\n"))
        #expect(text.hasSuffix("\n… and 10 more"))
        #expect(body["alerts"].list?.count == 30 && body["status"] == "firing")
    }

    @Test("Fills a template without breaking its JSON") func fillsTemplate() throws {
        let template = try AlertTemplate(
            #"{"msg": "[{{ status }}] {{alert}}/{{label}}", "n": "{{value}}", "why": "{{reason}}", "deep": [{"t": "{{text}} }}"}], "k{{": 1}"#
        )
        var rule = rule()
        rule.template = template
        let hostile = "x\", \"admin\": true, \"y\": \"\u{7}\\"
        var body = try object(AlertMessage([(notice(hostile), rule)]), .template)
        #expect(body["msg"] == "[firing] Payments fail/\(hostile.printable)")
        #expect([.int(14), .double(14)].contains(body["n"]) && body["why"] == .null && body["admin"] == nil)
        #expect(body["deep"][0]["t"].text?.hasSuffix("value 14.0 }}") == true)
        body = try object(AlertMessage([(notice("a"), rule), (notice("b"), rule)]), .template)
        #expect(body["msg"] == "[firing] Payments fail/" && body["n"] == .null)
        for wrong in ["{\"a\": {{value}}}", "{\"a\": \"{{valeu}}\"}", "text"] {
            #expect(throws: AlertTemplate.Problem.self) { try AlertTemplate(wrong) }
        }
    }

    @Test("Parses alert targets and suggests corrections") func parsesTargets() throws {
        let secrets = try AlertSecrets(
            ["HOOK", "TOKEN=https://api.chatwork.com", "BAD=https://api.chatwork.com", "NONE"],
            environment: ["HOOK": "https://hooks.example/T/B/x", "TOKEN": "abc", "BAD": "a\nb"])
        func outcome(_ text: String) -> String {
            switch AlertTarget.resolve(text, secrets: secrets) {
            case .success(let found): "\(found.kind) \(found.url.absoluteString) \(found.token ?? "-")"
            case .failure(let problem): problem.message
            }
        }
        #expect(outcome("${HOOK}") == "daybook https://hooks.example/T/B/x -")
        #expect(outcome("slack ${HOOK}") == "slack https://hooks.example/T/B/x -")
        #expect(outcome("google-chat ${HOOK}") == "googleChat https://hooks.example/T/B/x -")
        #expect(outcome("chatwork 123 ${TOKEN}") == "chatwork https://api.chatwork.com/v2/rooms/123/messages abc")
        #expect(outcome("slak ${HOOK}").contains("did you mean `slack`?"))
        #expect(outcome("slack").contains("needs an address"))
        #expect(outcome("chatwork 123 abc").contains("a room's number and ${NAME}"))
        #expect(outcome("chatwork 123 ${BAD}").contains("characters that a token cannot have"))
        #expect(outcome("${HOOK} ${TOKEN}").contains("one address"))
        #expect(outcome("teams ${NONE}").contains("has no NONE"))
    }

    @Test(
        "Quiet hours follow their time zone",
        arguments: [
            ("22:00-07:00 Asia/Tokyo", "13:00", true), ("22:00-07:00 Asia/Tokyo", "12:59", false),
            ("22:00-07:00 Asia/Tokyo", "21:59", true), ("22:00-07:00 Asia/Tokyo", "22:00", false),
            ("09:30-10:00", "09:30", true), ("09:30-10:00", "10:00", false), ("00:00-24:00 UTC", "12:00", true),
        ]) func quietHoursUseZone(hours: String, utc: String, isQuiet: Bool) throws
    {
        let parts = utc.split(separator: ":").compactMap { Int64($0) }
        let now = (1_790_000_000 / 86_400 * 86_400 + parts[0] * 3_600 + parts[1] * 60) * 1_000_000_000
        #expect(try #require(QuietHours(hours[...])).contain(now) == isQuiet)
    }

    /// Abbreviations shared by zones of several countries; Foundation picks one.
    @Test(
        "Rejects ambiguous time zone abbreviations in quiet hours",
        arguments: ["IST", "CST", "EST", "PST", "BST", "JST", "MSK", "AST", "EDT", "Z", "asia", "+09:00"])
    func refusesZoneAbbreviations(zone: String) {
        #expect(QuietHours("22:00-07:00 \(zone)") == nil)
        for place in ["UTC", "GMT", "Asia/Kolkata", "America/Chicago", "Europe/London"] {
            #expect(QuietHours("22:00-07:00 \(place)")?.text == "22:00-07:00 \(place)")
        }
        #expect(QuietHours("22:00-07:00")?.text == "22:00-07:00 UTC")
    }

    @Test(
        "Rejects malformed quiet hours",
        arguments: ["", "22:00", "22-7", "25:00-07:00", "22:00-07:60", "22:00-07:00 Mars/Base", "22:00-07:00 UTC x"])
    func refusesBadQuietHours(text: String) { #expect(QuietHours(text[...]) == nil) }
}

import DaybookBase
import DaybookStore
import Foundation

/// One message to a target: the notices of one evaluation in the service's format.
struct AlertMessage {
    /// Further notices are only counted.
    private static let mostLines = 20
    /// In characters.
    private static let lineLimit = 400
    private static let proseLimit = 1_500

    /// Masked notices, at least one, with their alerts; `nil` for an alert that is in no file any more.
    private let entries: [(notice: AlertNotice, rule: AlertRule?)]
    private let merged: Int

    /// - Parameters:
    ///   - entries: at least one.
    ///   - merged: earlier changes that were never sent; the message states the number. Default: 0.
    init(_ entries: [(notice: AlertNotice, rule: AlertRule?)], merged: Int = 0) {
        (self.entries, self.merged) = (entries, merged)
    }

    func body(for kind: AlertTarget.Kind) -> (contentType: String, bytes: [UInt8]) {
        let value =
            switch kind {
            case .daybook: own
            case .slack: slack
            case .teams: teams
            case .discord: discord
            case .googleChat: googleChat
            case .chatwork: Value?.none
            case .template: entries[0].rule?.template.map { $0.filled(templateValues) } ?? own
            }
        guard let value else { return ("application/x-www-form-urlencoded", Array(chatwork.utf8)) }
        return ("application/json", Array(JSONWriter.text(value).utf8))
    }

    // MARK: - Texts

    private static func summary(_ notice: AlertNotice) -> String {
        ("\(notice.status.rawValue.uppercased()): \(notice.alert)"
            + (notice.label.isEmpty ? "" : " (\(notice.label))")).printable
    }

    private static func line(_ notice: AlertNotice) -> String {
        let why =
            notice.reason.map { ": " + $0.printable } ?? notice.value.map { ", value " + JSONWriter.text(.double($0)) }
            ?? ""
        return summary(notice) + why
    }

    private var isFiring: Bool { entries.contains { $0.notice.status == .firing } }

    private var title: String {
        guard entries.count > 1 else { return Self.summary(entries[0].notice) }
        let counts = [AlertNotice.Status.firing, .resolved].compactMap { status -> String? in
            let count = entries.count { $0.notice.status == status }
            return count > 0 ? "\(count) \(status.rawValue)" : nil
        }
        let names = Set(entries.map(\.notice.alert))
        return counts.joined(separator: ", ") + (names.count == 1 ? ": \(entries[0].notice.alert.printable)" : "")
    }

    /// Up to the byte limit.
    private func lines(limit: Int, _ escape: (String) -> String) -> String {
        var lines: [String] = []
        var size = 0
        for entry in entries.prefix(Self.mostLines) {
            let line = escape(Self.limited(Self.line(entry.notice), Self.lineLimit))
            guard size + line.utf8.count + 1 <= limit - 120 || lines.isEmpty else { break }
            lines.append(line)
            size += line.utf8.count + 1
        }
        if lines.count < entries.count { lines.append("… and \(entries.count - lines.count) more") }
        if let mergedText { lines.append(mergedText) }
        return lines.joined(separator: "\n")
    }

    private var mergedText: String? { merged > 0 ? "(\(merged) earlier changes were not sent)" : nil }

    /// Without duplicates.
    private func prose(limit: Int, _ escape: (String) -> String) -> String? {
        var seen: Set<String> = []
        let texts = entries.compactMap { entry -> String? in
            guard let prose = entry.rule?.prose.printableLines, !prose.isEmpty, seen.insert(prose).inserted else {
                return nil
            }
            return prose
        }
        var text = Self.limited(texts.joined(separator: "\n\n"), Self.proseLimit)
        while escape(text).utf8.count > limit { text = Self.limited(text, text.unicodeScalars.count / 2) }
        return text.isEmpty ? nil : escape(text)
    }

    private var facts: String? {
        guard entries.count == 1, let rule = entries[0].rule else { return nil }
        return "\(rule.conditionText.printable) · since \(Self.time(entries[0].notice.since))"
    }

    private static func time(_ nanoseconds: Int64) -> String {
        Timestamp(nanoseconds: nanoseconds).rfc3339(fractionDigits: 3)
    }

    private static func limited(_ text: String, _ count: Int) -> String {
        // Services count UTF-16 units; a scalar is at most two.
        guard text.unicodeScalars.count > count else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(max(count - 1, 0)))) + "…"
    }

    // MARK: - Daybook's own

    /// One JSON object; docs/formats/alerts.md lists its members.
    private var own: Value {
        var members = Self.members(entries[0].notice, entries[0].rule)
        if entries.count > 1 {
            members = [
                "text": .string(title + "\n" + lines(limit: 16_384) { $0 }),
                "status": .string(isFiring ? "firing" : "resolved"),
                "alerts": .array(entries.map { .object(Self.members($0.notice, $0.rule)) }),
            ]
        } else if let mergedText {
            members["text"] = .string(Self.line(entries[0].notice) + "\n" + mergedText)
        }
        if merged > 0 { members["merged"] = .int(Int64(merged)) }
        return .object(members)
    }

    private static func members(_ notice: AlertNotice, _ rule: AlertRule?) -> Attributes {
        [
            // Chat services show `text`; the rest is for programs.
            "text": .string(line(notice)),
            "status": .string(notice.status.rawValue),
            "alert": .string(notice.alert.printable),
            "label": notice.label.isEmpty ? .null : .string(notice.label.printable),
            "value": notice.value.map { .double($0) } ?? .null,
            "reason": notice.reason.map { .string($0.printable) } ?? .null,
            "condition": rule.map { .string($0.conditionText.printable) } ?? .null,
            "since": .string(time(notice.since)),
            "time": .string(time(notice.time)),
            "description": rule.map { .string($0.prose.printableLines) } ?? .null,
        ]
    }

    private var templateValues: [String: Value] {
        var values = Dictionary(
            Self.members(entries[0].notice, entries[0].rule).elements.map { ($0.key, $0.value) },
            uniquingKeysWith: { $1 })
        values["count"] = .int(Int64(entries.count))
        if entries.count > 1 {
            values["text"] = .string(title + "\n" + lines(limit: 16_384) { $0 })
            values["status"] = .string(isFiring ? "firing" : "resolved")
            for name in ["label", "value", "reason"] { values[name] = .null }
        } else if let mergedText {
            values["text"] = .string(Self.line(entries[0].notice) + "\n" + mergedText)
        }
        return values
    }

    // MARK: - Services

    /// Source: Slack, *Sending messages using incoming webhooks* and *Block Kit*
    /// (docs.slack.dev/reference/block-kit/blocks): a header of 150 characters of plain text, sections of 3,000, at
    /// most 50 blocks. Escaping `&`, `<` and `>` prevents mentions; `verbatim` prevents links from addresses and
    /// channel names.
    private var slack: Value {
        let escape = { (text: String) in
            text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        }
        func section(_ text: String) -> Value {
            .object(["type": "section", "text": ["type": "mrkdwn", "text": .string(text), "verbatim": true]])
        }
        var blocks: [Value] = [
            .object([
                "type": "header",
                "text": ["type": "plain_text", "text": .string(Self.limited(title, 75)), "emoji": false],
            ]),
            section(lines(limit: 3_000, escape)),
        ]
        if let prose = prose(limit: 3_000, escape) { blocks.append(section(prose)) }
        if let facts {
            let element = Value.object([
                "type": "mrkdwn", "text": .string(escape(Self.limited(facts, 500))), "verbatim": true,
            ])
            blocks.append(.object(["type": "context", "elements": .array([element])]))
        }
        return .object(["text": .string(lines(limit: 3_000, escape)), "blocks": .array(blocks)])
    }

    /// Source: Microsoft, *Create incoming webhooks with Workflows for Microsoft Teams* and the schema of *Adaptive
    /// Cards* 1.4 (adaptivecards.io/explorer): one attachment with a card, 28 KB in all. `RichTextBlock` runs are plain
    /// text; a `TextBlock` would interpret Markdown.
    private var teams: Value {
        func block(_ text: String, _ more: Attributes = [:]) -> Value {
            var run: Attributes = ["type": "TextRun", "text": .string(text)]
            run.elements += more.elements
            return .object(["type": "RichTextBlock", "inlines": .array([.object(run)])])
        }
        var body = [
            block(
                Self.limited(title, 200),
                ["weight": "Bolder", "size": "Medium", "color": isFiring ? "Attention" : "Good"]),
            block(lines(limit: 10_000) { $0 }),
        ]
        if let prose = prose(limit: 6_000, { $0 }) { body.append(block(prose)) }
        if let facts { body.append(block(Self.limited(facts, 500), ["isSubtle": true, "size": "Small"])) }
        return .object([
            "type": "message",
            "attachments": [
                [
                    "contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": .null,
                    "content": [
                        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard",
                        "version": "1.4", "body": .array(body),
                    ],
                ]
            ],
        ])
    }

    /// Source: Discord, *Execute Webhook* and *Embed Limits*
    /// (discord.com/developers/docs/resources/message#embed-object): a title of 256 characters, a description of 4,096,
    /// 6,000 in all. Escapes all markup, including links and mentions; `allowed_mentions` prevents pings.
    private var discord: Value {
        let escape = { (text: String) in
            String(
                String.UnicodeScalarView(
                    text.unicodeScalars.flatMap { Self.discordMarks.contains($0) ? ["\\", $0] : [$0] }))
        }
        let text = [
            lines(limit: 2_000, escape), prose(limit: 1_500, escape), facts.map { escape(Self.limited($0, 150)) },
        ]
        return .object([
            "embeds": [
                [
                    "title": .string(escape(Self.limited(title, 120))),
                    "description": .string(text.compactMap { $0 }.joined(separator: "\n\n")),
                    "color": .int(isFiring ? 0xC0392B : 0x2E8B57),
                    "timestamp": .string(Self.time(entries[0].notice.time)),
                ]
            ],
            "allowed_mentions": ["parse": []],
        ])
    }

    private static let discordMarks = "\\*_`~|<>[]()#-@:".unicodeScalars

    /// Source: Google, *Build a Google Chat app as a webhook* and the reference of *Card* v2
    /// (developers.google.com/workspace/chat/api/reference/rest/v1/cards): 32,000 bytes in all; paragraphs accept a
    /// subset of HTML.
    private var googleChat: Value {
        let escape = { (text: String) in
            text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
                .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: "<br>")
        }
        func paragraph(_ text: String) -> Value { .object(["textParagraph": ["text": .string(text)]]) }
        var widgets = [paragraph(escape(lines(limit: 10_000) { $0 }))]
        if let prose = prose(limit: 8_000, escape) { widgets.append(paragraph(prose)) }
        var header: Attributes = ["title": .string(Self.limited(title, 200))]
        if let facts { header["subtitle"] = .string(Self.limited(facts, 300)) }
        return .object([
            "cardsV2": [
                [
                    "cardId": "daybook",
                    "card": ["header": .object(header), "sections": [["widgets": .array(widgets)]]],
                ]
            ]
        ])
    }

    /// Source: Chatwork, *POST /rooms/{room_id}/messages*
    /// (developer.chatwork.com/reference/post-rooms-room_id-messages) and *Message notation*: a form with `body` of at
    /// most 65,535 characters. Brackets in values become full-width, so that none forms a `[toall]`.
    private var chatwork: String {
        let escape = { (text: String) in text.replacing("[", with: "［").replacing("]", with: "］") }
        let parts = [lines(limit: 10_000, escape), prose(limit: 8_000, escape), facts.map(escape)].compactMap { $0 }
        let text =
            "[info][title]\(escape(Self.limited(title, 200)))[/title]\(parts.joined(separator: "\n\n"))[/info]"
        var allowed = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: Unicode.Scalar(0)..."\u{7F}"))
        allowed.insert(charactersIn: "-._~")
        return "body=\(text.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")&self_unread=0"
    }
}

extension AlertRule {
    package var conditionText: String {
        var parts = [condition?.text, firesWithoutData ? "no data" : nil].compactMap { $0 }
        if case .watch(let watch) = question { parts = ["not fulfilled over \(DurationText.text(watch.over))"] }
        return parts.joined(separator: " or ") + (duration > 0 ? " for \(DurationText.text(duration))" : "")
    }
}

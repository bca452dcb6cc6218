import DaybookBase
import DaybookChecklist
import DaybookCollector
import Foundation

/// Requests saved by browsers and proxies: an HTTP archive (HAR 1.2).
enum RequestArchive {
    /// The most bytes of an inflated body.
    private static let inflatedLimit = 64 << 20

    struct Entry {
        var request: RequestRules.Request
        /// In the archive, from 1.
        var line: Int
        /// Why it is not a request of its own, such as `was redirected (307)`; `nil` if it is.
        var outcome: String?
        /// Why the body is unavailable; `nil` if it is available.
        fileprivate var problem: String?

        /// The request with its body.
        /// - Throws: ``RequestRules/Problem`` if the archive lacks the body.
        func readableRequest() throws(RequestRules.Problem) -> RequestRules.Request {
            guard let problem else { return request }
            throw RequestRules.Problem(description: "\(request.method) \(request.target): \(problem)")
        }
    }

    /// - Throws: ``InputError`` if the text is not an archive.
    static func entries(in text: String, file: String) throws(InputError) -> [Entry] {
        let bytes = Array(text.utf8)
        let archive: Value
        let lines: [Int]
        do throws(JSONError) {
            archive = try JSONReader.value(of: bytes)
            lines = try MemberLines(of: bytes, inside: "log").members.first { $0.name == "entries" }?.elements ?? []
        } catch {
            throw InputError(file: file, message: "\(error)")
        }
        guard case .object(let object) = archive, case .object(let log)? = object["log"],
            case .array(let entries)? = log["entries"]
        else { throw InputError(file: file, message: "is not an HTTP archive: {\"log\": {\"entries\": […]}}") }
        var requests: [Entry] = []
        for (entry, line) in zip(entries, lines) {
            guard case .object(let entry) = entry, case .object(let sent)? = entry["request"],
                var request = Self.entry(of: sent, line)
            else {
                throw InputError(file: file, line: line, message: "an entry needs a request with `method` and `url`")
            }
            if case .object(let response)? = entry["response"], let status = response.count("status") {
                request.outcome = outcome(ofStatus: status, request.request.method)
            }
            requests.append(request)
        }
        return requests
    }

    private static func outcome(ofStatus status: Int, _ method: String) -> String? {
        switch status {
        case ...0: "failed"
        case 307, 308: "was redirected (\(status)) and sent again"
        // Other methods are followed by a GET, whose body differs.
        case 301, 302, 303: method == "GET" ? "was redirected (\(status)) and sent again" : nil
        default: nil
        }
    }

    private static func entry(of sent: Attributes, _ line: Int) -> Entry? {
        guard let method = sent.text("method"), let url = sent.text("url"), let address = URLComponents(string: url)
        else { return nil }
        let headers = Headers(sent["headers"])
        // The host name without port; in HTTP/2 it is a pseudo-header.
        let host = (headers["host"] ?? headers[":authority"])?.split(separator: ":").first.map(String.init)
        let path = address.percentEncodedPath.isEmpty ? "/" : address.percentEncodedPath
        var entry = Entry(
            request: RequestRules.Request(
                method: method.uppercased(),
                host: address.host ?? host,
                target: path + (address.percentEncodedQuery.map { "?" + $0 } ?? ""), body: []),
            line: line)
        do throws(RequestRules.Problem) {
            // Some tools write the query parameters only separately.
            if address.percentEncodedQuery == nil, case .array(let parameters)? = sent["queryString"],
                !parameters.isEmpty
            {
                entry.request.target += "?" + String(decoding: try form(parameters), as: UTF8.self)
            }
            entry.request.body = try body(of: sent, headers)
        } catch {
            entry.problem = error.description
        }
        return entry
    }

    private static func body(of sent: Attributes, _ headers: Headers) throws(RequestRules.Problem) -> [UInt8] {
        // -1 if unknown.
        let size =
            sent["method"] == "GET" ? 0 : max(sent.count("bodySize") ?? -1, Int(headers["content-length"] ?? "") ?? -1)
        let encoding = headers["content-encoding"].flatMap { ["", "identity"].contains($0.lowercased()) ? nil : $0 }
        let data = if case .object(let data)? = sent["postData"] { data } else { Attributes() }
        let hasData = !data.elements.isEmpty && sent["method"] != "GET"
        var body: [UInt8] = []
        var isText = false
        switch data["text"] ?? .null {
        case .null: break
        case .string(let text):
            switch (data.text("encoding") ?? data.text("_encoding"))?.lowercased() {
            case nil, "", "utf-8", "utf8", "text": (body, isText) = (Array(text.utf8), true)
            case "base64":
                guard let bytes = Base64.decode(text.filter { !$0.isWhitespace }) else {
                    throw problem("its body is not base64, as the archive says")
                }
                body = bytes
            case let other?: throw problem("its body has the encoding \(other), which is not read; base64 is")
            }
        default: throw problem("`text` of its body is not a text")
        }
        if body.isEmpty {
            if case .array(let parameters)? = data["params"], !parameters.isEmpty { return try form(parameters) }
            if let name = data.text("_file") { throw problem("its body is in another file, \(name)") }
            // The browser had discarded the body.
            if size > 0 { throw problem("the archive does not have its body of \(size) bytes") }
            if hasData, size < 0, data["text"] ?? .null == .null { throw problem("the archive does not have its body") }
            return []
        }
        if encoding == nil, body.count < size {
            throw problem("the archive has \(body.count) of the \(size) bytes of its body")
        }
        // Most tools save the decompressed body along with the header of the compressed one.
        if let text = String(wellFormed: body), !text.contains("\u{FFFD}") || !isText || body.count == size {
            return body
        }
        guard encoding == "deflate" || body.starts(with: [0x1F, 0x8B]) else {
            if let encoding {
                throw problem("its body is no text, and the header says it is compressed by \(encoding)")
            }
            if isText { throw problem("its body has U+FFFD, which stands for bytes that were no text") }
            return body
        }
        do { return try Inflate.bytes(body, limit: inflatedLimit) } catch { throw problem("\(error)") }
    }

    private static func form(_ parameters: [Value]) throws(RequestRules.Problem) -> [UInt8] {
        var pairs: [String] = []
        for parameter in parameters {
            guard case .object(let parameter) = parameter, let name = parameter.text("name"),
                let value = parameter.text("value") ?? (parameter["value"] ?? .null == .null ? "" : nil)
            else { throw problem("a parameter has no name, or a value that is no text") }
            pairs.append(
                [name, value].map { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
                    .joined(separator: "="))
        }
        return Array(pairs.joined(separator: "&").utf8)
    }

    private static func problem(_ text: String) -> RequestRules.Problem { RequestRules.Problem(description: text) }

    /// Headers by lowercase name.
    private struct Headers {
        private var fields: [String: String] = [:]

        init(_ list: Value?) {
            guard case .array(let list)? = list else { return }
            for case .object(let field) in list {
                guard let name = field.text("name"), let value = field.text("value") else { continue }
                fields[name.lowercased()] = value
            }
        }

        subscript(name: String) -> String? { fields[name] }
    }
}

extension Attributes {
    fileprivate func text(_ key: String) -> String? { self[key]?.text }
    fileprivate func count(_ key: String) -> Int? {
        switch self[key] {
        case .int(let number)?: Int(exactly: number)
        case .double(let number)?: Int(exactly: number)
        default: nil
        }
    }
}

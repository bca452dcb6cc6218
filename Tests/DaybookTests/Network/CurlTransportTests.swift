#if os(Linux)
    import DaybookBase
    import DaybookTrials
    import Foundation
    import Testing

    @testable import Daybook

    @Suite(.timeLimit(.minutes(5))) struct CurlTransportTests {
        private func request(
            _ port: UInt16, method: String = "POST",
            headers: [String: String] = ["content-type": "text/plain", "x-test": "1"],
            timeout: Duration = .seconds(10)
        ) throws -> TransportRequest {
            TransportRequest(
                method: method, url: try #require(URL(string: "http://127.0.0.1:\(port)/v1")), headers: headers,
                body: Array("body.".utf8), timeout: timeout)
        }

        private func send(_ answer: String, method: String = "POST") async throws -> (TransportResponse, ScriptedServer)
        {
            let server = try ScriptedServer([answer])
            return (try await CurlTransport().send(request(server.port, method: method)), server)
        }

        private func answer(_ status: String, _ headers: String = "", body: String = "") -> String {
            "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(headers)\r\n\(body)"
        }

        @Test("Accepts every complete answer", arguments: HostileAnswer.whole) func acceptsWholeAnswer(text: String)
            async throws
        {
            let (response, _) = try await send(text)
            #expect([200, 204].contains(response.status))
            #expect(response.body == Array((response.status == 200 ? "fine" : "").utf8))
        }

        @Test("Curl sends the request as given and returns the answer") func curlSendsVerbatim() async throws {
            let (response, server) = try await send(
                answer("200 OK", "Retry-After: 3\r\nX: 1\r\nx: 2\r\n", body: "fine"))
            #expect(response.status == 200 && response.body == Array("fine".utf8))
            #expect(response.headers["retry-after"] == "3" && response.headers["x"] == "1, 2")
            let sent = try #require(server.requests.first)
            #expect(sent.hasPrefix("POST /v1 HTTP/1.1\r\n") && sent.hasSuffix("\r\n\r\nbody."))
            let lines = sent.lowercased().split(separator: "\r\n")
            #expect(lines.filter { $0.hasPrefix("content-type:") } == ["content-type: text/plain"])
            #expect(
                lines.contains("x-test: 1")
                    && !lines.contains { $0.hasPrefix("expect:") || $0.hasPrefix("accept-encoding:") })
        }

        @Test("Curl keeps the request's method", arguments: ["PUT", "DELETE", "GET", "PATCH"]) func curlKeepsMethod(
            method: String
        ) async throws {
            let (_, server) = try await send(answer("204 No Content"), method: method)
            #expect(server.requests.first?.hasPrefix("\(method) /v1 ") == true)
        }

        @Test(
            "Curl returns a redirect without following it",
            arguments: ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
        func curlIgnoresRedirects(status: String) async throws {
            let elsewhere = try ScriptedServer([answer("200 OK")])
            defer { elsewhere.stop() }
            let (response, _) = try await send(answer(status, "Location: http://127.0.0.1:\(elsewhere.port)/\r\n"))
            #expect(response.status == Int(status.prefix(3)))
            #expect(elsewhere.requests.isEmpty)
        }

        @Test(
            "Curl returns an authentication failure without retrying",
            arguments: [
                "", "Basic realm=\"x\"", "Bearer", "Digest realm=\"x\", nonce=\"y\"", "Negotiate", "nonsense",
            ])
        func curlReturnsAuthFailure(challenge: String) async throws {
            let (response, server) = try await send(
                answer("401 No", challenge.isEmpty ? "" : "WWW-Authenticate: \(challenge)\r\n", body: "no"))
            #expect(response.status == 401 && server.requests.count == 1)
        }

        @Test("Truncates a long failure body and rejects a long success body") func boundsBodies() async throws {
            let body = String(repeating: "x", count: 4 << 20)
            let (response, _) = try await send(answer("503 Busy", body: body))
            #expect(response.status == 503 && response.body == [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10))
            await #expect(throws: (any Error).self) { try await send(answer("200 OK", body: body)) }
            // A body of exactly the limit is whole.
            let (whole, _) = try await send(answer("200 OK", body: String(body.prefix(64 << 10))))
            #expect(whole.body.count == 64 << 10)
        }

        @Test("Rejects every truncated answer") func rejectsTruncatedAnswers() async throws {
            let transport = CurlTransport()
            for answer in HostileAnswer.prefixes {
                let server = try HostileServer(answer)
                defer { server.stop() }
                await #expect(throws: (any Error).self, "\(answer): \(String(decoding: answer.start, as: UTF8.self))") {
                    try await transport.send(request(server.port))
                }
            }
        }

        @Test("A hostile answer is never a success and costs little", arguments: HostileAnswer.kinds)
        func hostileAnswersFail(answer: HostileAnswer)
            async throws
        {
            let server = try HostileServer(answer)
            defer { server.stop() }
            let timeout: Duration = answer.isSlow ? .milliseconds(300) : .seconds(60)
            let response = try? await CurlTransport().send(request(server.port, timeout: timeout))
            #expect(response.map { (300...399).contains($0.status) } ?? true, "\(String(describing: response))")
            #expect(server.connections.load(ordering: .relaxed) == 1)
            // Allows for what the socket buffers hold.
            #expect(server.sent.load(ordering: .relaxed) < 16 << 20)
        }

        @Test("Randomly damaged answers stay within the limits of status and body") func randomAnswersBounded()
            async throws
        {
            var random = SeededGenerator(seed: 37)
            let transport = CurlTransport()
            let whole = HostileAnswer.whole.map { Array($0.utf8) }
            for _ in 0..<200 {
                var bytes = whole.randomElement(using: &random) ?? []
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                    case 1: bytes.remove(at: place)
                    default: bytes.insert(contentsOf: bytes[..<place], at: place)
                    }
                    if bytes.isEmpty { bytes = [0] }
                }
                let server = try HostileServer(HostileAnswer("at random", bytes: bytes))
                defer { server.stop() }
                guard let response = try? await transport.send(request(server.port)) else { continue }
                #expect((200...599).contains(response.status) && response.body.count <= 64 << 10)
            }
        }

        @Test("Cancelling the task ends its request") func cancellationEndsRequest() async throws {
            let server = try HostileServer(HostileAnswer("silence", "", .silence))
            defer { server.stop() }
            let request = try request(server.port, timeout: .seconds(3_600))
            let task = Task { try await CurlTransport().send(request) }
            try await eventually("the request arrives") { server.connections.load(ordering: .relaxed) == 1 }
            task.cancel()
            await #expect(throws: (any Error).self) { try await task.value }
        }

        @Test("Refuses invalid header fields and other URL schemes without connecting") func rejectsHeaderInjection()
            async throws
        {
            let server = try HostileServer(HostileAnswer("silence", "", .silence))
            defer { server.stop() }
            for headers in [["x": "a\r\ny: b"], ["x\r\ny": "b"], ["x": "a\u{0}"], ["": "a"], ["x: y": "b"]] {
                await #expect(throws: (any Error).self) {
                    try await CurlTransport().send(request(server.port, headers: headers))
                }
            }
            for address in [
                "file:///etc/passwd", "ftp://127.0.0.1:\(server.port)/", "gopher://127.0.0.1:\(server.port)/",
            ] {
                let request = TransportRequest(
                    url: try #require(URL(string: address)), headers: [:], body: [], timeout: .seconds(5))
                await #expect(throws: (any Error).self) { try await CurlTransport().send(request) }
            }
            #expect(server.connections.load(ordering: .relaxed) == 0)
        }

        @Test("Reuses the connection for later requests") func reusesConnection() async throws {
            let server = try HostileServer(HostileAnswer("whole", HostileAnswer.whole[0], .again))
            defer { server.stop() }
            let transport = CurlTransport()
            for _ in 0..<3 { #expect(try await transport.send(request(server.port)).status == 200) }
            #expect(server.connections.load(ordering: .relaxed) == 1)
        }
    }
#endif

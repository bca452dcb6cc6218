import DaybookHTTP
import DaybookHTTPServer
import DaybookTrials
import Testing

@Suite(.timeLimit(.minutes(5))) struct LoadTests {
    @Test("A thousand requests on fifty connections each get their own answer") func answersStayMatched() async throws {
        let handler = ClosureHandler { request in
            await Task.yield()
            return HTTPResponse(status: 200, body: .bytes(Array(request.head.path.utf8) + request.body))
        }
        try await withServer(handler) { server, port in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for connection in 0..<50 {
                    group.addTask {
                        try await offPool {
                            let client = try RawClient(port: port)
                            for request in 0..<20 {
                                let body = [UInt8](repeating: UInt8(connection), count: request * 997)
                                client.request("POST /\(connection)/\(request)", body: body)
                                let reply = try client.readResponse()
                                #expect(reply.body == Array("/\(connection)/\(request)".utf8) + body)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(server.statistics.acceptedConnections == 50)
        }
    }
}

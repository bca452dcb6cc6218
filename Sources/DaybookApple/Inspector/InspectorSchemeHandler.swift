#if canImport(WebKit)
    import DaybookHTTP
    import Foundation
    import WebKit

    /// Answers a web view's requests with the inspector's handler, without a socket.
    @MainActor final class InspectorSchemeHandler: NSObject, WKURLSchemeHandler {
        private let handler: any HTTPHandler
        private let address: InspectorAddress
        /// What is being answered. A task that the web view has stopped is gone from here: telling it more would end the
        /// app.
        private var answers: [ObjectIdentifier: Task<Void, Never>] = [:]

        init(_ handler: any HTTPHandler, address: InspectorAddress) {
            self.handler = handler
            self.address = address
        }

        func webView(_ webView: WKWebView, start task: any WKURLSchemeTask) {
            guard let url = task.request.url,
                let request = address.request(
                    method: task.request.httpMethod ?? "GET", url: url,
                    headers: task.request.allHTTPHeaderFields ?? [:], body: [UInt8](task.request.httpBody ?? Data()))
            else {
                task.didFailWithError(URLError(.badURL))
                return
            }
            let id = ObjectIdentifier(task)
            answers[id] = Task {
                await answer(request, url, task, id)
                answers[id] = nil
            }
        }

        func webView(_ webView: WKWebView, stop task: any WKURLSchemeTask) {
            answers.removeValue(forKey: ObjectIdentifier(task))?.cancel()
        }

        private func answer(
            _ request: HTTPRequest, _ url: URL, _ task: any WKURLSchemeTask, _ id: ObjectIdentifier
        ) async {
            let response: HTTPResponse
            switch handler.admit(request.head) {
            case .refuse(let refusal): response = refusal
            case .accept(let limit) where request.body.count > limit:
                response = .problem(413, code: "too_large", "The body has more than \(limit) bytes.")
            case .accept: response = await handler.respond(to: request)
            }
            guard answers[id] != nil,
                let head = HTTPURLResponse(
                    url: url, statusCode: response.status, httpVersion: "HTTP/1.1",
                    headerFields: InspectorAddress.fields(of: response))
            else { return }
            task.didReceive(head)
            switch response.body {
            case .bytes(let bytes):
                task.didReceive(Data(bytes))
            case .stream(let chunks):
                for await chunk in chunks {
                    guard answers[id] != nil else { return }
                    task.didReceive(Data(chunk))
                }
            }
            if answers[id] != nil { task.didFinish() }
        }
    }
#endif

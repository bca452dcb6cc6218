import DaybookHTTPServer
import Foundation

/// The sample app's backend, on a free local port.
@main
enum RecipeAPI {
    static func main() async throws {
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(addresses: ["127.0.0.1"], port: 0), handler: RecipeHandler())
        print("Recipe API: http://127.0.0.1:\(try server.start())")
        fflush(nil)
        // Serves until the process is ended.
        while true { try await Task.sleep(for: .seconds(3600)) }
    }
}

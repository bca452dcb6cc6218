import Foundation

struct LaunchOptions {
    enum Session: String {
        case first
        case second
        case browse
    }

    /// Typical mistakes in logging, for tests.
    enum Mistake: String {
        /// The screen's callback runs twice and logs twice.
        case showTwice = "show-twice"
        /// The log call was lost in a rewrite of the screen.
        case noSearch = "no-search"
        /// The position counts from 1; the definition says 0.
        case positionFromOne = "position-from-one"
    }

    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    static let usage = """
        Usage: RecipeBox --session first|second|browse --collector URL --api URL --data DIR --tally FILE [--mistake NAME]

        """

    let session: Session
    let collector: URL
    let api: URL
    let data: URL
    let tally: String
    let mistake: Mistake?

    init(_ arguments: [String]) throws {
        func value(_ name: String) throws -> String {
            guard let index = arguments.firstIndex(of: "--\(name)"), index + 1 < arguments.count else {
                throw Problem(description: "--\(name) is missing")
            }
            return arguments[index + 1]
        }
        func url(_ name: String) throws -> URL {
            guard let url = URL(string: try value(name)), url.scheme != nil else {
                throw Problem(description: "--\(name) must be an address such as http://127.0.0.1:4318")
            }
            return url
        }
        guard let session = Session(rawValue: try value("session")) else {
            throw Problem(description: "--session must be first, second or browse")
        }
        self.session = session
        collector = try url("collector")
        api = try url("api")
        data = URL(fileURLWithPath: try value("data"), isDirectory: true)
        tally = try value("tally")
        mistake = arguments.contains("--mistake") ? Mistake(rawValue: try value("mistake")) : nil
    }
}

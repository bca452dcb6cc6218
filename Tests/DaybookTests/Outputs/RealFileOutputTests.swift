import DaybookBase
import DaybookTestTraits
import DaybookTesting
import Foundation
import Testing

@testable import Daybook

@Suite(.temporaryDirectory) struct RealFileOutputTests {
    private let directory = TemporaryDirectory.current

    private func lines(_ directory: TemporaryDirectory, _ name: String) throws -> [Substring] {
        try String(contentsOfFile: "\(directory.path)/logs/\(name)", encoding: .utf8).split(separator: "\n")
    }

    @Test("Records arrive in order in files that only the owner can read") func ownerReadsInOrder() async throws {
        let output = FileOutput(
            directory: directory.url.appending(path: "logs"), name: "../a/b", limits: FileLimits(bytes: 12_288))
        let pipeline = try Pipeline(directory: directory.url.appending(path: "journal")) {
            Route("**", to: output)
        }
        for index in 0..<50 { pipeline.log("app.test").info("line", ["index": .int(Int64(index))]) }
        try await pipeline.flush(deadline: .seconds(60))
        #expect(await pipeline.ledgers()["file"]?.delivered == 50)
        await pipeline.shutdown(deadline: .seconds(60))
        let name = "_._a_b.log"
        let all = try lines(directory, name + ".1") + lines(directory, name)
        #expect(all.count == 50)
        for (index, line) in all.enumerated() { #expect(line.contains("\"attributes\":{\"index\":\(index),")) }
        let file = "\(directory.path)/logs/\(name)"
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        #expect(output.lostCount == 0)
    }

    @Test("Recreates a directory removed while in use") func recreatesDirectory() throws {
        let logs = directory.url.appending(path: "logs")
        let output = FileOutput(directory: logs, format: .line)
        output.write(Record(time: 0, kind: .event, level: .info, tag: "a.one"))
        try FileManager.default.removeItem(at: logs)
        output.write(Record(time: 0, kind: .event, level: .info, tag: "a.two"))
        #expect(try lines(directory, "app.log") == ["00:00:00.000 ● a.two"])
    }

    @Test("Reports an unusable directory once and never throws") func reportsBadDirectory() throws {
        // A file in the directory's place: permissions would not stop tests that run as root.
        try Data().write(to: directory.url.appending(path: "logs"))
        let reports = Mutex<[String]>([])
        let output = FileOutput(
            directory: directory.url.appending(path: "logs"), report: { text in reports.withLock { $0.append(text) } })
        for _ in 0..<3 { output.write(Record(time: 0, kind: .event, level: .info, tag: "a.b")) }
        #expect(output.lostCount == 3)
        #expect(reports.withLock { $0.count } == 1)
        #expect(reports.withLock { $0.first }?.contains("Not a directory") == true)
        try FileManager.default.removeItem(at: directory.url.appending(path: "logs"))
        output.write(Record(time: 0, kind: .event, level: .info, tag: "a.b"))
        #expect(try lines(directory, "app.log").count == 1)
    }

    @Test("Does not follow a symbolic link") func refusesSymbolicLink() throws {
        let reports = Mutex<[String]>([])
        let target = directory.url.appending(path: "target")
        try Data("mine".utf8).write(to: target)
        let link = directory.url.appending(path: "app.log")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        let output = FileOutput(directory: directory.url, report: { text in reports.withLock { $0.append(text) } })
        output.write(Record(time: 0, kind: .event, level: .info, tag: "a.b"))
        #expect(output.lostCount == 1)
        #expect(try String(contentsOf: target, encoding: .utf8) == "mine")
    }

    @Test("Two names can share a directory") func namesShareDirectory() throws {
        let logs = directory.url.appending(path: "logs")
        let limits = FileLimits(bytes: 4096, files: 2)
        let outputs = ["app", "app.log"].map { FileOutput(directory: logs, name: $0, format: .line, limits: limits) }
        for _ in 0..<200 {
            for (index, output) in outputs.enumerated() {
                output.write(Record(time: 0, kind: .event, level: .info, tag: "from.\(index)"))
            }
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: logs.path).sorted()
        #expect(names == ["app.log", "app.log.1", "app.log.log", "app.log.log.1"])
        for name in names {
            let writer = name.contains("log.log") ? "from.1" : "from.0"
            #expect(try lines(directory, name).allSatisfy { $0.hasSuffix(writer) })
        }
    }
}

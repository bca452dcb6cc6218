import DaybookHTTP
import Foundation
import Testing

@testable import DaybookInspector

@Suite struct PageAssetTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/DaybookInspector/Assets").standardizedFileURL

    @Test("The binary embeds exactly the files of the page's folder") func embedsFolderFiles() throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: Self.folder.path).filter { name in
            var isFolder: ObjCBool = false
            let exists = FileManager.default.fileExists(
                atPath: Self.folder.appending(path: name).path, isDirectory: &isFolder)
            return exists && !isFolder.boolValue
        }
        let modules = names.filter { $0.hasSuffix(".js") }
        #expect((names.filter { !modules.contains($0) } + ["js/app.js"]).sorted() == PageAsset.byPath.keys.sorted())
        for asset in PageAsset.embedded where asset.path != "js/app.js" {
            #expect(try Data(contentsOf: Self.folder.appending(path: asset.path)) == Data(asset.bytes), "\(asset.path)")
        }
        // Every module is in the script once, after a line with its path.
        let script = String(decoding: try #require(PageAsset.byPath["js/app.js"]).bytes, as: UTF8.self)
        let sections = script.matches(of: #/(?m)^// (js/\S+\.js)\nconst /#).map { String($0.1) }
        #expect(sections.sorted() == modules.sorted())
        #expect(sections.last == "js/app.js")
    }

    @Test("The page needs no token and contains none") func pageNeedsNoToken() async {
        let bench = Bench()
        let page = await bench.send("GET", "/", headers: [:])
        #expect(page.status == 200)
        #expect(page.headers["content-type"] == "text/html; charset=utf-8")
        for asset in PageAsset.embedded {
            let response = await bench.send("GET", "/assets/\(asset.path)", headers: [:])
            #expect(response.status == 200)
            #expect(response.bytes == asset.bytes)
            #expect(!response.text.contains(bench.token.text))
        }
    }

    @Test("Every file that the page names exists") func pageFilesExist() throws {
        let page = try #require(PageAsset.byPath["index.html"])
        let text = String(decoding: page.bytes, as: UTF8.self)
        let named = text.matches(of: /(?:href|src)="assets\/([^"]+)"/).map { String($0.1) }
        #expect(named.count >= 4)
        for name in named { #expect(PageAsset.byPath[name] != nil, "\(name)") }
    }

    @Test("An unchanged asset is answered with 304") func answersNotModified() async throws {
        let bench = Bench()
        let first = await bench.send("GET", "/assets/js/app.js", headers: [:])
        let tag = try #require(first.headers["etag"])
        #expect(first.headers["cache-control"] == "no-cache")
        let second = await bench.send("GET", "/assets/js/app.js", headers: ["if-none-match": tag])
        #expect(second.status == 304)
        #expect(second.bytes.isEmpty)
    }

    @Test(
        "Serves no files other than the page's",
        arguments: ["/assets/", "/assets/../Package.swift", "/assets/js", "/assets//js/app.js", "/index.html"])
    func servesOnlyPageFiles(_ path: String) async throws {
        let response = await Bench().send("GET", path)
        #expect(response.status == 404)
        #expect(try response.code() == "not_found")
    }

    @Test(
        "Every response has the security headers",
        arguments: ["/", "/assets/js/app.js", "/api/v1/status", "/api/v1/nothing", "/elsewhere"])
    func sendsSecurityHeaders(_ path: String) async {
        for headers: HTTPHeaders? in [nil, [:]] {
            let response = await Bench().send("GET", path, headers: headers)
            let policy = response.headers["content-security-policy"] ?? ""
            #expect(policy.contains("default-src 'self'"))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe"))
            #expect(response.headers["x-content-type-options"] == "nosniff")
            #expect(response.headers["referrer-policy"] == "no-referrer")
            #expect(response.headers["cache-control"] != nil)
        }
    }
}

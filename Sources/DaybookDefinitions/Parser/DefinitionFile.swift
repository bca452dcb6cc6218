/// One Markdown file, read.
struct DefinitionFile {
    /// The category; of `common.md`, a category whose columns are the common ones.
    let category: Category
    let diagnostics: [Diagnostic]

    /// Whether this is the file of the columns that all events have.
    var isCommon: Bool { category.name == DefinitionFile.commonName }

    static let commonName = "common"

    /// Reads a file. The category's name is the file's name without its extension.
    init(path: String, bytes: [UInt8]) {
        let source = SourceText(file: path, bytes: bytes)
        var reader = DefinitionReader(file: path, name: DefinitionFile.name(of: path))
        for block in BlockScanner.blocks(of: source.lines) { reader.read(block) }
        reader.finish()
        category = reader.category
        diagnostics = source.diagnostics + reader.diagnostics
    }

    /// The last part of a path without its extension.
    static func name(of path: String) -> String {
        let file = path.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? path
        return file.hasSuffix(".md") ? String(file.dropLast(3)) : file
    }
}

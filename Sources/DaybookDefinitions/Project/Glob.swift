/// Names with `*` in them.
enum Glob {
    /// Whether `name` is what `pattern` says, in which each `*` stands for any characters. Linear but for repeats.
    static func matches(_ name: String, _ pattern: Substring) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard let first = parts.first, let last = parts.last, parts.count > 1 else { return name == pattern }
        guard name.hasPrefix(first), name.hasSuffix(last), name.count >= first.count + last.count else { return false }
        var rest = name.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }

    /// Whether a folder, by its path from the project's, is what `pattern` names: `*` stands for any part of a name, `**`
    /// for any number of folders.
    static func matches(folder: String, _ pattern: String) -> Bool {
        let names = folder.split(separator: "/")[...]
        return matches(names, pattern.split(separator: "/").filter { $0 != "." }[...])
    }

    private static func matches(_ names: ArraySlice<Substring>, _ patterns: ArraySlice<Substring>) -> Bool {
        guard let pattern = patterns.first else { return names.isEmpty }
        if pattern == "**", matches(names, patterns.dropFirst()) { return true }
        guard let name = names.first else { return false }
        guard pattern.contains("*") else {
            return name == pattern && matches(names.dropFirst(), patterns.dropFirst())
        }
        guard isLookedInto(name) else { return false }
        if pattern == "**" { return matches(names.dropFirst(), patterns) }
        return matches(String(name), pattern) && matches(names.dropFirst(), patterns.dropFirst())
    }

    /// Whether a `*` stands for a folder of this name: not for hidden ones and those of builds.
    static func isLookedInto(_ name: some StringProtocol) -> Bool {
        !name.hasPrefix(".") && name != "node_modules" && name != "DerivedData"
    }
}

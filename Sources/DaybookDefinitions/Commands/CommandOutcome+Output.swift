extension CommandOutcome {
    /// The same with what was to be printed written into a file instead. Of a command that failed nothing is written.
    ///
    /// - Parameters:
    ///   - folder: Created where it does not exist.
    ///   - name: The file's name.
    ///   - isCheck: Write nothing; say with exit code 1 that the file is missing or differs.
    public func writing(into folder: String, as name: String, isCheck: Bool) -> CommandOutcome {
        guard exitCode == 0 else { return self }
        let file = GeneratedFile(path: "\(folder)/\(name)", text: output)
        return isCheck ? file.check(warnings: errors) : file.write(warnings: errors)
    }
}

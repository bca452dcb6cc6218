extension Command {
    static let version = Command(name: "version", summary: "Print the version") { _, console in
        console.output("daybook \(Version.current)\n")
        return .done
    }
}

import Daybook
import DaybookStore

extension Command {
    static let erase = Command(
        name: "erase", summary: "Erase records for good",
        options: [
            .value("store", "STORE", "the store; default sqlite:daybook.sqlite"),
            .value("keep", "RULE", "erase what this rule no longer keeps: 90d, or '7d debug.**'", repeatable: true),
        ] + RecordSelection.options,
        details: """
            At least one condition is needed; `--installation ID` is what a privacy request asks for.
            A copy made by `daybook backup` before still has the records.
            """
    ) { arguments, console in
        let filter = try RecordSelection.filter(arguments)
        let rules = try arguments.all("keep").map { try RetentionRule($0) }
        guard filter.isEmpty != rules.isEmpty else {
            throw UsageError(
                message: rules.isEmpty ? "erasing needs a condition" : "--keep takes no other condition beside it",
                hint: rules.isEmpty ? "--installation ID" : nil)
        }
        let address = arguments["store"] ?? "sqlite:daybook.sqlite"
        // A store that is not there must not be made, and be found to have nothing to erase.
        _ = try StoreAddress.open(address, access: .readOnly)
        let store = try StoreAddress.open(address, access: .readWrite)
        let count =
            rules.isEmpty
            ? try await store.erase(filter) : try await store.retain(rules, now: PipelineClock.system.wall())
        await store.close()
        console.output("erased \(count)\n")
        return .done
    }

    static let backup = Command(
        name: "backup", summary: "Copy a SQLite store into a new file, while the collector runs",
        options: [.value("store", "STORE", "the store; default sqlite:daybook.sqlite")],
        operands: ("FILE", 1...1),
        details: "The copy is a store: to restore it, stop the collector and put it in the store's place."
    ) { arguments, console in
        let store = try StoreAddress.openSQLite(arguments["store"] ?? "sqlite:daybook.sqlite", access: .readOnly)
        try await store.backUp(to: arguments.operands[0])
        // A path, also where it looks like an address: `daybook-12:00.sqlite`.
        let head = try await SQLiteStore(path: arguments.operands[0], access: .readOnly).head()
        console.output("\(arguments.operands[0]): records up to \(head)\n")
        return .done
    }
}

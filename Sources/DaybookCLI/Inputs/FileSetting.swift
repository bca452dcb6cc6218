import DaybookChecklist
import DaybookDefinitions

extension SettingError {
    /// Reads the file or the folder that a setting names; `nil` where it names none.
    /// - Throws: ``SettingError``, so that whoever sees it learns which setting and where it is. What is written wrongly in
    ///   definitions, checklists and alerts has a place of its own, and is thrown as it is.
    static func readingFile<Value>(
        _ name: String, _ arguments: Arguments, _ read: (String) throws -> Value
    ) throws -> Value? {
        guard let path = arguments[name] else { return nil }
        do {
            return try read(path)
        } catch let error as ProjectFolder.InvalidError {
            throw error
        } catch let error as ChecklistError {
            throw error
        } catch let error as AlertFolder.Problems {
            throw error
        } catch {
            throw SettingError(name: name, value: path, reason: UsageError(message: "--\(name): \(error)"))
        }
    }
}

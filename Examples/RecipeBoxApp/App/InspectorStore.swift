import DaybookInspector
import DaybookStore
import Foundation

#if DEBUG
    import RecipeBoxDictionary
#endif

/// The in-app inspector's records and handler.
struct InspectorStore {
    let token = AccessToken()
    let output: StoreOutput
    let handler: InspectorHandler

    init(in folder: URL, dictionary: LogDictionary) throws {
        let notices = LiveNotices()
        let path = folder.appending(path: "inspector.sqlite").path
        let store = ObservedStore(try SQLiteStore(path: path)) { notices.notify(head: $0) }
        output = StoreOutput(store, definitions: dictionary.definitions)
        handler = InspectorHandler(
            store: store, definitions: dictionary.definitions, checklists: dictionary.checklists, token: token,
            notices: notices
        ) {
            $0.links = dictionary.links
        }
    }
}

extension LogDictionary {
    /// Internal text about the logs. App Store builds have neither it nor the inspector.
    static var inThisBuild: LogDictionary? {
        #if DEBUG
            .project
        #else
            nil
        #endif
    }
}

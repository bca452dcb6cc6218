import DaybookInspector
import DaybookStore
import Foundation

#if DEBUG
    import RecipeBoxDictionary
#endif

/// The records that the inspector in the app shows, and its handler.
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
    /// What the team wrote about the logs. A build for the store has neither that nor the inspector.
    static var inThisBuild: LogDictionary? {
        #if DEBUG
            .project
        #else
            nil
        #endif
    }
}

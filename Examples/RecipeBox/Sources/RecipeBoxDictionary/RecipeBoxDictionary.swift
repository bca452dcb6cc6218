// `LogDictionary.project` is generated here: definitions, checklists and links, for builds with the inspector. The app
// itself does not link this target, so that internal text never ships to the store.

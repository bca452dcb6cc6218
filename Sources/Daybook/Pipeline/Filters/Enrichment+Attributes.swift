extension Enrichment {
    /// What the enrichment adds, as attributes: for records that a rewriting filter has already built.
    func attributes(key: HashKey) -> Attributes {
        ContextBytes(
            resource: [], attributes: FieldEncoder.encoded(tag: LogRecordEncoder.attributeTag, key: key, encode),
            names: []
        ).decodedAttributes
    }
}

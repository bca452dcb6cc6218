package io.opentelemetry.sdk.logs.data

/** What stands for a record here: a line of text. */
class LogRecordData(val line: String)

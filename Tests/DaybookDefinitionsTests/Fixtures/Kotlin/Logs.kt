// Just what generated code uses of OpenTelemetry's API, so that it can be compiled without the library.
package io.opentelemetry.api.logs

import io.opentelemetry.api.common.AttributeKey

enum class Severity { INFO }

interface Logger {
    fun logRecordBuilder(): LogRecordBuilder
}

interface LogRecordBuilder {
    fun setSeverity(severity: Severity): LogRecordBuilder
    fun setEventName(eventName: String): LogRecordBuilder
    fun <T> setAttribute(key: AttributeKey<T>, value: T): LogRecordBuilder
    fun emit()
}

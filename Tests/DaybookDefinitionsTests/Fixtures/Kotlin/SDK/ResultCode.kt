// Just what the guide to Android uses of OpenTelemetry's SDK, so that it can be compiled and run without the library.
package io.opentelemetry.sdk.common

import java.util.concurrent.TimeUnit

class CompletableResultCode private constructor(val isSuccess: Boolean) {
    fun join(timeout: Long, unit: TimeUnit): CompletableResultCode = this

    companion object {
        @JvmStatic fun ofSuccess() = CompletableResultCode(true)
        @JvmStatic fun ofFailure() = CompletableResultCode(false)
    }
}

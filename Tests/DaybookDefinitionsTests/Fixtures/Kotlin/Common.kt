// Just what generated code uses of OpenTelemetry's API, so that it can be compiled without the library.
package io.opentelemetry.api.common

class AttributeKey<T> private constructor(val key: String) {
    companion object {
        @JvmStatic fun stringKey(key: String) = AttributeKey<String>(key)
        @JvmStatic fun longKey(key: String) = AttributeKey<Long>(key)
        @JvmStatic fun doubleKey(key: String) = AttributeKey<Double>(key)
        @JvmStatic fun booleanKey(key: String) = AttributeKey<Boolean>(key)
    }
}

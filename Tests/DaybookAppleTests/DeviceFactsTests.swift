import DaybookApple
import Testing

@Suite struct DeviceFactsTests {
    @Test("Device facts become OpenTelemetry resource attributes") func factsAreResource() {
        let facts = DeviceFacts(
            bundleIdentifier: "com.example.recipes", appName: "Recipes", appVersion: "4.12.0", build: "981",
            systemName: "iOS", systemVersion: "18.1", model: "iPhone17,3", isSimulator: true)
        #expect(
            facts.resource == [
                "device.manufacturer": "Apple", "service.name": "Recipes", "service.version": "4.12.0",
                "app.build_id": "981", "app.bundle_id": "com.example.recipes", "os.name": "iOS", "os.version": "18.1",
                "device.model.identifier": "iPhone17,3", "device.simulator": true,
            ])
    }

    @Test("Unknown facts are left out") func omitsUnknownFacts() {
        #expect(DeviceFacts().resource == ["device.manufacturer": "Apple"])
        #expect(DeviceFacts(bundleIdentifier: "a.b").resource["service.name"] == "a.b")
    }
}

#if canImport(UIKit)
    import UIKit

    /// An invisible element by which a UI test reads what the app has logged, in its own process:
    ///
    /// ```swift
    /// let text = app.otherElements["daybook.records"].value as? String
    /// ```
    ///
    /// Add it to the app's window where ``LaunchArguments/showsRecords`` says so, and nowhere else: whatever reads the
    /// screen can read it too.
    public final class RecordsView: UIView {
        private let records: RecordsText

        /// A view over the output that the pipeline's route `"**"` leads to, `.inline`.
        public init(_ records: RecordsText) {
            self.records = records
            super.init(frame: CGRect(x: 0, y: 0, width: 1, height: 1))
            isAccessibilityElement = true
            accessibilityIdentifier = "daybook.records"
            isUserInteractionEnabled = false
        }

        /// Not from a nib: it needs its records.
        public required init?(coder: NSCoder) { nil }

        /// Made when it is asked for, so that logging costs nothing here.
        public override var accessibilityValue: String? {
            get { records.text }
            set {}
        }
    }
#endif

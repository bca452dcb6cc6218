import DaybookBase
import DaybookTools

/// The JSON representation of a value: writes it, parses it, and declares its TypeScript type.
package struct Form<Model>: Sendable {
    package let type: String
    /// Declarations of all types that it refers to.
    package let declarations: [FormDeclaration]
    private let writing: @Sendable (Model, inout JSONBuilder) -> Void
    private let reading: @Sendable (Value) throws(FormError) -> Model
    /// An object's members, to include in another.
    fileprivate private(set) var members: FormMembers<Model>?

    /// - Parameters:
    ///   - type: The TypeScript type.
    ///   - read: Throws ``FormError`` for any other JSON.
    package init(
        _ type: String, declares declarations: [FormDeclaration] = [],
        write: @escaping @Sendable (Model, inout JSONBuilder) -> Void,
        read: @escaping @Sendable (Value) throws(FormError) -> Model
    ) {
        (self.type, self.declarations, writing, reading) = (type, declarations, write, read)
    }

    package func write(_ model: Model, to builder: inout JSONBuilder) { writing(model, &builder) }

    /// The JSON, for callers that add to it.
    package func value(of model: Model) -> Value {
        var builder = JSONBuilder(integers: .stringsBeyondJavaScript)
        write(model, to: &builder)
        return (try? JSONReader.value(of: builder.bytes)) ?? .null
    }

    /// - Throws: ``FormError`` with the path.
    package func read(_ value: Value) throws(FormError) -> Model { try reading(value) }
}

/// Why a JSON value does not have its form.
package struct FormError: Error, Sendable, Hashable, CustomStringConvertible {
    /// From the outermost: `records`, `3`, `time`.
    package var path: [String]
    package var wanted: String

    package init(_ wanted: String, at path: [String] = []) { (self.wanted, self.path) = (wanted, path) }

    package var description: String { "\(path.isEmpty ? "the answer" : path.joined(separator: ".")) is not \(wanted)" }

    fileprivate func within(_ name: String) -> FormError { FormError(wanted, at: [name] + path) }
}

/// An object's members without its braces.
private struct FormMembers<Model>: Sendable {
    var declaration: String
    var write: @Sendable (Model, inout JSONBuilder) -> Void
}

package struct FormDeclaration: Sendable, Hashable {
    package var name: String
    package var text: String
}

extension Form {
    package func named(_ type: String) -> Form {
        Form(type, declares: declarations, write: writing, read: reading)
    }
}

extension Form where Model: Sendable {
    /// Null and absent become `nil`.
    package static func optional<Wrapped: Sendable>(_ form: Form<Wrapped>) -> Form where Model == Wrapped? {
        Form("\(form.type) | null", declares: form.declarations) { model, builder in
            if let model { form.write(model, to: &builder) } else { builder.null() }
        } read: { value throws(FormError) in
            value == .null ? nil : try form.read(value)
        }
    }

    package static func list<Element: Sendable>(_ form: Form<Element>) -> Form where Model == [Element] {
        let type = form.type.contains(" ") ? "(\(form.type))[]" : "\(form.type)[]"
        return Form(type, declares: form.declarations) { model, builder in
            builder.array(of: model) { form.write($1, to: &$0) }
        } read: { value throws(FormError) in
            guard case .array(let elements) = value else { throw FormError("a list") }
            var model: [Element] = []
            for (place, element) in elements.enumerated() {
                do throws(FormError) { model.append(try form.read(element)) } catch { throw error.within("\(place)") }
            }
            return model
        }
    }

    /// An object with arbitrary names and values of one form.
    package static func members<Element: Sendable>(_ form: Form<Element>) -> Form
    where Model == [(name: String, value: Element)] {
        Form("{ [name: string]: \(form.type) }", declares: form.declarations) { model, builder in
            builder.object {
                for (name, element) in model {
                    $0.key(name)
                    form.write(element, to: &$0)
                }
            }
        } read: { value throws(FormError) in
            guard case .object(let members) = value else { throw FormError("an object") }
            var model: [(name: String, value: Element)] = []
            for element in members.elements {
                do throws(FormError) {
                    model.append((element.key, try form.read(element.value)))
                } catch {
                    throw error.within(element.key)
                }
            }
            return model
        }
    }

    package func mapped<Other: Sendable>(
        _ write: @escaping @Sendable (Other) -> Model, _ read: @escaping @Sendable (Model) -> Other?
    ) -> Form<Other> {
        Form<Other>(type, declares: declarations) { other, builder in
            self.write(write(other), to: &builder)
        } read: { value throws(FormError) in
            guard let other = read(try self.read(value)) else { throw FormError(type) }
            return other
        }
    }
}

extension Form<String> {
    package static let text = Form("string") {
        $1.string($0)
    } read: { value throws(FormError) in
        guard case .string(let text) = value else { throw FormError("a text") }
        return text
    }

    /// JSON text, written as that JSON value.
    package static let json = Form("Json") { text, builder in
        builder.written { $0.append(contentsOf: text.utf8) }
    } read: { value throws(FormError) in
        JSONWriter.text(value)
    }
}

extension Form<Bool> {
    package static let bool = Form("boolean") {
        $1.bool($0)
    } read: { value throws(FormError) in
        guard case .bool(let bool) = value else { throw FormError("true or false") }
        return bool
    }
}

extension Form<Int64> {
    /// A whole number; text where JavaScript would round it.
    package static let integer = Form("Integer") {
        $1.integer($0)
    } read: { value throws(FormError) in
        try whole(value)
    }

    /// Nanoseconds, always as text.
    package static let nanoseconds = Form("Nanoseconds") {
        $1.string(String($0))
    } read: { value throws(FormError) in
        try whole(value)
    }

    private static func whole(_ value: Value) throws(FormError) -> Int64 {
        switch value {
        case .int(let number): return number
        case .string(let digits):
            if let number = Int64(digits) { return number }
        default: break
        }
        throw FormError("a whole number")
    }
}

extension Form<Int> {
    /// A number that JavaScript represents exactly.
    package static let number = Form("number") {
        $1.integer(Int64($0))
    } read: { value throws(FormError) in
        Int(clamping: try Form<Int64>.integer.read(value))
    }
}

extension Form<Double> {
    package static let real = Form("number") {
        $1.real($0)
    } read: { value throws(FormError) in
        switch value {
        case .int(let number): return Double(number)
        case .double(let number): return number
        default: throw FormError("a number")
        }
    }
}

extension Form<Duration> {
    package static let milliseconds = Form("number") {
        $1.integer($0.milliseconds)
    } read: { value throws(FormError) in
        .milliseconds(try Form<Int64>.integer.read(value))
    }
}

extension Form where Model: RawRepresentable & CaseIterable & Sendable, Model.RawValue == String {
    package static var word: Form {
        Form(Model.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " | ")) {
            $1.string($0.rawValue)
        } read: { value throws(FormError) in
            guard case .string(let text) = value, let word = Model(rawValue: text) else {
                throw FormError("one of \(Model.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            return word
        }
    }
}

extension Form<Void> {
    /// A constant that distinguishes the cases of a ``Form/union(_:by:_:)``.
    package static func constant(_ word: String) -> Form {
        Form("\"\(word)\"") {
            $1.string(word)
        } read: { value throws(FormError) in
            guard value == .string(word) else { throw FormError("“\(word)”") }
        }
    }
}

package struct FormField<Model, Part: Sendable>: Sendable {
    /// `nil` for the members of an object.
    fileprivate let name: String?
    fileprivate let form: Form<Part>
    fileprivate let part: @Sendable (Model) -> Part
    fileprivate let isLeftOut: @Sendable (Part) -> Bool
    fileprivate let absent: Part?
    fileprivate let declaration: String

    /// - Parameters:
    ///   - absent: The value if another version omits the member, or it is null. Default: as the form reads null.
    ///   - meaning: A comment in the declaration. Default: `nil`, none.
    package init(
        _ name: String, _ form: Form<Part>, absent: Part? = nil, about meaning: String? = nil,
        _ part: @escaping @Sendable (Model) -> Part
    ) {
        (self.name, self.form, self.part) = (name, form, part)
        self.absent = absent
        isLeftOut = { _ in false }
        declaration = Self.declaration(name, form.type, meaning)
    }

    package init<Wrapped>(
        ifAny name: String, _ form: Form<Wrapped>, about meaning: String? = nil,
        _ part: @escaping @Sendable (Model) -> Part
    ) where Part == Wrapped?, Wrapped: Sendable {
        (self.name, self.form, self.part, absent) = (name, .optional(form), part, .none)
        isLeftOut = { $0 == nil }
        declaration = Self.declaration(name + "?", form.type, meaning)
    }

    /// The members of an object, beside the others.
    package init(members form: Form<Part>, _ part: @escaping @Sendable (Model) -> Part) {
        (name, self.form, self.part, absent) = (nil, form, part, nil)
        isLeftOut = { _ in false }
        declaration = form.members?.declaration ?? ""
    }

    /// Of the types that its type refers to.
    fileprivate var declarations: [FormDeclaration] { name == nil ? form.declarations.dropLast() : form.declarations }

    private static func declaration(_ name: String, _ type: String, _ meaning: String?) -> String {
        (meaning.map { "    /** \($0) */\n" } ?? "") + "    \(name): \(type);\n"
    }

    fileprivate func write(_ model: Model, to builder: inout JSONBuilder) {
        let part = part(model)
        if isLeftOut(part) { return }
        guard let name else { return form.members?.write(part, &builder) ?? () }
        builder.key(name)
        form.write(part, to: &builder)
    }

    fileprivate func read(_ members: Attributes) throws(FormError) -> Part {
        guard let name else { return try form.read(.object(members)) }
        if let absent, [nil, .null].contains(members[name]) { return absent }
        do throws(FormError) { return try form.read(members[name] ?? .null) } catch { throw error.within(name) }
    }
}

package struct FormCase<Model>: Sendable {
    fileprivate let word: String
    fileprivate let form: Form<Model>
    fileprivate let isCase: @Sendable (Model) -> Bool

    /// - Parameters:
    ///   - word: The value of the distinguishing member.
    ///   - form: An object with that ``Form/constant(_:)``.
    package init(_ word: String, _ form: Form<Model>, _ isCase: @escaping @Sendable (Model) -> Bool) {
        (self.word, self.form, self.isCase) = (word, form, isCase)
    }
}

extension Form where Model: Sendable {
    /// An object with these members.
    /// - Parameters:
    ///   - name: The TypeScript type.
    ///   - make: Creates the value from the members, in order.
    package static func object<each Part: Sendable>(
        _ name: String, _ field: repeat FormField<Model, each Part>,
        make: @escaping @Sendable (repeat each Part) -> Model
    ) -> Form {
        var body = ""
        var declarations: [FormDeclaration] = []
        for one in repeat each field {
            body += one.declaration
            declarations += one.declarations
        }
        declarations.append(FormDeclaration(name: name, text: "type \(name) = {\n\(body)};\n"))
        let members = FormMembers<Model>(declaration: body) { model, builder in
            for one in repeat each field { one.write(model, to: &builder) }
        }
        var form = Form(name, declares: declarations) { model, builder in
            builder.object { members.write(model, &$0) }
        } read: { value throws(FormError) in
            guard case .object(let members) = value else { throw FormError("an object") }
            return try make(repeat (each field).read(members))
        }
        form.members = members
        return form
    }

    /// An object whose form depends on a member. `cases` must be exhaustive.
    package static func union(_ name: String, by member: String, _ cases: [FormCase<Model>]) -> Form {
        let type = FormDeclaration(
            name: name, text: "type \(name) = \(cases.map(\.form.type).joined(separator: " | "));\n")
        return Form(name, declares: cases.flatMap(\.form.declarations) + [type]) { model, builder in
            cases.first { $0.isCase(model) }?.form.write(model, to: &builder)
        } read: { value throws(FormError) in
            guard case .object(let members) = value else { throw FormError("an object") }
            let form = cases.first { members[member] == .string($0.word) }?.form
            guard let form else {
                throw FormError("one of \(cases.map(\.word).joined(separator: ", "))", at: [member])
            }
            return try form.read(value)
        }
    }
}

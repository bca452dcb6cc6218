import DaybookServer

/// The certificate and the key in files.
enum TLSFiles {
    /// Who the server is; `nil` where neither file is given.
    /// - Throws: ``UsageError`` where one of them is missing, ``InputError`` where a file is not what it should be.
    static func identity(certificate: String?, key: String?) throws -> TLSIdentity? {
        switch (certificate, key) {
        case (nil, nil):
            return nil
        case (let certificate?, let key?):
            return TLSIdentity(
                certificateChain: try pem(certificate, "CERTIFICATE"), privateKey: try pem(key, "PRIVATE KEY"))
        default:
            throw UsageError(message: "--tls-cert and --tls-key belong together")
        }
    }

    private static func pem(_ path: String, _ label: String) throws -> String {
        let text = try TextFile.read(path)
        guard text.contains("-----BEGIN"), text.contains("\(label)-----") else {
            throw InputError(file: path, message: "holds no `BEGIN \(label)`; it must be PEM")
        }
        return text
    }
}

/** X.509 certificates for tests, with keys on the curve P-256: with the part of DER that they need (RFC 5280). */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto"
import type { KeyObject } from "node:crypto"

/** A certificate and its key, as PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
}

/** A certificate that can sign others. */
export interface Authority extends Certificate {
  readonly name: string
  readonly privateKey: KeyObject
}

/** The validity of a certificate, and its signer; by default it signs itself. */
export interface CertificateOptions {
  readonly from?: string
  readonly to?: string
  readonly authority?: Authority
}

/** A value with its tag and its length. */
const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Uint8Array.of(tag, ...size), content])
}

const sequence = (...parts: ReadonlyArray<Uint8Array>): Buffer => der(0x30, ...parts)
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"))
const yes = der(0x01, Uint8Array.of(0xff))

const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"))
const commonName = oid("550403")
const subjectAltName = oid("551d11")
const basicConstraints = oid("551d13")

const nameOf = (name: string): Buffer =>
  sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(name)))))

/** Years from 2050 on have four digits, and those before must have two. */
const timeOf = (date: string): Buffer => {
  const digits = new Date(date).toISOString().replace(/\.\d+|[-:T]/g, "")
  return digits < "2050" ? der(0x17, Buffer.from(digits.slice(2))) : der(0x18, Buffer.from(digits))
}

const pemOf = (bytes: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${
    bytes.toString("base64").replace(/.{1,64}/g, "$&\n")
  }-----END CERTIFICATE-----\n`

const make = (
  name: string,
  extension: Buffer,
  { authority, from = "2020-01-01", to = "2120-01-01" }: CertificateOptions
): Authority => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const signed = sequence(
    der(0xa0, der(0x02, Uint8Array.of(2))),
    der(0x02, Uint8Array.of(1), randomBytes(8)),
    ecdsaWithSha256,
    nameOf(authority?.name ?? name),
    sequence(timeOf(from), timeOf(to)),
    nameOf(name),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(extension))
  )
  const signature = sign("sha256", signed, authority?.privateKey ?? privateKey)
  return {
    name,
    privateKey,
    cert: pemOf(sequence(signed, ecdsaWithSha256, der(0x03, Uint8Array.of(0), signature))),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}

/** A certificate for the host with a name, by default valid from 2020 to 2120. */
export const forHost = (name: string, options: CertificateOptions = {}): Certificate =>
  make(name, sequence(subjectAltName, der(0x04, sequence(der(0x82, Buffer.from(name))))), options)

/** An authority, which signs itself. */
export const authority = (name = "Authority"): Authority =>
  make(name, sequence(basicConstraints, yes, der(0x04, sequence(yes))), {})

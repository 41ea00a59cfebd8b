/** D9.6: no record shows the secrets that a customer's server was sent, as they were sent or in a usual encoding. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { hideSecrets } from "../../src/outbound/OutboundHttp.ts"

const asciiOf = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
    .map((code) =>
      code < 128
        ? JSON.stringify(String.fromCharCode(code)).slice(1, -1)
        : `\\u${code.toString(16).padStart(4, "0")}`
    ).join("")

const encodings: Readonly<Record<string, (text: string) => string>> = {
  "it was sent": (text) => text,
  base64: (text) => Buffer.from(text).toString("base64"),
  "base64 without padding": (text) => Buffer.from(text).toString("base64").replace(/=+$/, ""),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  "a string of JSON": (text) => JSON.stringify(text).slice(1, -1),
  "percent encoding of base64": (text) => encodeURIComponent(Buffer.from(text).toString("base64")),
  "percent encoding": encodeURIComponent,
  "percent encoding in lower case": (text) =>
    encodeURIComponent(text).replace(/%../g, (octet) => octet.toLowerCase()),
  "JSON of ASCII": asciiOf,
  "JSON of PHP": (text) => asciiOf(text).replaceAll("/", "\\/")
}

const secrets = fc.oneof(
  fc.string({ minLength: 4, maxLength: 60 }),
  fc.string({ unit: "binary", minLength: 4, maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(..."a\"\\/+ %&<>'=;#u0\u00e9\u20ac?:_-$"), minLength: 4, maxLength: 40 })
).filter((text) => text.isWellFormed() && !text.includes("|") && !text.includes("*"))

describe("a secret in what a customer answered", () => {
  // @threat secrets.2
  it.each(Object.entries(encodings))("is hidden as %s", (_, encode) => {
    fc.assert(fc.property(secrets, (secret) => {
      assert.strictEqual(hideSecrets(`a|${encode(secret)}|z`, [secret]), "a|***|z")
    }))
  })

  it("is hidden wherever it stands, but where it is too short to be told from words", () => {
    assert.strictEqual(hideSecrets("a s3cret, s3cret", ["s3cret"]), "a ***, ***")
    assert.strictEqual(hideSecrets("an apple", ["a"]), "an apple")
  })

  it("is no reason to hide anything else", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      assert.strictEqual(hideSecrets(text, ["no-such-secret-in-it"]), text)
    }))
  })
})

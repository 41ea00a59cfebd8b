/** Secrets of customers where they are stored: what is sealed opens with its key and its context only. */
import { SecretsVault } from "@dockline/core/webhooks/SecretsVault"
import type { SealedText } from "@dockline/core/webhooks/SecretsVault"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { createPublicKey, randomBytes, verify } from "node:crypto"
import * as SecretsKey from "../../src/auth/SecretsKey.ts"

const key = () => Redacted.make(randomBytes(32).toString("base64"))

const vault = (...keys: ReadonlyArray<Redacted.Redacted>) =>
  Effect.map(Layer.build(SecretsKey.layer(keys)), Context.get(SecretsVault))

const password = Redacted.make("pässwörd \u{1f511}")

describe("the vault", () => {
  it.effect("seals the same secret differently each time, and shows nothing of it", () =>
    Effect.gen(function*() {
      const { seal } = yield* vault(key())
      const ciphertexts = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => seal(password, "webhook:acme")
      )
      assert.strictEqual(new Set(ciphertexts).size, 20)
      for (const text of ciphertexts) {
        assert.match(text, /^1\.[0-9a-f]{8}\.[\w-]+$/)
        assert.notInclude(Buffer.from(text.split(".")[2]!, "base64url").toString("latin1"), "ssw")
      }
    }))

  // @threat secrets.6
  it.effect("does not open under another context", () =>
    Effect.gen(function*() {
      const { open, seal } = yield* vault(key())
      const ciphertext = yield* seal(password, "webhook:acme")
      for (const context of ["webhook:globex", "webhook:acm", ""]) {
        const { reason } = yield* Effect.flip(open(ciphertext, context))
        assert.strictEqual(reason, "it is damaged, or was sealed for something else")
      }
    }))

  it.effect("a new key seals, and an old one still opens, until it is gone", () =>
    Effect.gen(function*() {
      const [older, newer] = [key(), key()]
      const before = yield* vault(older)
      const during = yield* vault(newer, older)
      const after = yield* vault(newer)
      const old = yield* before.seal(password, "c")
      const fresh = yield* during.seal(password, "c")
      assert.strictEqual(Redacted.value(yield* during.open(old, "c")), Redacted.value(password))
      assert.strictEqual(Redacted.value(yield* after.open(fresh, "c")), Redacted.value(password))
      const { message } = yield* Effect.flip(after.open(old, "c"))
      assert.match(
        message,
        /^A stored secret cannot be decrypted: it was encrypted with another key \([0-9a-f]{8}\); check that SECRETS_KEY is the key/
      )
    }))

  // @threat secrets.6
  it.effect("does not open when any character is changed, cut or added", () =>
    Effect.gen(function*() {
      const { open, seal } = yield* vault(key(), key())
      const ciphertext = yield* seal(Redacted.make("secret"), "c")
      const forgeries = Array.from(ciphertext, (character, at) =>
        `${ciphertext.slice(0, at)}${character === "A" ? "B" : "A"}${ciphertext.slice(at + 1)}`)
      // The last character of base64url may carry bits that mean nothing.
      const certain = forgeries.filter((text) =>
        text.length > 0
      ).slice(0, -1)
      for (
        const text of [
          ...certain,
          ciphertext.slice(0, -2),
          ciphertext.slice(0, 12),
          `${ciphertext}AAAA`,
          "",
          "plain"
        ]
      ) {
        const { message } = yield* Effect.flip(open(text as SealedText, "c"))
        assert.match(message, /^A stored secret cannot be decrypted/)
      }
    }))
})

describe("keys", () => {
  const good = Redacted.value(key())
  const remedy = "must be base64 of 32 random bytes; make one with: openssl rand -base64 32"

  for (
    const [title, text, count] of [
      ["one", good, 1],
      ["one in base64url without padding", randomBytes(32).toString("base64url"), 1],
      ["two", `${good},${Redacted.value(key())}`, 2],
      ["two with blanks around", ` ${good} , ${good}\n`, 2]
    ] as const
  ) {
    it(title, () => {
      const keys = Result.getOrThrow(SecretsKey.parse(text))
      assert.strictEqual(keys.length, count)
      assert.strictEqual(String(keys[0]), "<redacted>")
    })
  }

  for (
    const [title, text, message] of [
      ["none", "", `secrets key: ${remedy}`],
      ["a password", "correct horse battery staple", `secrets key: ${remedy}`],
      ["16 bytes", randomBytes(16).toString("base64"), `secrets key: ${remedy}`],
      ["33 bytes", randomBytes(33).toString("base64"), `secrets key: ${remedy}`],
      ["hexadecimal", randomBytes(32).toString("hex"), `secrets key: ${remedy}`],
      ["a second that is none", `${good},`, `secrets key: key 2 ${remedy}`]
    ] as const
  ) {
    it.effect(`${title} stops the start, and is not shown`, () =>
      Effect.gen(function*() {
        const result = SecretsKey.parse(text)
        assert.strictEqual(Result.isFailure(result) ? result.failure.message : "", message)
        const fault = yield* Effect.flip(vault(...text.split(",").map((key) => Redacted.make(key))))
        assert.strictEqual(fault.message, message)
      }))
  }

  it.effect("no key at all stops the start", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Effect.flip(vault())).message, `secrets key: ${remedy}`)
    }))
})

describe("D15.3 the keys that sign deliveries", () => {
  // @threat secrets.9
  it.effect("are one for each key of the vault, in its order, and the same wherever these keys are", () =>
    Effect.gen(function*() {
      const [newer, older] = [key(), key()]
      const both = yield* vault(newer, older)
      const again = yield* vault(newer, older)
      const one = yield* vault(older)
      const publicKeys = ({ webhookKeys }: typeof both) =>
        webhookKeys("acme").map(({ id, publicKey }) => [id, publicKey])
      assert.strictEqual(new Set(publicKeys(both).flat()).size, 4)
      assert.deepStrictEqual(publicKeys(again), publicKeys(both))
      assert.deepStrictEqual(publicKeys(one), publicKeys(both).slice(1))
      // What was signed for one business is nothing for another.
      assert.notStrictEqual(one.webhookKeys("globex")[0]!.publicKey, one.webhookKeys("acme")[0]!.publicKey)
    }))

  it.effect("verify by their public halves, which are no key of the vault", () =>
    Effect.gen(function*() {
      const firstKey = key()
      const [signingKey] = (yield* vault(firstKey)).webhookKeys("acme")
      const bytes = Buffer.from(signingKey!.publicKey, "base64")
      assert.strictEqual(bytes.byteLength, 32)
      assert.notStrictEqual(signingKey!.publicKey, Redacted.value(firstKey))
      const jwk = { kty: "OKP", crv: "Ed25519", x: bytes.toString("base64url") }
      const publicKey = createPublicKey({ key: jwk, format: "jwk" })
      const signature = Buffer.from(signingKey!.sign("wörd"), "base64")
      assert.isTrue(verify(null, Buffer.from("wörd"), publicKey, signature))
      assert.isFalse(verify(null, Buffer.from("word"), publicKey, signature))
    }))
})

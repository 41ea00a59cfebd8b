/**
 * D15.3: an endpoint's settings for its messages, over real sockets: signatures that a receiver without a secret verifies by the published
 * keys.
 */
import * as SecretsKey from "@dockline/webhook-adapter/auth/SecretsKey"
import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { importJWK } from "jose"
import type { JWK } from "jose"
import { randomBytes, webcrypto } from "node:crypto"
import { Webhook } from "standardwebhooks"
import type * as CustomerServer from "../../../packages/webhook-adapter/test/CustomerServer.ts"
import { messaging } from "../../support/TestMessaging.ts"
import { layerMemory, TestServer } from "../../support/TestServer.ts"
import { serving } from "../Serving.ts"
import { bodyOf } from "./Operator.ts"
import { sentTo } from "./SentTest.ts"

const newKey = () => Redacted.make(randomBytes(32).toString("base64"))

/** A vault whose key is being replaced. */
const rotating = Layer.orDie(SecretsKey.layer([newKey(), newKey()]))

interface PublishedKey extends JWK {
  readonly publicKey: string
}

const published = Effect.gen(function*() {
  const server = yield* TestServer
  const answer = yield* server.get("/.well-known/webhook-keys?business=acme", { client: null })
  return bodyOf<{ readonly keys: ReadonlyArray<PublishedKey> }>(answer, 200).keys
})

/** Verifies as the text of Standard Webhooks specifies, with keys that `jose` reads and WebCrypto applies. */
const isSigned = ({ body, headers }: CustomerServer.CustomerRequest, key: JWK) =>
  Effect.promise(async () => {
    const imported = await importJWK(key, "EdDSA")
    const signed = new TextEncoder().encode(
      `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
    )
    const signatures = String(headers["webhook-signature"]).split(" ")
    const verdicts = await Promise.all(
      signatures.filter((each) => each.startsWith("v1a,")).map((each) =>
        webcrypto.subtle.verify(
          "Ed25519",
          imported as webcrypto.CryptoKey,
          Buffer.from(each.slice(4), "base64"),
          signed
        )
      )
    )
    return verdicts.filter((verdict) => verdict).length
  })

serving("D15.3 endpoints", layerMemory(messaging(rotating)), (test) => {
  test("the service's keys are published, and each signs for endpoints that ask for it", function*() {
    const keys = yield* published
    assert.lengthOf(keys, 2)
    for (const { publicKey, x, ...key } of keys) {
      assert.deepStrictEqual(
        [key.kty, key.crv, key.use, key.alg],
        ["OKP", "Ed25519", "sig", "EdDSA"]
      )
      assert.strictEqual(publicKey, `whpk_${Buffer.from(x!, "base64url").toString("base64")}`)
      assert.notProperty(key, "d")
    }
    const { made, received } = yield* sentTo({ signatures: ["v1", "v1a"] })
    assert.deepStrictEqual(made.signatures, ["v1", "v1a"])
    for (const key of keys) assert.strictEqual(yield* isSigned(received, key), 1)
    const { x: _, ...other } = keys[0]!
    const stranger = { ...other, x: randomBytes(32).toString("base64url") }
    assert.strictEqual(yield* isSigned(received, stranger), 0)
    const server = yield* TestServer
    const others = yield* server.get("/.well-known/webhook-keys?business=globex", { client: null })
    for (const key of bodyOf<{ readonly keys: ReadonlyArray<PublishedKey> }>(others, 200).keys) {
      assert.strictEqual(yield* isSigned(received, key), 0)
    }
    assert.strictEqual((yield* server.get("/.well-known/webhook-keys", { client: null })).status, 400)
    // A receiver with the secret still verifies as before.
    new Webhook(made.signingSecret).verify(received.body, received.headers as Record<string, string>)
  })

  test("an endpoint that does not ask for it gets none", function*() {
    const { received } = yield* sentTo({})
    assert.match(String(received.headers["webhook-signature"]), /^v1,[^ ]+$/)
  })
})

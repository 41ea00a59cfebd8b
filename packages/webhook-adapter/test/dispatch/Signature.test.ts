/** D9.5: signatures that any Standard Webhooks library verifies. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { createPublicKey, generateKeyPairSync, randomBytes, sign, verify } from "node:crypto"
import { Webhook, WebhookVerificationError } from "standardwebhooks"
import { signer } from "../../src/dispatch/EndpointCredentials.ts"

const secret = () => `whsec_${randomBytes(32).toString("base64")}`

const signerOf = (...secrets: ReadonlyArray<string>) =>
  secrets.map((text) => ({ secret: Redacted.make(text), until: Infinity }))

const signing = (...secrets: ReadonlyArray<string>) => {
  const sign = Result.getOrThrow(signer(signerOf(...secrets)))
  return (id: string, seconds: number, body: string) => sign(id, seconds * 1000, body)
}

const body = JSON.stringify({ servicePalletId: "17", orders: ["Ö-1", "📦"] })

const now = () => Math.floor(Date.now() / 1000)

const headers = (signature: string, timestamp: number, id = "msg_4711") => ({
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": signature
})

describe("signatures", () => {
  it("are the same as standardwebhooks makes, for secrets of 24 to 64 bytes", () => {
    for (const bytes of [24, 25, 26, 32, 64]) {
      const text = `whsec_${randomBytes(bytes).toString("base64")}`
      assert.strictEqual(
        signing(text)("msg_1", 1_700_000_000, body),
        new Webhook(text).sign("msg_1", new Date(1_700_000_000_000), body)
      )
    }
  })

  it("while rotating there are two, and either secret verifies", () => {
    const [newer, older] = [secret(), secret()]
    const at = now()
    const signature = signing(newer, older)("msg_4711", at, body)
    assert.strictEqual(
      signature,
      `${signing(newer)("msg_4711", at, body)} ${signing(older)("msg_4711", at, body)}`
    )
    for (const text of [newer, older]) new Webhook(text).verify(body, headers(signature, at))
    assert.throws(() => new Webhook(secret()).verify(body, headers(signature, at)), WebhookVerificationError)
  })

  it("the secret that is valid longest always signs, the others until their ends, in whatever order they are", () => {
    const secrets = [secret(), secret(), secret()]
    const [newest, newer, oldest] = signerOf(...secrets)
    const valid = [{ ...newest!, until: 7_000 }, { ...newer!, until: 6_000 }, { ...oldest!, until: 5_000 }]
    for (const order of [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]) {
      const sign = Result.getOrThrow(signer(order.map((index) => valid[index]!)))
      for (const [at, signs] of [[4_999, [0, 1, 2]], [5_000, [0, 1]], [6_000, [0]], [9_000, [0]]] as const) {
        assert.sameMembers(
          sign("msg_1", at, body).split(" "),
          signs.map((index) => signing(secrets[index]!)("msg_1", at / 1000, body))
        )
      }
    }
  })

  // @threat secrets.8
  it("id, time and body are under it", () => {
    const text = secret()
    const at = now()
    const signature = signing(text)("msg_4711", at, body)
    const webhook = new Webhook(text)
    const forgeries: ReadonlyArray<readonly [string, ReturnType<typeof headers>]> = [
      [body.replace("17", "18"), headers(signature, at)],
      [body, headers(signature, at + 1)],
      [body, headers(signature, at, "msg_4712")],
      [body, headers(`${signature.slice(0, 5)}${signature[5] === "A" ? "B" : "A"}${signature.slice(6)}`, at)]
    ]
    for (const [payload, forgedHeaders] of forgeries) {
      assert.throws(() => webhook.verify(payload, forgedHeaders), WebhookVerificationError)
    }
    webhook.verify(body, headers(signature, at))
  })

  for (const text of ["", "whsec_", "whsec_!!!!", "whsec_YWJ", secret().slice(6), "whsec_YWI=YWI="]) {
    it(`a secret like ${JSON.stringify(text).slice(0, 20)} is unreadable`, () => {
      const result = signer(signerOf(secret(), text))
      assert.isTrue(Result.isFailure(result))
      assert.strictEqual(
        Result.isFailure(result) ? result.failure.reason : "",
        "a signing secret is not whsec_ and base64"
      )
    })
  }
})

describe("D15.3 signatures by the keys of the service", () => {
  /** A key as the vault has it. */
  const aKey = () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519")
    return {
      id: "k",
      publicKey: Buffer.from(publicKey.export({ format: "jwk" }).x!, "base64url").toString("base64"),
      sign: (text: string) => sign(null, Buffer.from(text), privateKey).toString("base64")
    }
  }

  /** Verifies as Standard Webhooks says it: v1a is Ed25519 over id, timestamp and body with periods between them. */
  const isSigned = (signature: string, publicKey: string, id: string, timestamp: number, text: string) => {
    const x = Buffer.from(publicKey, "base64").toString("base64url")
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" })
    return signature.split(" ").some((each) => {
      const [version, base64 = ""] = each.split(",")
      const signedText = Buffer.from(`${id}.${timestamp}.${text}`)
      return version === "v1a" && verify(null, signedText, key, Buffer.from(base64, "base64"))
    })
  }

  it("come after those by secrets, one of each key, and each key verifies", () => {
    const [newer, older] = [aKey(), aKey()]
    const text = secret()
    const at = now()
    const signature = Result.getOrThrow(signer(signerOf(text), [newer, older]))("msg_4711", at * 1000, body)
    assert.match(signature, /^v1,[A-Za-z0-9+/]{43}= v1a,[A-Za-z0-9+/]{86}== v1a,[A-Za-z0-9+/]{86}==$/)
    for (const { publicKey } of [newer, older]) {
      assert.isTrue(isSigned(signature, publicKey, "msg_4711", at, body))
    }
    assert.isFalse(isSigned(signature, aKey().publicKey, "msg_4711", at, body))
    new Webhook(text).verify(body, headers(signature, at))
  })

  // @threat secrets.8
  it("cover id, time and body", () => {
    const key = aKey()
    const at = now()
    const signature = Result.getOrThrow(signer(signerOf(secret()), [key]))("msg_4711", at * 1000, body)
    assert.isFalse(isSigned(signature, key.publicKey, "msg_4712", at, body))
    assert.isFalse(isSigned(signature, key.publicKey, "msg_4711", at + 1, body))
    assert.isFalse(isSigned(signature, key.publicKey, "msg_4711", at, body.replace("17", "18")))
  })
})

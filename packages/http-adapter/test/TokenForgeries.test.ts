/** D10.2: what is not a token of the service, however close it comes. */
import type { SigningKeyStore } from "@dockline/core/access/Authenticator"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { decodeJwt, exportJWK, generateKeyPair } from "jose"
import type { JWTPayload } from "jose"
import { createHmac, createPublicKey } from "node:crypto"
import { assert } from "vitest"
import * as Setup from "./AuthSetup.ts"
import { refusalOf } from "./AuthSetup.ts"

// @threat asking.1
describe("D10.2 a forged or foreign token is refused", () => {
  const resign = (change: { readonly header?: object; readonly claims?: JWTPayload }) =>
    Effect.gen(function*() {
      const { header, claims, privateJwk } = yield* Setup.genuine
      return yield* Setup.sign({ ...header, ...change.header }, { ...claims, ...change.claims }, privateJwk)
    })
  const without = (claim: string) =>
    Effect.gen(function*() {
      const { header, claims, privateJwk } = yield* Setup.genuine
      const { [claim]: _, ...rest } = claims
      return yield* Setup.sign(header, rest, privateJwk)
    })
  const attacker = Effect.promise(async () => {
    const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true })
    return { privateJwk: JSON.stringify(await exportJWK(privateKey)), publicJwk: await exportJWK(publicKey) }
  })
  const byAttacker = (header: (publicJwk: object) => object) =>
    Effect.gen(function*() {
      const { header: base, claims } = yield* Setup.genuine
      const { privateJwk, publicJwk } = yield* attacker
      return yield* Setup.sign({ ...base, ...header(publicJwk) }, claims, privateJwk)
    })
  const withoutSignature = (header: object, signature: string) =>
    Effect.map(
      Setup.genuine,
      ({ header: base, claims }) => `${Setup.part({ ...base, ...header })}.${Setup.part(claims)}.${signature}`
    )
  const changedToken = (edit: (token: string) => string) => Effect.map(resign({}), edit)

  const hmacWithPublicKey = (format: "pem" | "der" | "jwk") =>
    Effect.gen(function*() {
      const { header, claims, privateJwk } = yield* Setup.genuine
      const key = createPublicKey({ key: JSON.parse(privateJwk), format: "jwk" })
      const secret = {
        pem: () => key.export({ format: "pem", type: "spki" }),
        der: () => key.export({ format: "der", type: "spki" }),
        jwk: () => JSON.stringify(key.export({ format: "jwk" }))
      }[format]()
      const input = `${Setup.part({ ...header, alg: "HS256" })}.${Setup.part(claims)}`
      return `${input}.${createHmac("sha256", secret).update(input).digest("base64url")}`
    })

  const forgeries: ReadonlyArray<[string, Effect.Effect<string, unknown, SigningKeyStore>]> = [
    ["alg none without signature", withoutSignature({ alg: "none" }, "")],
    ["alg None in another case", withoutSignature({ alg: "nOnE" }, "")],
    ["alg none with a signature", withoutSignature({ alg: "none" }, "AAAA")],
    ["RS256 without signature", withoutSignature({}, "")],
    ["RS256 with a signature of zeros", withoutSignature({}, Buffer.alloc(256).toString("base64url"))],
    ["no alg", withoutSignature({ alg: undefined }, "AAAA")],
    ["HS256 with the public key as PEM for secret", hmacWithPublicKey("pem")],
    ["HS256 with the public key as DER for secret", hmacWithPublicKey("der")],
    ["HS256 with the public key as JWK for secret", hmacWithPublicKey("jwk")],
    ["PS256 by the right key", resign({ header: { alg: "PS256" } })],
    ["RS512 by the right key", resign({ header: { alg: "RS512" } })],
    ["another key under the right kid", byAttacker(() => ({}))],
    ["another key under a kid of its own", byAttacker(() => ({ kid: "mine" }))],
    ["another key with its jwk in the header", byAttacker((jwk) => ({ jwk }))],
    ["another key with its jwk in the header, without kid", byAttacker((jwk) => ({ jwk, kid: undefined }))],
    ["another key with a jku", byAttacker(() => ({ jku: "http://127.0.0.1:9/jwks.json" }))],
    ["another key with an x5c", byAttacker(() => ({ x5c: ["MIIB"] }))],
    ["the right key without kid", resign({ header: { kid: undefined } })],
    ["the right key under a wrong kid", resign({ header: { kid: "other" } })],
    ["a kid with a path", resign({ header: { kid: "../../dev/null" } })],
    ["a kid with SQL", resign({ header: { kid: "' or 1=1 --" } })],
    ["a kid of a prototype", resign({ header: { kid: "__proto__" } })],
    ["a kid that is a list", withoutSignature({ kid: ["x"] }, "AAAA")],
    ["a kid that is an object", withoutSignature({ kid: { x: 1 } }, "AAAA")],
    ["expired", resign({ claims: { exp: 0 } })],
    [
      "expires now",
      Effect.flatMap(Setup.genuine, ({ claims }) => resign({ claims: { exp: claims.iat! } }))
    ],
    ["no exp", without("exp")],
    ["exp as text", resign({ claims: { exp: "9999999999" as never } })],
    [
      "nbf in the future",
      Effect.flatMap(Setup.genuine, ({ claims }) => resign({ claims: { nbf: claims.iat! + 60 } }))
    ],
    ["no iat", without("iat")],
    ["iat as text", resign({ claims: { iat: "0" as never } })],
    ["another issuer", resign({ claims: { iss: "https://evil.example.com" } })],
    ["our issuer with a slash more", resign({ claims: { iss: `${Setup.issuer}/` } })],
    ["no issuer", without("iss")],
    ["another audience", resign({ claims: { aud: "https://other.example.com" } })],
    ["our audience as a prefix", resign({ claims: { aud: `${Setup.audience}/more` } })],
    ["no audience", without("aud")],
    ["no sub", without("sub")],
    ["no client_id", without("client_id")],
    ["no jti", without("jti")],
    ["another client id than sub", resign({ claims: { client_id: "other" } })],
    ["an empty client id", resign({ claims: { client_id: "", sub: "" } })],
    ["typ JWT, such as an id token", resign({ header: { typ: "JWT" } })],
    ["no typ", resign({ header: { typ: undefined } })],
    ["an unknown crit header", withoutSignature({ crit: ["exp"], exp: 1 }, "AAAA")],
    ["crit b64", withoutSignature({ crit: ["b64"], b64: false }, "AAAA")],
    ["cut short", changedToken((token) => token.slice(0, -10))],
    ["without its last part", changedToken((token) => token.slice(0, token.lastIndexOf(".")))],
    ["with a part more", changedToken((token) => `${token}.AAAA`)],
    ["five parts, as encrypted", changedToken((token) => `${token}.AAAA.AAAA`)],
    ["with a space", changedToken((token) => `${token} `)],
    [
      "with bits in its last character that stand for nothing",
      changedToken((token) =>
        token.slice(0, -1) + String.fromCharCode(token.charCodeAt(token.length - 1) + 1)
      )
    ],
    [
      "with another payload",
      changedToken((token) => {
        const [header, , signature] = token.split(".")
        return [header, Setup.part({ ...decodeJwt(token), sub: "root", client_id: "root" }), signature].join(
          "."
        )
      })
    ],
    [
      "one bit of the signature changed",
      changedToken((token) => {
        const at = token.lastIndexOf(".") + 20
        return token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1)
      })
    ],
    [
      "a payload that is no JSON",
      Effect.map(Setup.genuine, ({ header }) => `${Setup.part(header)}.AAAA.AAAA`)
    ],
    [
      "a header that is no object",
      changedToken((token) => `${Setup.part("x")}${token.slice(token.indexOf("."))}`)
    ],
    ["empty", Effect.succeed("")],
    ["dots", Effect.succeed("..")],
    ["no JWT", Effect.succeed("s3cr3t")],
    ["too large", changedToken((token) => `${token}${"A".repeat(8192)}`)]
  ]

  it.effect.each(forgeries)("%s", ([, make]) =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2026-11-20T17:00:00Z"))
      const tokens = yield* Setup.instance()
      const { accessToken } = yield* tokens.issue("wms")
      const forgery = yield* make
      yield* refusalOf(tokens.verify(forgery))
      yield* tokens.verify(accessToken)
      // Not remembered as good, and not confused with one that is.
      yield* refusalOf(tokens.verify(forgery))
    }).pipe(Effect.provide(Setup.stores)))

  // @threat asking.2
  it.effect("the frame of the forgeries is right: unchanged, it verifies", () =>
    Effect.gen(function*() {
      const tokens = yield* Setup.instance()
      yield* tokens.issue("wms")
      assert.strictEqual((yield* tokens.verify(yield* resign({}))).clientId, "wms")
    }).pipe(Effect.provide(Setup.stores)))
})

/** D10.2: what is not a token of the service, however close it comes. */
import type { SigningKeyStore } from "@dockline/core/access/SigningKeyStore"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { decodeJwt, exportJWK, generateKeyPair } from "jose"
import type { JWTPayload } from "jose"
import { createHmac, createPublicKey } from "node:crypto"
import { assert } from "vitest"
import * as Setup from "./AuthSetup.ts"
import { refused } from "./AuthSetup.ts"

// @threat asking.1
describe("D10.2 a forged or foreign token is refused", () => {
  const resigned = (change: { readonly header?: object; readonly claims?: JWTPayload }) =>
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
  const unsigned = (header: object, signature: string) =>
    Effect.map(
      Setup.genuine,
      ({ header: base, claims }) => `${Setup.part({ ...base, ...header })}.${Setup.part(claims)}.${signature}`
    )
  const edited = (edit: (token: string) => string) => Effect.map(resigned({}), edit)

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
    ["alg none without signature", unsigned({ alg: "none" }, "")],
    ["alg None in another case", unsigned({ alg: "nOnE" }, "")],
    ["alg none with a signature", unsigned({ alg: "none" }, "AAAA")],
    ["RS256 without signature", unsigned({}, "")],
    ["RS256 with a signature of zeros", unsigned({}, Buffer.alloc(256).toString("base64url"))],
    ["no alg", unsigned({ alg: undefined }, "AAAA")],
    ["HS256 with the public key as PEM for secret", hmacWithPublicKey("pem")],
    ["HS256 with the public key as DER for secret", hmacWithPublicKey("der")],
    ["HS256 with the public key as JWK for secret", hmacWithPublicKey("jwk")],
    ["PS256 by the right key", resigned({ header: { alg: "PS256" } })],
    ["RS512 by the right key", resigned({ header: { alg: "RS512" } })],
    ["another key under the right kid", byAttacker(() => ({}))],
    ["another key under a kid of its own", byAttacker(() => ({ kid: "mine" }))],
    ["another key with its jwk in the header", byAttacker((jwk) => ({ jwk }))],
    ["another key with its jwk in the header, without kid", byAttacker((jwk) => ({ jwk, kid: undefined }))],
    ["another key with a jku", byAttacker(() => ({ jku: "http://127.0.0.1:9/jwks.json" }))],
    ["another key with an x5c", byAttacker(() => ({ x5c: ["MIIB"] }))],
    ["the right key without kid", resigned({ header: { kid: undefined } })],
    ["the right key under a wrong kid", resigned({ header: { kid: "other" } })],
    ["a kid with a path", resigned({ header: { kid: "../../dev/null" } })],
    ["a kid with SQL", resigned({ header: { kid: "' or 1=1 --" } })],
    ["a kid of a prototype", resigned({ header: { kid: "__proto__" } })],
    ["a kid that is a list", unsigned({ kid: ["x"] }, "AAAA")],
    ["a kid that is an object", unsigned({ kid: { x: 1 } }, "AAAA")],
    ["expired", resigned({ claims: { exp: 0 } })],
    [
      "expires now",
      Effect.flatMap(Setup.genuine, ({ claims }) => resigned({ claims: { exp: claims.iat! } }))
    ],
    ["no exp", without("exp")],
    ["exp as text", resigned({ claims: { exp: "9999999999" as never } })],
    [
      "nbf in the future",
      Effect.flatMap(Setup.genuine, ({ claims }) => resigned({ claims: { nbf: claims.iat! + 60 } }))
    ],
    ["no iat", without("iat")],
    ["iat as text", resigned({ claims: { iat: "0" as never } })],
    ["another issuer", resigned({ claims: { iss: "https://evil.example.com" } })],
    ["our issuer with a slash more", resigned({ claims: { iss: `${Setup.issuer}/` } })],
    ["no issuer", without("iss")],
    ["another audience", resigned({ claims: { aud: "https://other.example.com" } })],
    ["our audience as a prefix", resigned({ claims: { aud: `${Setup.audience}/more` } })],
    ["no audience", without("aud")],
    ["no sub", without("sub")],
    ["no client_id", without("client_id")],
    ["no jti", without("jti")],
    ["another client id than sub", resigned({ claims: { client_id: "other" } })],
    ["an empty client id", resigned({ claims: { client_id: "", sub: "" } })],
    ["typ JWT, such as an id token", resigned({ header: { typ: "JWT" } })],
    ["no typ", resigned({ header: { typ: undefined } })],
    ["an unknown crit header", unsigned({ crit: ["exp"], exp: 1 }, "AAAA")],
    ["crit b64", unsigned({ crit: ["b64"], b64: false }, "AAAA")],
    ["cut short", edited((token) => token.slice(0, -10))],
    ["without its last part", edited((token) => token.slice(0, token.lastIndexOf(".")))],
    ["with a part more", edited((token) => `${token}.AAAA`)],
    ["five parts, as encrypted", edited((token) => `${token}.AAAA.AAAA`)],
    ["with a space", edited((token) => `${token} `)],
    [
      "with bits in its last character that stand for nothing",
      edited((token) => token.slice(0, -1) + String.fromCharCode(token.charCodeAt(token.length - 1) + 1))
    ],
    [
      "with another payload",
      edited((token) => {
        const [header, , signature] = token.split(".")
        return [header, Setup.part({ ...decodeJwt(token), sub: "root", client_id: "root" }), signature].join(
          "."
        )
      })
    ],
    [
      "one bit of the signature changed",
      edited((token) => {
        const at = token.lastIndexOf(".") + 20
        return token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1)
      })
    ],
    [
      "a payload that is no JSON",
      Effect.map(Setup.genuine, ({ header }) => `${Setup.part(header)}.AAAA.AAAA`)
    ],
    ["a header that is no object", edited((token) => `${Setup.part("x")}${token.slice(token.indexOf("."))}`)],
    ["empty", Effect.succeed("")],
    ["dots", Effect.succeed("..")],
    ["no JWT", Effect.succeed("s3cr3t")],
    ["too large", edited((token) => `${token}${"A".repeat(8192)}`)]
  ]

  it.effect.each(forgeries)("%s", ([, make]) =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2026-11-20T17:00:00Z"))
      const tokens = yield* Setup.instance()
      const { accessToken } = yield* tokens.issue("wms")
      const forged = yield* make
      yield* refused(tokens.verify(forged))
      yield* tokens.verify(accessToken)
      // Not remembered as good, and not confused with one that is.
      yield* refused(tokens.verify(forged))
    }).pipe(Effect.provide(Setup.stores)))

  // @threat asking.2
  it.effect("the frame of the forgeries is right: unchanged, it verifies", () =>
    Effect.gen(function*() {
      const tokens = yield* Setup.instance()
      yield* tokens.issue("wms")
      assert.strictEqual((yield* tokens.verify(yield* resigned({}))).clientId, "wms")
    }).pipe(Effect.provide(Setup.stores)))
})

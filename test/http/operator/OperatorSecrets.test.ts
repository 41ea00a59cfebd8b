/** D10.4, D11: what is secret is shown once, by what makes it, and never again in any answer or any line of the log. */
import type { NewClientView, NewEndpointView, NewSecretView } from "@dockline/core/operator/OperatorView"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { layerMemory, refusalOf, unique } from "../../support/TestServer.ts"
import type { Reply } from "../Wire.ts"
import { askForToken, bodyOf, endpointOf, get, operate, vault } from "./Operator.ts"

/** What was sent or made that must not be seen. */
interface Canary {
  readonly name: string
  readonly text: string
}

/** A secret in all the forms in which it could leak: as it is, hashed, sealed by the test's vault. */
const canariesOf = (name: string, secret: string): ReadonlyArray<Canary> => [
  { name, text: secret },
  { name: `the hash of ${name}`, text: createHash("sha256").update(secret).digest("hex") },
  { name: `${name}, sealed`, text: Buffer.from(secret).toString("base64url") }
]

const logged: Array<string> = []
const onLog = (line: string) => void logged.push(line)

layer(layerMemory({ vault, onLog }), { excludeTestServices: true })(
  "D11 secrets",
  (it) => {
    // @threat secrets.1
    it.effect("are in no answer but the one that makes them, in no refusal, and in no log", () =>
      Effect.gen(function*() {
        const canaries: Array<Canary> = []
        const seen: Array<Reply> = []
        const secret = (name: string) => {
          const text = unique(`canary-${name}-${crypto.randomUUID()}`)
          canaries.push(...canariesOf(name, text))
          return text
        }
        const made = (name: string, text: string) => void canaries.push(...canariesOf(name, text))
        const ask = (...request: Parameters<typeof operate>) =>
          Effect.map(operate(...request), (reply) => {
            seen.push(reply)
            return reply
          })

        const grants = [{ business: "acme", facilities: "*", permissions: ["documents:write"] }]
        const client = bodyOf<NewClientView>(yield* operate("POST", "clients", { name: "C", grants }), 201)
        made("the client's secret", client.clientSecret)
        const added = bodyOf<NewSecretView>(yield* operate("POST", `clients/${client.id}/secrets`), 201)
        made("the added secret", added.clientSecret)
        const signing = `whsec_${Buffer.from(crypto.randomUUID()).toString("base64")}`
        const login = { type: "token", loginUrl: "https://a.example", username: "u" }
        const endpoint = bodyOf<NewEndpointView>(
          yield* operate(
            "POST",
            "webhook-endpoints",
            endpointOf("acme", {
              signingSecret: signing,
              authentication: { ...login, password: secret("the password") }
            })
          ),
          201
        )
        assert.strictEqual(endpoint.signingSecret, signing)
        assert.notInclude(JSON.stringify(endpoint.authentication), "canary")
        made("the signing secret", signing)
        const path = `webhook-endpoints/${endpoint.id}`
        const rotated = bodyOf<{ readonly signingSecret: string }>(
          yield* operate("POST", `${path}/rotate-secret`),
          200
        )
        made("the new signing secret", rotated.signingSecret)

        yield* ask("GET", "clients")
        yield* ask("GET", `clients/${client.id}`)
        yield* ask("PATCH", `clients/${client.id}`, { name: "D" })
        yield* ask("GET", "webhook-endpoints")
        yield* ask("GET", path)
        yield* ask("GET", `${path}/deliveries`)
        const basic = { type: "basic", username: "u", password: secret("another password") }
        assert.strictEqual((yield* ask("PATCH", path, { authentication: basic })).status, 200)
        yield* ask("GET", path)

        // What is refused: a secret in the wrong place, of a wrong form, beside a fault, in JSON that is none.
        const wrong = (authentication: object, fields: object = {}) =>
          ask("POST", "webhook-endpoints", { ...endpointOf("acme"), authentication, ...fields })
        const refusals = [
          yield* wrong({ ...basic, password: [secret("a list")] }),
          yield* wrong({ type: "none", password: secret("one too many") }),
          yield* wrong({ ...login, loginUrl: "http://a.example", password: secret("beside a fault") }),
          yield* wrong({ ...basic, pasword: secret("misspelt") }),
          yield* wrong({ type: "none" }, { signingSecret: secret("no signing secret") }),
          yield* ask("POST", "webhook-endpoints", `{"authentication":{"password":"${secret("broken")}"`),
          yield* ask("PATCH", path, {
            authentication: { ...login, password: secret("unsafe"), loginUrl: "x" }
          }),
          yield* ask("POST", "clients", { name: "C", grants, clientSecret: secret("of one's own") })
        ]
        for (const refusal of refusals) assert.include([400, 422], refusalOf(refusal)[0], refusal.text)
        assert.strictEqual((yield* askForToken(client.id, secret("a wrong secret"))).status, 401)
        assert.strictEqual((yield* askForToken(client.id, client.clientSecret)).status, 200)
        yield* get("clients")

        assert.isAbove(logged.length, 20)
        for (const { name, text } of canaries) {
          for (const { text: answer } of seen) assert.notInclude(answer, text, `${name} in an answer`)
          for (const line of logged) assert.notInclude(line, text, `${name} in the log`)
        }
      }))
  }
)

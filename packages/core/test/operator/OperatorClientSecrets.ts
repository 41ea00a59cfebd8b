/**
 * What holds for the secrets of API clients on behalf of operators, whatever they are stored in (D10.4).
 */
import * as assert from "@dockline/testing/Assert"
import { aGrant } from "@dockline/testing/generators/Given"
import { at } from "@dockline/testing/worlds/MessageLogWorld"
import { aBusiness, aSlug, operatorOf, outcome } from "@dockline/testing/worlds/OperatorWorld"
import { Effect, Redacted } from "effect"
import { createHash } from "node:crypto"
import { ClientStore } from "../../src/access/Principals.ts"
import { ask, createClient as create } from "./OperatorServices.ts"
import type { Part } from "./OperatorServices.ts"

const noon = Date.parse("2026-11-20T12:00:00.000Z")

const hashOf = (secret: Redacted.Redacted) =>
  createHash("sha256").update(Redacted.value(secret)).digest("hex")

/** The cases of the secrets of API clients. */
export const clientSecrets: Part = (test, describe) => {
  describe("D10.4 secrets", () => {
    test(
      "are 256 random bits, and only their hash is stored",
      Effect.gen(function*() {
        const store = yield* ClientStore
        const client = yield* create()
        const secret = yield* ask("createSecret", { clientId: client.id })
        const other = yield* create()
        const secrets = [client.clientSecret, secret.clientSecret, other.clientSecret].map(Redacted.value)
        for (const secret of secrets) assert.match(secret, /^[\w-]{43}$/)
        assert.strictEqual(new Set(secrets).size, 3)
        const row = (yield* store.find(client.id))!
        assert.deepStrictEqual(row.secrets.map(({ id, hash }) => ({ id, hash })), [
          { id: client.secrets[0]!.id, hash: hashOf(client.clientSecret) },
          { id: secret.secretId, hash: hashOf(secret.clientSecret) }
        ])
        for (const secret of secrets) assert.notInclude(JSON.stringify(row), secret)
      })
    )

    test(
      "two at most, and the one that is removed is gone",
      Effect.gen(function*() {
        const store = yield* ClientStore
        const { id, secrets: [first] } = yield* create()
        const second = yield* at(noon)(ask("createSecret", { clientId: id }))
        const refusal = yield* Effect.flip(ask("createSecret", { clientId: id }))
        assert.strictEqual(refusal.code, "TOO_MANY_SECRETS")
        assert.include(refusal.message, id)
        assert.strictEqual((yield* store.find(id))!.secrets.length, 2)
        yield* ask("deleteSecret", { clientId: id, secretId: first!.id })
        assert.deepStrictEqual((yield* ask("getClient", { clientId: id })).secrets, [
          { id: second.secretId, createdAt: "2026-11-20T12:00:00.000Z" }
        ])
        assert.strictEqual(
          yield* outcome(ask("deleteSecret", { clientId: id, secretId: first!.id })),
          "SECRET_NOT_FOUND"
        )
        yield* ask("createSecret", { clientId: id })
        yield* ask("deleteSecret", { clientId: id, secretId: second.secretId })
        assert.strictEqual((yield* store.find(id))!.secrets.length, 1)
      })
    )

    test(
      "of which the time is not known say so",
      Effect.gen(function*() {
        const store = yield* ClientStore
        const secrets = [{ id: "demo", hash: "00" }]
        const client = { id: aSlug(), name: "Demo", enabled: true, secrets, grants: [] }
        yield* store.put([client])
        assert.deepStrictEqual((yield* ask("getClient", { clientId: client.id })).secrets, [{
          id: "demo",
          createdAt: null
        }])
      })
    )

    test(
      "and their hashes are shown by nothing but the answer that makes one",
      Effect.gen(function*() {
        const acme = yield* aBusiness
        const { clientSecret, ...client } = yield* create(aGrant(acme))
        const { clientSecret: another, ...newSecret } = yield* ask("createSecret", { clientId: client.id })
        const texts = JSON.stringify([
          client,
          newSecret,
          yield* ask("getClient", { clientId: client.id }),
          yield* ask("listClients", {}, operatorOf(acme)),
          yield* ask("updateClient", { clientId: client.id, body: { name: "Other" } }),
          yield* Effect.flip(ask("createSecret", { clientId: client.id })),
          String(clientSecret),
          { clientSecret, another }
        ])
        for (const secret of [clientSecret, another]) {
          assert.notInclude(texts, Redacted.value(secret))
          assert.notInclude(texts, hashOf(secret))
        }
      })
    )
  })
}

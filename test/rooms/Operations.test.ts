/** Every declared operation is in the interfaces that derive from it. */
import * as Dockline from "@dockline/core/Dockline"
import * as Memory from "@dockline/core/Memory"
import { operations } from "@dockline/core/Operations"
import { makeSchema } from "@dockline/graphql-adapter/Schema"
import { Api } from "@dockline/http-adapter/Api"
import { HttpApi } from "effect/http-api"
import { assert, describe, it } from "vitest"

const declared = Object.entries(operations)

/** No field is resolved, so services of nothing suffice to make the schema. */
const schema = () => {
  const service = new Proxy({}, { get: () => () => undefined })
  const names = [
    "intake",
    "shipments",
    "pallets",
    "exceptions",
    "search",
    "messages",
    "log",
    "directory",
    "documentReader"
  ]
  return makeSchema(
    Object.fromEntries(names.map((name) => [name, service])) as unknown as Parameters<typeof makeSchema>[0]
  )
}

/** What a path of GraphQL reads beneath a shipment instead of a field of its own. */
const joined: ReadonlySet<string> = new Set([
  "items",
  "discrepancies",
  "shipmentPallets",
  "shipmentExceptions"
])

describe("every declared operation", () => {
  it("is an endpoint of REST at its route", () => {
    const routes = new Map<string, string>()
    HttpApi.reflect(Api, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => routes.set(endpoint.identifier, `${endpoint.method} ${endpoint.path}`)
    })
    for (const [, { name, rest }] of declared) assert.strictEqual(routes.get(name), rest)
  })

  it("is a method of the façade", async () => {
    await using dockline = await Dockline.open({ storage: Memory.layer })
    for (const [method] of declared) assert.isFunction(dockline[method as keyof typeof dockline], method)
  })

  it("that reads is a field of GraphQL, or one of a shipment", () => {
    const fields = schema().getQueryType()!.getFields()
    for (const [method, { kind }] of declared) {
      if (kind !== "write" && !joined.has(method)) assert.property(fields, method)
    }
  })

  it("that writes is a mutation of its name", () => {
    const fields = schema().getMutationType()!.getFields()
    for (const [, { kind, name }] of declared) if (kind === "write") assert.property(fields, name)
  })
})

/** D20.1: no text of an interface names a capability that the service leaves out. */
import type { Principal } from "@dockline/core/access/Access"
import { declaredOperations } from "@dockline/core/capability/DeclaredOperations"
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Memory from "@dockline/core/memory/Memory"
import * as Places from "@dockline/dashboard/sign-in/Places"
import * as GraphqlHandler from "@dockline/graphql-adapter/GraphqlHandler"
import { gatherServices } from "@dockline/graphql-adapter/resolvers/Run"
import * as RestHandler from "@dockline/http-adapter/RestHandler"
import { offeredTo, toolsOf } from "@dockline/mcp-adapter/Tools"
import { capabilities, graphqlParts, restParts } from "@dockline/server/Capabilities"
import { Effect, Layer, Metric, Redacted } from "effect"
import { printSchema } from "graphql"
import { assert, describe, it, vi } from "vitest"

const baseUrl = "https://dockline.example"

const everything: Principal = {
  clientId: "desk",
  grants: [{
    business: "*",
    facilities: "*",
    permissions: ["documents:write", "messages:read", "pallets:write", "shipments:write", "operator"]
  }]
}

type Each = (typeof capabilities)[number]

/** The names of the capabilities for people, unless the contract uses the words with another meaning. */
const words: Readonly<Record<string, RegExp>> = {
  day: /\bDayGroup|\bDayShipment|\/v1\/day|"\/day"/,
  trace: /\bTraceEntry|\brecall|"\/trace"/i,
  skus: /SKU master|sku_?master|casesPerPallet/i,
  exceptions: /exception/i,
  kargo: /kargo/i,
  edi: /\bEDI\b|X12|interchange/,
  "packing-lists": /packing.?list/i
}

/** The names in its values: its operations and their routes, its messages, its outbox entries, and its profiles of payloads. */
const namesOf = (each: Each): ReadonlyArray<string> => {
  const { messages = {}, operations, operators, outbox = {}, payloadProfiles = [] } = {
    messages: undefined,
    operators: undefined,
    outbox: undefined,
    payloadProfiles: undefined,
    ...each
  }
  const declared = [
    ...Object.entries(operations),
    ...Object.entries(operators === undefined ? {} : operators.operations)
  ]
  return [
    ...declared.flatMap((
      [method, { name, rest }]
    ) => [`"${method}"`, `"${name}"`, rest.replace(/^\w+ /, "")]),
    ...Object.keys(messages),
    ...Object.keys(outbox),
    ...payloadProfiles.map(({ name }) => `"${name}"`)
  ]
}

/** The properties of a browser that the modules of pages read when they are loaded. */
const browser = {
  document: { documentElement: { dataset: {} } },
  location: new URL(baseUrl),
  history: { state: null },
  localStorage: { getItem: () => null },
  sessionStorage: { getItem: () => null },
  addEventListener: () => {}
}

/** The content of a page. */
interface Shown {
  readonly fields?: object
}

const pages = new URL("../../packages/dashboard/src/browser/", import.meta.url)

/** The pages that people can reach, and the additions of capabilities to the others, for a session with these capabilities. */
const pagesOf = async (
  names: ReadonlyArray<string>
): Promise<readonly [ReadonlyArray<Shown>, ReadonlyArray<Shown>]> => {
  for (const [name, value] of Object.entries(browser)) vi.stubGlobal(name, value)
  const [{ capabilities }, { offer, offeredParts }, { reachable }] = await Promise.all(
    ["capabilities.ts", "capability.ts", "nav.ts"].map((name) => import(new URL(name, pages).href))
  ) as [
    { readonly capabilities: ReadonlyArray<Shown> },
    {
      readonly offer: (list: ReadonlyArray<Shown>, names: ReadonlyArray<string>) => void
      readonly offeredParts: { readonly value: ReadonlyArray<Shown> }
    },
    { readonly reachable: () => ReadonlyArray<Shown> }
  ]
  offer(capabilities, names)
  // A capability may extend the views of another, which it names without needing it.
  return [
    reachable(),
    offeredParts.value.map(({ fields = {}, ...each }) => ({ ...each, fields: Object.values(fields) }))
  ]
}

/** The texts of the interfaces of a service with these capabilities, by their places. */
const textsOf = async (offered: ReadonlyArray<Each>): Promise<ReadonlyMap<string, string>> => {
  await using dockline = await Dockline.open({
    storage: Memory.layerWith(capabilities),
    capabilities: offered
  })
  // Only the metrics of this service.
  const services = Layer.merge(dockline.layer, Layer.succeed(Metric.MetricRegistry, new Map()))
  await using rest = await RestHandler.make(services, {
    baseUrl,
    parts: restParts,
    metricsToken: Redacted.make("metrics")
  })
  await using graphql = await GraphqlHandler.make(rest.layer, { parts: graphqlParts })
  const texts = new Map<string, string>()
  const read = async (handler: typeof rest.handler | typeof graphql.handler, path: string) => {
    const response = await handler(
      new Request(`${baseUrl}${path}`, { headers: { authorization: "Bearer metrics" } })
    )
    assert.strictEqual(response.status, 200, path)
    texts.set(path, await response.text())
  }
  for (
    const path of [
      "/llms.txt",
      "/metrics",
      "/v1/openapi.json",
      "/v1/asyncapi.json",
      "/v1/docs/",
      "/v1/docs/reference.js"
    ]
  ) {
    await read(rest.handler, path)
  }
  for (const [, path = ""] of texts.get("/llms.txt")!.matchAll(/example(\/v1\/schemas\/\w+\.json)/g)) {
    await read(rest.handler, path)
  }
  await read(graphql.handler, "/public_graphql/schema.graphql")
  const parts = graphqlParts.filter(({ name }) => offered.some((each) => each.name === name))
  const schemas = await Effect.runPromise(
    Effect.provide(
      Effect.map(
        gatherServices(),
        (services) => parts.map(({ path, schemaOf }) => [path, schemaOf(services)] as const)
      ),
      rest.layer
    )
  )
  for (const [path, schema] of schemas) texts.set(path, printSchema(schema))
  const session = await Effect.runPromise(Effect.provide(
    Effect.flatMap(Places.make, (sessionOf) => sessionOf(everything)),
    rest.layer
  ))
  texts.set("pages of the dashboard", JSON.stringify([session, await pagesOf(session.capabilities)]))
  const tools = offeredTo(toolsOf(declaredOperations(offered)), everything)
  return texts.set("tools of MCP", JSON.stringify(tools))
}

/** The mentions of a capability in texts: the text around each. */
const mentions = (texts: ReadonlyMap<string, string>, named: RegExp): ReadonlyArray<string> =>
  Array.from(texts).flatMap(([where, text]) =>
    Array.from(
      text.matchAll(new RegExp(named.source, `${named.flags}g`)),
      ({ index }) => `${where}: ${text.slice(Math.max(0, index - 60), index + 60)}`
    )
  )

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")

describe.each(capabilities.map((each) => ({ name: each.name, each })))("$name", ({ each, name }) => {
  const named = [words[name], new RegExp(`(?:${namesOf(each).map(escaped).join("|") || "(?!)"})(?!\\w)`)]
    .filter((regExp) => regExp !== undefined)

  it("is named by interfaces of a service that has it", async () => {
    const texts = await textsOf(capabilities)
    for (const regExp of named.slice(0, 1)) assert.isNotEmpty(mentions(texts, regExp))
  })

  it("D20.2 is named by none of a service that leaves it out", async () => {
    const texts = await textsOf(capabilities.filter((other) => other !== each))
    assert.deepStrictEqual(named.flatMap((regExp) => mentions(texts, regExp)), [])
  })
})

/** Every declared operation is in the interfaces that derive from it. */
import { commands } from "@dockline/cli/CommandLine"
import { OperationName } from "@dockline/cli/commands/DerivedCommand"
import { declaredOfOperators } from "@dockline/core/capability/DeclaredOperations"
import { declaredOperations } from "@dockline/core/capability/DeclaredOperations"
import * as Dockline from "@dockline/core/embed/Dockline"
import * as Memory from "@dockline/core/memory/Memory"
import { operatorOperations as ofContract } from "@dockline/core/operator/OperatorOperations"
import { Api, withCapabilities } from "@dockline/http-adapter/api/Api"
import { toolsOf } from "@dockline/mcp-adapter/Tools"
import { capabilities } from "@dockline/server/Capabilities"
import { Context } from "effect"
import { HttpApi } from "effect/http-api"
import { assert, describe, it } from "vitest"
import { unservedSchema } from "../contracts/UnservedSchema.ts"

const declared = Object.entries(declaredOperations(capabilities))

const operatorOperations = { ...ofContract, ...declaredOfOperators(capabilities) }

/** The operations that GraphQL reads within a shipment, or as `pushMessages`, instead of a field of their own. */
const joined: ReadonlySet<string> = new Set([
  "items",
  "discrepancies",
  "shipmentPallets",
  "shipmentExceptions",
  "messages"
])

const routes = new Map<string, string>()
HttpApi.reflect(withCapabilities(Api, capabilities), {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => routes.set(endpoint.identifier, `${endpoint.method} ${endpoint.path}`)
})

/** The operations with hand-written commands: with a file, a password prompt, or a line for each attempt. */
const byHand = new Set(["submitDocument", "listDeliveries"])

describe("every declared operation", () => {
  it("is an endpoint of REST at its route", () => {
    for (const [, { name, rest }] of declared) assert.strictEqual(routes.get(name), rest)
  })

  it("is a method of the façade", async () => {
    await using dockline = await Dockline.open({ storage: Memory.layerWith(capabilities), capabilities })
    for (const [method] of declared) assert.isFunction(dockline[method as keyof typeof dockline], method)
  })

  it("that reads is a field of GraphQL, or one of a shipment", () => {
    const fields = unservedSchema().getQueryType()!.getFields()
    for (const [method, { kind }] of declared) {
      if ((kind === "read" || kind === "list") && !joined.has(method)) assert.property(fields, method)
    }
  })

  it("is a tool of MCP", () => {
    const tools = toolsOf(declaredOperations(capabilities))
    for (const [, { name }] of declared) assert.isTrue(tools.has(name), name)
  })

  it("that writes is a mutation of its name", () => {
    const fields = unservedSchema().getMutationType()!.getFields()
    for (const [, { kind, name }] of declared) {
      if (kind === "write" || kind === "upload") assert.property(fields, name)
    }
  })
})

describe("every declared operation, of clients and of operators", () => {
  it("is a command, which derives from it but for a few", () => {
    const verbs = commands.flatMap(({ subcommands }) => subcommands.flatMap((group) => group.commands))
    const derived = [...commands, ...verbs].map(({ annotations }) => Context.get(annotations, OperationName))
    const names = [...declared, ...Object.entries(operatorOperations)].map(([, { name }]) => name)
    assert.sameMembers([...new Set(derived)], ["", ...names.filter((name) => !byHand.has(name))])
  })
})

describe("every declared operation of operators", () => {
  it("has its own name, and is an endpoint of REST at its route, as are no others of operators", () => {
    for (const [key, { name }] of Object.entries(operatorOperations)) assert.strictEqual(name, key)
    const declared = Object.values(operatorOperations).map(({ name, rest }) => [name, rest])
    const served = Array.from(routes).filter(([, route]) => route.includes(" /v1/operator/"))
    assert.deepStrictEqual(Object.fromEntries(served), Object.fromEntries(declared))
  })

  it("is no tool of MCP and no mutation, whose answers are kept", () => {
    const tools = toolsOf(declaredOperations(capabilities))
    const fields = unservedSchema().getMutationType()!.getFields()
    for (const name of Object.keys(operatorOperations)) {
      assert.isFalse(tools.has(name), name)
      assert.notProperty(fields, name)
    }
  })
})

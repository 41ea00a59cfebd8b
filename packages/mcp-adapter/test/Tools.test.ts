/** The tools are the declared operations, and say of them what the declarations say (D16.3). */
import type * as Operation from "@dockline/core/access/Operation"
import { declaredOperations } from "@dockline/core/capability/DeclaredOperations"
import { defaultRules, schema } from "@dockline/core/document/DocumentInput"
import { capabilities } from "@dockline/server/Capabilities"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Result } from "effect"
import { assert, describe, it } from "vitest"
import { offeredTo, toolsOf } from "../src/Tools.ts"

const operations = declaredOperations(capabilities)

const declarations: ReadonlyArray<Operation.Any> = Object.values(operations)

const tools = toolsOf(operations)

const descriptorOf = (name: string) => tools.get(name)!.descriptor

const propertiesOf = (name: string) =>
  Object.entries(descriptorOf(name).inputSchema.properties ?? {}) as ReadonlyArray<
    readonly [string, { readonly description?: string }]
  >

describe("the tools", () => {
  it("are the declared operations", () => {
    assert.deepStrictEqual(Array.from(tools.keys()), declarations.map(({ name }) => name))
    for (const { description, name, summary } of declarations) {
      const { description: text, title } = descriptorOf(name)
      assert.deepStrictEqual([title, text], [summary, description])
    }
  })

  it("take what the operations take, each with a description, under names that are told apart", () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false })
    for (const operation of declarations) {
      const { inputSchema } = descriptorOf(operation.name)
      assert.isFunction(ajv.compile(inputSchema), operation.name)
      const names = propertiesOf(operation.name).map(([name]) => name)
      const others = operation.kind === "list"
        ? [...Object.keys(operation.filters), "limit", "after"]
        : operation.kind === "write"
        ? Object.keys((operation.body as unknown as { readonly fields: object }).fields)
        : operation.kind === "upload"
        ? Object.keys(schema(defaultRules).fields)
        : []
      assert.deepStrictEqual(names, [...Object.keys(operation.params), ...others], operation.name)
      assert.lengthOf(new Set(names), names.length)
      for (const [name, { description }] of propertiesOf(operation.name)) {
        assert.isNotEmpty(description, `${operation.name} ${name}`)
      }
    }
  })

  it("of lists refuse the limits that REST refuses, and take an empty one for none", () => {
    const lists = declarations.filter(({ kind }) => kind === "list")
    assert.isNotEmpty(lists)
    for (const { name, params } of lists) {
      const ids = Object.fromEntries(Object.keys(params).map((param) => [param, "1"]))
      const tool = tools.get(name)
      assert(tool !== undefined && "read" in tool)
      const faultsOf = (limit: unknown) =>
        Result.match(tool.read({ ...ids, limit }), {
          onFailure: ({ message }) => message.includes("limit: must be a whole number from 1 to 100"),
          onSuccess: () => false
        })
      assert.deepStrictEqual([0, 101, 500, 1.5].map(faultsOf), [true, true, true, true], name)
      assert.deepStrictEqual([1, 100, "", undefined].map(faultsOf), [false, false, false, false], name)
      const { limit } = descriptorOf(name).inputSchema.properties as Readonly<Record<string, object>>
      assert.include(limit, { minimum: 1, maximum: 100 })
    }
  })

  it("say which of them only read, which end something, and which may be repeated", () => {
    for (const { kind, name } of declarations) {
      assert.strictEqual(
        descriptorOf(name).annotations?.readOnlyHint,
        kind === "read" || kind === "list",
        name
      )
    }
    assert.include(descriptorOf("arriveShipment").annotations, {
      destructiveHint: false,
      idempotentHint: true
    })
    assert.include(descriptorOf("cancelShipment").annotations, {
      destructiveHint: true,
      idempotentHint: true
    })
  })

  it("are all told to a client that may do everything, and those that read to any", () => {
    const namesFor = (permissions: ReadonlyArray<"documents:write" | "pallets:write" | "shipments:write">) =>
      offeredTo(tools, { clientId: "any", grants: [{ business: "acme", facilities: ["east"], permissions }] })
        .map(({ name }) => name)
    assert.deepStrictEqual(
      namesFor(["documents:write", "pallets:write", "shipments:write"]),
      declarations.map(({ name }) => name)
    )
    assert.deepStrictEqual(
      namesFor([]),
      declarations.flatMap(({ kind, name }) => kind === "read" || kind === "list" ? [name] : [])
    )
  })

  it("fit into the context of a model: less than 48 KiB", () => {
    const text = JSON.stringify(Array.from(tools.values(), ({ descriptor }) => descriptor))
    assert.isBelow(text.length, 48 * 1024)
  })
})

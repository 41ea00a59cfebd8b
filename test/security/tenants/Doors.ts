/**
 * Calls operations over each interface: the requests derive from their declarations, and those of GraphQL from its schema, with all fields
 * that can be selected.
 */
import type * as Operation from "@dockline/core/access/Operation"
import { Effect } from "effect"
import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument
} from "graphql"
import type {
  GraphQLField,
  GraphQLInputType,
  GraphQLObjectType,
  GraphQLOutputType,
  GraphQLSchema
} from "graphql"
import { assert } from "vitest"
import type { Reply } from "../../http/Wire.ts"
import { TestServer } from "../../support/TestServer.ts"
import type { RequestOptions } from "../../support/TestServer.ts"
import type { Given, Method } from "./Asked.ts"
import { operations } from "./Asked.ts"

/** The request of an operation over REST. */
export const requestOf = (method: Method, given: Given) => {
  const { kind, params, rest }: Operation.Any = operations[method]
  const [verb = "", pattern = ""] = rest.split(" ")
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => String(given[name]))
  const others = Object.entries(given).filter(([name]) => !(name in params))
  const query = new URLSearchParams(others.map(([name, value]) => [name, String(value)]))
  return kind === "write" || kind === "upload"
    ? { verb, path, body: JSON.stringify(Object.fromEntries(others)) }
    : { verb, path: others.length === 0 ? path : `${path}?${query}`, body: undefined }
}

/** Calls an operation over REST. */
export const rest = Effect.fnUntraced(
  function*(
    method: Method,
    given: Given,
    as: RequestOptions,
    headers: Readonly<Record<string, string>> = {}
  ) {
    const { request } = yield* TestServer
    const { body, path, verb } = requestOf(method, given)
    return yield* request(verb, path, {
      ...as,
      headers: { "content-type": "application/json", ...as.headers, ...headers },
      ...body === undefined ? {} : { body }
    })
  }
)

/** The code of a refusal over REST. */
export const codeOf = ({ body, status }: Reply): string | undefined =>
  status < 400 ? undefined : (body as { readonly code?: string }).code

/** Calls an operation over MCP: returns the structured answer, and its whole text. */
export const mcp = Effect.fnUntraced(function*(method: Method, given: Given, as: RequestOptions) {
  const { port } = yield* TestServer
  const { name } = operations[method]
  const response = yield* Effect.promise(() =>
    fetch(`http://127.0.0.1:${port}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...as.headers
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: given }
      })
    })
  )
  assert.strictEqual(response.headers.get("cache-control"), "no-store", name)
  const text = yield* Effect.promise(() => response.text())
  const { result } = JSON.parse(text) as { readonly result: { readonly structuredContent: unknown } }
  return { text, told: result.structuredContent }
})

/** The fields of a shipment that are lists of their own. */
const joined: { readonly [Name in Method]?: string } = {
  items: "items",
  discrepancies: "discrepancies",
  shipmentPallets: "pallets",
  shipmentExceptions: "exceptions"
}

/** Names in GraphQL that differ from those of the operations. */
const renamed: { readonly [Name in Method]?: Readonly<Record<string, string>> } = {
  pallet: { id: "shipmentId", palletId: "id" },
  messages: { business: "businessSlug", facility: "facilitySlug" }
}

type Field = GraphQLField<unknown, unknown>

/** The text of an operation of GraphQL. */
export const documentOf = (schema: GraphQLSchema, method: Method, given: Given): string => {
  const { kind, name }: Operation.Any = operations[method]
  const query = schema.getQueryType()!.getFields()
  const names = renamed[method] ?? {}
  const values = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [names[name] ?? (name === "limit" ? "first" : name), value])
  )
  const beneath = joined[method]
  if (beneath !== undefined) {
    const { id, ...rest } = values
    const shipment = query["shipment"]!.type as GraphQLObjectType
    return `{ shipment(id: ${id}) { ${callOf(shipment.getFields()[beneath]!, rest)} } }`
  }
  if (method === "messages") {
    const input = { since: "2020-01-01T00:00:00Z", ...values }
    return `{ ${callOf(query["pushMessages"]!, { input })} }`
  }
  if (kind === "read" || kind === "list") return `{ ${callOf(query[method]!, values)} }`
  const { id, ...rest } = values
  const input = id === undefined ? rest : { shipmentId: id, ...rest }
  return `mutation { ${callOf(schema.getMutationType()!.getFields()[name]!, { input })} }`
}

const callOf = (field: Field, values: Given): string => {
  const given = field.args.flatMap(({ name, type }) =>
    values[name] === undefined ? [] : [`${name}: ${literal(type, values[name])}`]
  )
  return `${field.name}${given.length === 0 ? "" : `(${given.join(", ")})`} ${selectionOf(field.type, 4)}`
}

const literal = (given: GraphQLInputType, value: unknown): string => {
  const type = getNullableType(given)
  if (isListType(type)) {
    return `[${(value as ReadonlyArray<unknown>).map((each) => literal(type.ofType, each)).join(", ")}]`
  }
  if (isInputObjectType(type)) {
    const fields = type.getFields()
    return `{ ${
      Object.entries(value as Given).flatMap(([name, each]) =>
        fields[name] === undefined ? [] : [`${name}: ${literal(fields[name].type, each)}`]
      ).join(", ")
    } }`
  }
  if (type.name === "String" || type.name === "DateTime") return JSON.stringify(String(value))
  return String(value)
}

/** Every field, some levels deep, that takes no arguments, or, at the top, no required ones. */
const selectionOf = (given: GraphQLOutputType, levels: number): string => {
  const type = getNamedType(given)
  if (isLeafType(type) || !isObjectType(type)) return ""
  const fields = Object.values(type.getFields()).flatMap((field) => {
    const isLeaf = isLeafType(getNamedType(field.type))
    if (field.args.some(isRequiredArgument) || field.args.length > 0 || field.name === "edges") return []
    return isLeaf
      ? [field.name]
      : levels === 0
      ? []
      : [`${field.name} ${selectionOf(field.type, levels - 1)}`]
  })
  return `{ ${fields.join(" ")} }`
}

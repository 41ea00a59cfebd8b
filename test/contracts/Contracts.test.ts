/**
 * The contracts as last committed, in this folder: the parts of REST on which clients depend, and the schema of GraphQL. A change that
 * breaks one fails here, with a description of the break; any other change requires writing the contracts anew:
 *
 *   UPDATE_CONTRACTS=1 npx vitest run test/contracts
 */
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import { withParts } from "@dockline/http-adapter/api/Parts"
import { openApiOf } from "@dockline/http-adapter/openapi/OpenApiDocument"
import { isObject, membersOf } from "@dockline/http-adapter/openapi/OpenApiSchemas"
import type { Json, JsonObject } from "@dockline/http-adapter/openapi/OpenApiSchemas"
import * as ReferenceRoutes from "@dockline/http-adapter/reference/ReferenceRoutes"
import { capabilities, restParts } from "@dockline/server/Capabilities"
import { buildSchema, findBreakingChanges, lexicographicSortSchema, printSchema } from "graphql"
import { readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { parse } from "yaml"
import { breaksOf } from "./OpenApiBreaks.ts"
import { unservedSchema } from "./UnservedSchema.ts"

const openApiFile = new URL("openapi.yaml", import.meta.url)
const schemaFile = new URL("schema.graphql", import.meta.url)
const isUpdate = process.env["UPDATE_CONTRACTS"] === "1"
const remedy = "run UPDATE_CONTRACTS=1 npx vitest run test/contracts, and look at what it changes"

/** Parts without a guarantee: texts and examples, and the names of headers, which are in the descriptions of WIRE.md. */
const notPromised = new Set([
  "description",
  "summary",
  "examples",
  "example",
  "info",
  "servers",
  "tags",
  "headers",
  "title"
])

const promised = (value: Json, isNames = false): Json => {
  if (Array.isArray(value)) return value.map((entry: Json) => promised(entry))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).filter(([key]) => isNames || !notPromised.has(key)).map(([key, member]) => [
      key,
      promised(member, key === "properties" || key === "schemas")
    ])
  )
}

/** The same value with sorted names: the order of declarations is not guaranteed. */
const sorted = (value: Json): Json => {
  if (Array.isArray(value)) return value.map((entry: Json) => sorted(entry))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).sort(([one], [other]) => one < other ? -1 : 1).map((
      [key, member]
    ) => [key, sorted(member)])
  )
}

/** Sorts the names of required fields and the words of an enum: a capability adds its own after those of the contract. */
const unordered = (key: string, value: unknown): unknown =>
  (key === "required" || key === "enum") && Array.isArray(value) ? value.toSorted() : value

const openApi = sorted(
  promised(openApiOf(DocumentInput.defaultRules, true, withParts(capabilities, restParts)))
) as JsonObject

const schema = lexicographicSortSchema(unservedSchema())

if (isUpdate) {
  writeFileSync(openApiFile, ReferenceRoutes.write(openApi))
  writeFileSync(schemaFile, `${printSchema(schema)}\n`)
}

describe("REST", () => {
  const committed = parse(readFileSync(openApiFile, "utf8")) as JsonObject

  it("breaks nothing that clients of the committed contract depend on", () => {
    assert.deepStrictEqual(breaksOf(committed, openApi), [], remedy)
  })

  it("is committed as it is", () => {
    assert.isTrue(
      JSON.stringify(committed, unordered) === JSON.stringify(openApi, unordered),
      `openapi.yaml is not of this version: ${remedy}`
    )
  })
})

describe("GraphQL", () => {
  const committed = readFileSync(schemaFile, "utf8")

  it("breaks nothing that clients of the committed contract depend on", () => {
    const changes = findBreakingChanges(buildSchema(committed), schema)
    assert.deepStrictEqual(changes.map(({ description }) => description), [], remedy)
  })

  it("is committed as it is", () => {
    assert.isTrue(
      committed === `${printSchema(schema)}\n`,
      `schema.graphql is not of this version: ${remedy}`
    )
  })
})

describe("what breaks", () => {
  const at = (path: ReadonlyArray<string>, change: (members: Record<string, Json>) => void): JsonObject => {
    const copy = structuredClone(openApi) as JsonObject
    const found = path.reduce<Json | undefined>((value, key) => membersOf(value)[key], copy)
    assert.isTrue(isObject(found), path.join(" "))
    change(found as Record<string, Json>)
    return copy
  }
  const schemas = ["components", "schemas"]
  const item = [...schemas, "DocumentItem"]
  const submit = ["paths", "/v1/documents", "post"]

  const cases: ReadonlyArray<readonly [name: string, after: JsonObject, said: string | undefined]> = [
    ["nothing", openApi, undefined],
    ["an operation", at(["paths", "/v1/orders"], (path) => delete path["get"]), "GET /v1/orders is gone"],
    [
      "a word that clients send",
      at([...item, "properties", "quantityUnit"], (unit) => unit["enum"] = ["PALLET", "CASE", ""]),
      "POST /v1/documents: items[].quantityUnit no longer takes UNIT"
    ],
    [
      "a new word that clients send",
      at(
        [...item, "properties", "quantityUnit"],
        (unit) => unit["enum"] = [...unit["enum"] as Array<Json>, "BOX"]
      ),
      undefined
    ],
    [
      "a field that clients send",
      at([...item, "properties"], (fields) => delete fields["lot"]),
      "POST /v1/documents: items[].lot is no longer taken"
    ],
    [
      "a field that becomes required",
      at(item, (schema) => schema["required"] = ["lot"]),
      "POST /v1/documents: items[].lot is now required"
    ],
    [
      "a new field that clients may send",
      at([...item, "properties"], (fields) => fields["new"] = { type: "string" }),
      undefined
    ],
    [
      "a length",
      at([...item, "properties", "lpn"], (lpn) => lpn["maxLength"] = 8),
      "POST /v1/documents: items[].lpn has a maxLength of 8, and had 1024"
    ],
    [
      "a field that clients read",
      at([...schemas, "Shipment", "properties"], (fields) => delete fields["progress"]),
      "GET /v1/shipments/{id} (200): progress is gone"
    ],
    [
      "a type that clients read",
      at([...schemas, "Shipment", "properties"], (fields) => fields["id"] = { type: "string" }),
      "GET /v1/shipments/{id} (200): id was integer, and is string"
    ],
    [
      "a parameter",
      at(["paths", "/v1/orders", "get"], (get) => get["parameters"] = []),
      "GET /v1/orders no longer takes the parameter orderNumber"
    ],
    [
      "a media type",
      at([...submit, "requestBody", "content"], (types) => delete types["application/xml"]),
      "POST /v1/documents no longer takes application/xml"
    ],
    [
      "a success",
      at([...submit, "responses"], (statuses) => delete statuses["201"]),
      "POST /v1/documents no longer answers 201"
    ],
    [
      "a field of a webhook",
      at([
        "webhooks",
        "PALLET_EVENT",
        "post",
        "requestBody",
        "content",
        "application/json",
        "schema",
        "properties"
      ], (fields) => delete fields["dockId"]),
      "The webhook PALLET_EVENT: dockId is gone"
    ]
  ]

  for (const [name, after, said] of cases) {
    it(`says in words: ${name}`, () => {
      const breaks = breaksOf(openApi, after)
      if (said === undefined) assert.deepStrictEqual(breaks, [])
      else assert.include(breaks, said)
    })
  }
})

/** The OpenAPI document: what a linter, a validator and the service itself say about it. */
import type { AnyOfOperators } from "@dockline/core/access/Operation"
import { operationsOf } from "@dockline/core/capability/Capability"
import { declaredOfOperators } from "@dockline/core/capability/DeclaredOperations"
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import * as Shape from "@dockline/core/input/Shape"
import { documentExamples } from "@dockline/core/operations/OperationExamples"
import { operatorOperations } from "@dockline/core/operator/OperatorOperations"
import * as Errors from "@dockline/core/values/Errors"
import { capabilities, restParts } from "@dockline/server/Capabilities"
import * as Problem from "@dockline/wire/Problem"
import { assert, describe, it } from "@effect/vitest"
import addFormats from "ajv-formats"
import { Ajv2020 } from "ajv/dist/2020.js"
import type { ValidateFunction } from "ajv/dist/2020.js"
import { Result, SchemaAST } from "effect"
import { globSync } from "node:fs"
import { withParts } from "../../src/api/Parts.ts"
import * as XmlBody from "../../src/body/XmlBody.ts"
import { toValue } from "../../src/body/XmlShape.ts"
import { forReaders, openApiOf } from "../../src/openapi/OpenApiDocument.ts"
import { clean, isObject, membersOf } from "../../src/openapi/OpenApiSchemas.ts"
import type { Json, JsonObject } from "../../src/openapi/OpenApiSchemas.ts"

const document = openApiOf(DocumentInput.defaultRules, true, withParts(capabilities, restParts))

/** The member at a path. */
const at = (value: Json | undefined, ...path: ReadonlyArray<string>): Json | undefined =>
  path.reduce<Json | undefined>((value, key) => membersOf(value)[key], value)

const operations = Object.entries(membersOf(document["paths"])).flatMap(([path, methods]) =>
  Object.entries(membersOf(methods)).map(([method, operation]) => ({
    id: String(at(operation, "operationId")),
    name: `${method.toUpperCase()} ${path}`,
    operation: membersOf(operation)
  }))
)

const submit = operations.find(({ id }) => id === "submitDocument")!.operation

const statusesOf = (operation: JsonObject): ReadonlyArray<number> =>
  Object.keys(membersOf(operation["responses"])).map(Number).sort()

/** The codes of the examples of a response. */
const codesAt = (operation: JsonObject, status: number): ReadonlyArray<string> =>
  Object.keys(
    membersOf(at(operation, "responses", String(status), "content", "application/problem+json", "examples"))
  )

const codesOf = (operation: JsonObject): ReadonlyArray<string> =>
  statusesOf(operation).flatMap((status) => codesAt(operation, status))

describe("operations", () => {
  it("declare every error of core's catalogue that REST can answer with", async () => {
    const modules = globSync("../../../core/src/*/*Errors.ts", { cwd: import.meta.dirname })
    const values = await Promise.all(
      modules.map(async (path): Promise<ReadonlyArray<unknown>> => Object.values(await import(path)))
    )
    const rows = [
      ...new Set(
        values.flat().flatMap((value) =>
          typeof value === "function" && "code" in value ? [String(value.code)] : []
        )
      )
    ]
    const elsewhere = [
      // GraphQL and its sockets
      "TOO_MANY_MESSAGES",
      "CONSUMER_TOO_SLOW",
      "ANSWER_TOO_LARGE",
      "OPERATION_TOO_COSTLY",
      "OPERATION_TOO_SLOW",
      "NOT_ACCEPTABLE",
      "WEBSOCKET_VERSION",
      "SUBPROTOCOL_NOT_SUPPORTED",
      // the log of the dispatcher
      "SECRET_UNREADABLE",
      // where there is no operation
      "RESOURCE_NOT_FOUND",
      "NOT_IMPLEMENTED"
    ]
    const declaredCodes = new Set(operations.flatMap(({ operation }) => codesOf(operation)))
    assert.deepStrictEqual(rows.filter((code) => !declaredCodes.has(code)).sort(), elsewhere.sort())
  })

  it("say what they do as a title and in sentences, and where to ask about them", () => {
    for (const { id, operation } of operations) {
      assert.match(String(operation["summary"]), /^[A-Z].*[^.]$/, id)
      assert.match(String(operation["description"]), /^[A-Z].*\.$/s, id)
    }
    assert.match(String(at(document, "info", "contact", "url")), /^https:/)
  })

  it("say of every status when it occurs, and answer with a correlation id", () => {
    for (const { name, operation } of operations) {
      for (const status of statusesOf(operation)) {
        const response = at(operation, "responses", String(status))
        assert.match(String(at(response, "description")), / .*\.$/s, `${name} ${status}`)
        assert.isDefined(at(response, "headers", "Correlation-Id"), `${name} ${status}`)
        for (const code of codesAt(operation, status)) {
          assert.include(String(at(response, "description")), `\`${code}\``)
        }
      }
    }
  })

  it("say what a client may still send wherever its requests count, and when it may go on", () => {
    for (const { id, operation } of operations) {
      const counts = JSON.stringify(operation["security"]) === `[{"bearer":[]}]`
      for (const status of statusesOf(operation)) {
        const headers = membersOf(at(operation, "responses", String(status), "headers"))
        const saysLimit = counts && ![401, 405, 408, 421, 431].includes(status)
        assert.strictEqual(
          "RateLimit" in headers && "RateLimit-Policy" in headers,
          saysLimit,
          `${id} ${status}`
        )
        assert.strictEqual("Retry-After" in headers, [429, 503].includes(status), `${id} ${status}`)
      }
      if (!counts) continue
      assert.include(statusesOf(operation), 429, id)
      assert.isDefined(at(operation, "responses", "401", "headers", "WWW-Authenticate"), id)
    }
  })

  it("of operators whose answers hold a secret are not to be kept", () => {
    const secret = operations.filter(({ operation }) =>
      /clientSecret|signingSecret"|CreatedWebhookEndpoint|CreatedClient/.test(
        JSON.stringify(membersOf(operation["responses"]))
      )
    )
    assert.deepStrictEqual(secret.map(({ id }) => id), [
      "createClient",
      "createSecret",
      "createWebhookEndpoint",
      "rotateSigningSecret"
    ])
    for (const { operation } of secret) {
      const success = String(statusesOf(operation)[0])
      assert.isDefined(at(operation, "responses", success, "headers", "Cache-Control"))
    }
  })

  it("say what each parameter is", () => {
    const parameters = operations.flatMap(({ operation }) =>
      operation["parameters"] as ReadonlyArray<JsonObject>
    )
    for (const parameter of parameters) assert.isString(parameter["description"], String(parameter["name"]))
  })
})

/** What writes of the operations of capabilities. */
const writesOfCapabilities = new Set(
  Object.values(operationsOf(capabilities)).filter(({ kind }) => kind === "write").map(({ name }) => name)
)

describe("bodies", () => {
  it("are repeatable under a key where they write, and their answers say so", () => {
    for (const { id, operation } of operations) {
      const names = (operation["parameters"] as ReadonlyArray<JsonObject>).map(({ name }) => name)
      const writes = names.includes("Idempotency-Key")
      assert.strictEqual(
        writes,
        /^(submit|record|arrive|depart|checkIn|link|cancel|upsert)/.test(id) || writesOfCapabilities.has(id),
        id
      )
      const replayed = statusesOf(operation).filter((status) =>
        at(operation, "responses", String(status), "headers", "Idempotency-Replayed") !== undefined
      )
      const statuses = statusesOf(operation).filter((status) =>
        status < 500 && ![401, 405, 408, 413, 415, 421, 429, 431].includes(status)
      )
      assert.deepStrictEqual(replayed, writes ? statuses : [], id)
    }
  })
})

describe("answers", () => {
  it("are in CSV too where they are lists, with a line for each entry of the example", () => {
    const lists = operations.filter(({ id }) => id.startsWith("list") && id !== "listKeys")
    for (const { id, operation } of lists) {
      const content = at(operation, "responses", "200", "content")
      const value = (type: string) => at(content, type, "examples", "example", "value")
      const { items } = membersOf(value("application/json")) as { readonly items: ReadonlyArray<Json> }
      const lines = String(value("text/csv")).match(/^(?:"(?:[^"]|"")*"|[^"\r])*\r\n/gm) ?? []
      assert.strictEqual(lines.length, items.length + 1, id)
      assert.isDefined(at(operation, "responses", "200", "headers", "Link"), id)
    }
  })
})

describe("schemas", () => {
  it("say what each of their properties is", () => {
    const silent: Array<string> = []
    let count = 0
    const says = (schema: Json): boolean =>
      isObject(schema) &&
      ("description" in schema || "$ref" in schema ||
        Array.isArray(schema["allOf"]) && schema["allOf"].some(says))
    const visit = (value: Json, path: string): void => {
      if (Array.isArray(value)) return value.forEach((entry: Json, index) => visit(entry, `${path}/${index}`))
      if (!isObject(value)) return
      for (const [name, schema] of Object.entries(isObject(value["properties"]) ? value["properties"] : {})) {
        count += 1
        if (!says(schema)) silent.push(`${path}.${name}`)
      }
      for (const [key, member] of Object.entries(value)) visit(member, `${path}/${key}`)
    }
    visit(at(document, "components", "schemas")!, "")
    assert.isAbove(count, 400)
    assert.deepStrictEqual(silent, [])
  })

  it("that differ are kept apart", () => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    const cleanDocument = clean({
      paths: { "/": { a: ref("A_1"), b: ref("B_1"), c: ref("C_1") } },
      components: {
        schemas: {
          A: { type: "object", properties: { b: ref("B") } },
          A_1: { type: "object", properties: { b: ref("B_1") } },
          B: { type: "string" },
          B_1: { anyOf: [{ type: "string" }] },
          C: { type: "string" },
          C_1: { type: "number" }
        }
      }
    })
    assert.deepStrictEqual(Object.keys(membersOf(at(cleanDocument, "components", "schemas"))), [
      "A",
      "B",
      "C",
      "C_1"
    ])
    assert.deepStrictEqual(at(cleanDocument, "paths", "/"), { a: ref("A"), b: ref("B"), c: ref("C_1") })
  })
})

describe("examples", () => {
  const read = DocumentInput.reader()
  const shape = Shape.objectOf(DocumentInput.schema(DocumentInput.defaultRules))
  const types = ["application/json", "application/xml"]

  it("of documents are accepted by the reader, and mean in XML what they mean in JSON", () => {
    types.forEach((type, index) => {
      for (const [name, { document: json }] of Object.entries(documentExamples(index + 1))) {
        const expected = Result.getOrThrow(read(json))
        const value = at(submit, "requestBody", "content", type, "examples", name, "value")
        const body = type === "application/json" ? value : Result.getOrThrow(
          Result.flatMap(
            XmlBody.parse(new TextEncoder().encode(String(value)), undefined),
            (root) => toValue(root, shape)
          )
        )
        assert.deepStrictEqual(Result.getOrThrow(read(body)), expected, `${type} ${name}`)
        if (type !== "application/json") {
          assert.match(String(value), /^<\?xml [^>]*\?>\n<Document>\n {2}<business>/)
        }
      }
    })
  })

  it("of operators' requests are there for each that has a body, and accepted by its reader", () => {
    const operating = operations.filter(({ name }) => name.includes("/v1/operator/"))
    const withRequestBody = operating.filter(({ operation }) => "requestBody" in operation)
    const declarations: Readonly<Record<string, AnyOfOperators>> = {
      ...operatorOperations,
      ...declaredOfOperators(capabilities)
    }
    const readers = Object.entries(declarations).flatMap(([id, operation]) =>
      operation.kind === "write" && operation.read !== undefined ? [[id, operation.read] as const] : []
    )
    assert.deepStrictEqual(withRequestBody.map(({ id }) => id).sort(), readers.map(([id]) => id).sort())
    for (const [id, read] of readers) {
      const { operation } = withRequestBody.find((each) => each.id === id)!
      const examples = membersOf(at(operation, "requestBody", "content", "application/json", "examples"))
      assert.isNotEmpty(examples, id)
      for (const [name, example] of Object.entries(examples)) {
        assert.isTrue(Result.isSuccess(read(at(example, "value"))), `${id} ${name}`)
      }
    }
    // Only a success that says nothing has no example.
    const silent = operating.filter(({ operation }) => {
      const status = String(statusesOf(operation).find((each) => each < 300))
      return at(operation, "responses", status, "content", "application/json", "examples") === undefined
    })
    const ofCapabilities = Object.entries(declaredOfOperators(capabilities)).flatMap(([id, operation]) =>
      operation.kind === "write" && SchemaAST.isVoid(operation.view.ast) ? [id] : []
    )
    assert.deepStrictEqual(
      silent.map(({ id }) => id).sort(),
      ["deleteSecret", "deleteWebhookEndpoint", "removePerson", "replayDelivery", ...ofCapabilities].sort()
    )
  })

  it("of every body in JSON are valid by its schema", () => {
    const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
    ajv.addSchema({ $id: "openapi", components: document["components"] })
    const validators = new Map<string, ValidateFunction>()
    const validatorOf = (schema: Json): ValidateFunction => {
      const text = JSON.stringify(schema).replaceAll(`"#/`, `"openapi#/`)
      const validate = validators.get(text) ?? ajv.compile(JSON.parse(text) as JsonObject)
      validators.set(text, validate)
      return validate
    }
    let count = 0
    const visit = (value: Json, path: string): void => {
      if (Array.isArray(value)) return value.forEach((entry: Json, index) => visit(entry, `${path}/${index}`))
      if (!isObject(value)) return
      const { schema, examples } = value
      if (isObject(schema) && isObject(examples)) {
        const validate = validatorOf(schema)
        for (const [name, example] of Object.entries(examples)) {
          assert.isTrue(validate(at(example, "value")), `${path} ${name}: ${ajv.errorsText(validate.errors)}`)
          count += 1
        }
      }
      for (const [key, member] of Object.entries(value)) visit(member, `${path}/${key}`)
    }
    visit(document["paths"]!, "")
    assert.isAbove(count, 60)
  })

  it("of documents that are refused are refused so by the reader", () => {
    const { items, ...document } = documentExamples(1)["overwrite"]!.document
    const [item] = items!
    const problems = [
      { ...document, orderNumbr: "SO-1001", items: [{ ...item, quantity: "48" }] },
      {
        ...document,
        direction: "SIDEWAYS",
        items: [{ lpn: item!.lpn, quantity: -1, quantityUnit: "CASE" }]
      }
    ].map((input) => Result.match(read(input), { onFailure: Problem.problemOf, onSuccess: () => undefined }))
    assert.deepStrictEqual(
      problems,
      [Errors.MalformedDocument, Errors.InvalidDocument].map((error) => Problem.problemOf(error.example()))
    )
  })
})

describe("a service's own address", () => {
  it("is in the audience of the token example, and its path is the server", () => {
    const own = forReaders(document, "https://logistics.example/dockline", Date.now()) as JsonObject
    assert.deepStrictEqual(own["servers"], [{ url: "/dockline", description: "This service" }])
    const content = at(own, "paths", "/oauth/token", "post", "requestBody", "content", "application/json")
    assert.strictEqual(
      at(content, "examples", "demo", "value", "audience"),
      "https://logistics.example/dockline/public_graphql"
    )
    const tokens = (of: JsonObject) =>
      at(of, "components", "securitySchemes", "clientCredentials", "flows", "clientCredentials", "tokenUrl")
    assert.strictEqual(tokens(own), "/dockline/oauth/token")
    assert.strictEqual(tokens(document), "/oauth/token")
    assert.deepStrictEqual(document["servers"], [{ url: "/", description: "This service" }])
    assert.notInclude(JSON.stringify(own), "localhost")
  })
})

describe("D20.1 the document of a service without a capability", () => {
  it("names none in its texts, where it has none at all", () => {
    const text = JSON.stringify(openApiOf(DocumentInput.defaultRules, true, withParts([], restParts)))
    const matches = Array.from(
      text.matchAll(/.{40}(?:\b(?:EDI|X12|Kargo|SKU master|exceptions?|handover)\b).{40}/gi),
      ([place]) => place
    )
    assert.deepStrictEqual(matches, [])
  })

  it("has none of its operations", () => {
    for (const { name } of capabilities) {
      const rest = withParts(capabilities.filter((each) => each.name !== name), restParts)
      const { paths } = openApiOf(DocumentInput.defaultRules, true, rest)
      const there = Object.values(membersOf(paths)).flatMap((methods) =>
        Object.values(membersOf(methods)).map((operation) => String(at(operation, "operationId")))
      )
      const remaining = capabilities.filter((each) => each.name === name)
      const own = new Set([
        ...remaining.flatMap(({ operations }) => Object.values<{ readonly name: string }>(operations)).map((
          each
        ) => each.name),
        ...Object.keys(declaredOfOperators(remaining)),
        ...restParts.filter((part) => [part.name, ...part.needs ?? []].includes(name)).flatMap((
          { answers }
        ) => Object.keys(answers))
      ])
      assert.deepStrictEqual(there.filter((id) => own.has(id)), [])
      assert.sameMembers(there, operations.map(({ id }) => id).filter((id) => !own.has(id)))
    }
  })
})

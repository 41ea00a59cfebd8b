/** The examples of the OpenAPI document, sent unchanged to a service with the demo data. */
import * as DemoData from "@dockline/server/lifecycle/DemoData"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { vi } from "vitest"
import * as Service from "./MemoryService.ts"

interface Operation {
  readonly requestBody: {
    readonly content: Record<string, { readonly examples: Record<string, { readonly value: unknown }> }>
  }
  readonly responses: Record<string, {
    readonly headers: Record<string, { readonly $ref: string }>
    readonly content: Record<string, {
      readonly schema: { readonly $ref: string } | { readonly type: string }
      readonly examples: Record<string, { readonly value: unknown }>
    }>
  }>
}

interface OpenApiDocument {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: { readonly headers: Record<string, { readonly required?: boolean }> }
}

let service: Service.Service
let document: OpenApiDocument
let token: string
let ajv: Ajv2020

const submit = (): Operation => document.paths["/v1/documents"]!["post"]!

const send = (type: string, value: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${service.url}/v1/documents`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": type, ...headers },
    body: typeof value === "string" ? value : JSON.stringify(value)
  })

/** Requests a token with the example of the document; a token of one service is not valid at another. */
const fetchToken = async (credentials: object = {}): Promise<string> => {
  const { demo } = document.paths["/oauth/token"]!["post"]!.requestBody.content["application/json"]!.examples
  const response = await fetch(`${service.url}/oauth/token`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...demo!.value as object, ...credentials })
  })
  const { access_token: token } = await response.json() as { readonly access_token: string }
  return token
}

const xml = "application/xml"

/** Every example of each media type, in the order of the document. XML is described as one type, and served as two. */
const examples = (typeOfXml = xml): ReadonlyArray<readonly [type: string, name: string, value: unknown]> =>
  Object.entries(submit().requestBody.content).flatMap(([type, { examples }]) =>
    Object.entries(examples).map(([name, { value }]) =>
      [type === xml ? typeOfXml : type, name, value] as const
    )
  )

/** Sends all of them and returns those that were refused. */
const refused = async (all: ReturnType<typeof examples>): Promise<ReadonlyArray<string>> => {
  const refusals: Array<string> = []
  for (const [type, name, value] of all) {
    const response = await send(type, value)
    const text = await response.text()
    if (!response.ok) refusals.push(`${type} ${name}: ${response.status} ${text}`)
  }
  return refusals
}

/** The faults of an answer by the OpenAPI document. */
const faults = async (response: Response): Promise<ReadonlyArray<string>> => {
  const declared = submit().responses[String(response.status)]
  if (declared === undefined) return [`status ${response.status}`]
  const required = Object.entries(declared.headers).filter(([, { $ref }]) =>
    document.components.headers[$ref.replace(/^.*\//, "")]?.required === true
  )
  const missing = required.map(([name]) => name).filter((name) => !response.headers.has(name))
  const type = response.headers.get("content-type")!.replace(/;.*$/, "")
  const content = declared.content[type === "text/xml" ? xml : type]
  if (content === undefined) return [...missing, type]
  const text = await response.text()
  const value: unknown = type.endsWith("json") ? JSON.parse(text) : text
  const { schema } = content
  return ajv.validate("$ref" in schema ? { $ref: `openapi${schema.$ref}` } : schema, value)
    ? missing
    : [...missing, ajv.errorsText()]
}

describe("the examples of the reference", () => {
  beforeEach(async () => {
    service = await Service.start()
    document = await (await fetch(`${service.url}/v1/openapi.json`)).json() as OpenApiDocument
    ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
    ajv.addSchema({ ...document, $id: "openapi" })
    token = await fetchToken()
  })

  afterEach(() => service.stop())

  it("are all taken, one media type after the other, again and again", async () => {
    assert.lengthOf(examples(), 20)
    assert.deepStrictEqual(await refused(examples()), [])
    assert.deepStrictEqual(await refused(examples("text/xml")), [])
  })

  it("are all taken, each in one media type after the other", async () => {
    const byName = Map.groupBy(examples(), ([, name]) => name)
    assert.deepStrictEqual(await refused(Array.from(byName.values()).flat()), [])
  })

  it("are all taken by a service that knows nothing before", async () => {
    const names = new Set(examples().map(([, name]) => name))
    for (const name of names) {
      await service.stop()
      service = await Service.start()
      token = await fetchToken()
      assert.deepStrictEqual(await refused(examples().filter(([, each]) => each === name)), [])
    }
  })

  it("have times that are taken on the day on which they are read (D21.2)", async () => {
    const examplesOf = (path: string) =>
      Object.values(document.paths[path]!["post"]!.requestBody.content["application/json"]!.examples)
        .map(({ value }) => value).filter((value) => JSON.stringify(value).includes("occurredAt"))
    const steps = [
      "/v1/shipments/{id}/check-in",
      "/v1/shipments/{id}/arrive",
      "/v1/pallet-events",
      "/v1/shipments/{id}/depart"
    ]
    const run = async (now: string) => {
      vi.setSystemTime(now)
      document = await (await fetch(`${service.url}/v1/openapi.json`)).json() as OpenApiDocument
      token = await fetchToken()
      const [, , first] = examples()[0]!
      const answer = await (await send("application/json", first)).json() as {
        readonly shipment: { readonly id: string }
      }
      token = await fetchToken({ client_id: "tower", client_secret: DemoData.secretOf("tower") })
      for (const path of steps) {
        assert.isNotEmpty(examplesOf(path), path)
        for (const value of examplesOf(path)) {
          const url = `${service.url}${path.replace("{id}", answer.shipment.id)}`
          const response = await fetch(url, {
            method: "POST",
            headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
            body: JSON.stringify(value)
          })
          assert.isTrue(response.ok, `${now} ${path}: ${await response.text()}`)
        }
      }
    }
    vi.useFakeTimers({ toFake: ["Date"] })
    try {
      await run("2027-11-29T00:00:00Z")
      await service.stop()
      service = await Service.start()
      await run("2028-02-29T23:59:59Z")
    } finally {
      vi.useRealTimers()
    }
  })

  it("do what their names say, and the document shows the answers as they are", async () => {
    const of = (name: string) => submit().requestBody.content["application/json"]!.examples[name]!.value
    const answers = submit().responses
    const shown = (status: string) => answers[status]!.content["application/json"]!.examples["full"]!.value
    const withoutIdsAndTimes = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value, (key, member: unknown) =>
          /^(id|dockId|scheduledAt|completedAt)$/.test(key) && member !== "" ? "*" : member)
      )
    const created = await send("application/json", of("overwrite"))
    assert.strictEqual(created.status, 201)
    assert.deepStrictEqual(
      withoutIdsAndTimes(await created.json()),
      withoutIdsAndTimes(shown("201"))
    )
    const updated = await send("application/json", of("merge"))
    assert.strictEqual(updated.status, 200)
    assert.deepStrictEqual(
      withoutIdsAndTimes(await updated.json()),
      withoutIdsAndTimes(shown("200"))
    )
    assert.strictEqual((await send("application/json", of("append"))).status, 201)
    assert.strictEqual((await send("application/json", of("append"))).status, 409)
    const removed = await (await send("application/json", of("delete"))).json() as {
      readonly removed: Array<object>
    }
    assert.lengthOf(removed.removed, 1)
  })

  it("get answers that are as the document says, in every form", async () => {
    const forms = [{}, { accept: "application/xml" }, { accept: "text/xml" }, { prefer: "return=minimal" }, {
      prefer: "dry-run"
    }]
    for (const [type, name, value] of examples()) {
      for (const headers of forms) {
        const response = await send(type, value, { "correlation-id": "c-1", ...headers })
        assert.deepStrictEqual(await faults(response), [], `${type} ${name} ${JSON.stringify(headers)}`)
      }
    }
    const key = { "idempotency-key": "k-1" }
    const refusals = [
      await send("text/plain", "{}"),
      await send("application/json", "{"),
      await send("application/json", "{}"),
      await send("application/json", {
        business: "acme",
        facility: "north",
        direction: "INBOUND",
        orderNumber: "1"
      }),
      await send("application/json", {
        business: "globex",
        facility: "main",
        direction: "INBOUND",
        orderNumber: "1"
      }),
      await send("application/json", "{}", { authorization: "Bearer none" }),
      await send("application/json", "x".repeat(11 * 1024 * 1024)),
      await send("application/json", { business: "acme" }, key),
      await send("application/json", { business: "acme" }, key)
    ]
    assert.deepStrictEqual(refusals.map(({ status }) => status), [
      415,
      400,
      422,
      404,
      403,
      401,
      413,
      422,
      422
    ])
    for (const response of refusals) assert.deepStrictEqual(await faults(response), [])
  })
})

/** What a capability has of REST beside its operations: it is served, and in the reference, where the service has its capability. */
import { Authenticator } from "@dockline/core/access/Authenticator"
import * as Capability from "@dockline/core/capability/Capability"
import * as Dockline from "@dockline/core/embed/Dockline"
import * as RequestInput from "@dockline/core/input/RequestInput"
import * as Memory from "@dockline/core/memory/Memory"
import { InvalidRequest } from "@dockline/core/values/Errors"
import { Effect, Layer, Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { assert, describe, it } from "vitest"
import * as RestHandler from "../src/RestHandler.ts"
import {
  about,
  bodyReader,
  documentForm,
  makeWrite,
  problems,
  secured,
  securedGroup,
  text,
  textQuery
} from "../src/RestPart.ts"
import type { RestPart } from "../src/RestPart.ts"

const capability = <const Name extends string>(name: Name) =>
  Capability.make(name, {
    title: "Labels",
    description: "Labels of pallets",
    operations: {},
    services: Layer.empty,
    handlers: Effect.succeed({}),
    memory: Layer.empty,
    answers: {}
  })

const Labels = Schema.Struct({ lpns: Schema.Array(Schema.String) }).annotate({
  identifier: "Labels",
  description: "Labels."
})

const errors = problems(InvalidRequest, ...secured)

const read = bodyReader(
  Labels,
  "labels",
  { lpns: 2 },
  RequestInput.reader(Labels, "labels", () => {}, { lpns: 2 })
)

const labels: RestPart = {
  name: "labels",
  needs: ["printers"],
  group: securedGroup(
    "labels",
    "Labels",
    "Labels of pallets",
    HttpApiEndpoint.get("readLabel", "/v1/labels", {
      query: { lpn: Schema.optionalKey(text("The LPN.")) },
      success: Labels,
      error: errors
    }).annotateMerge(about("Read a label", "The label of a pallet.")),
    HttpApiEndpoint.post("printLabels", "/v1/labels", { payload: Labels, success: Labels, error: errors })
      .annotateMerge(about("Print labels", "Prints labels."))
  ),
  requests: {
    printLabels: {
      schema: "Labels",
      description: "The LPNs.",
      name: "one",
      summary: "One",
      value: { lpns: ["L1"] }
    }
  },
  answers: {
    readLabel: { schema: "Labels", value: { lpns: ["L1"] } },
    printLabels: { schema: "Labels", value: { lpns: ["L1"] } }
  },
  handlers: (config) =>
    Effect.map(makeWrite(config), (handle) => [
      ["readLabel", textQuery("Labels", ["lpn"], ({ lpn = "" }) => Effect.succeed({ lpns: [lpn] }))],
      ["printLabels", () =>
        handle<object>({
          identity: ["POST /v1/labels"],
          body: documentForm,
          run: ({ bytes, type }) =>
            Effect.map(Effect.result(read(bytes, type)), (result) => ({ replayed: false, result })),
          rootName: "Labels",
          show: (value) => ({ value })
        })]
    ])
}

const authenticator = Authenticator.layerPromise(async () => ({ clientId: "desk", grants: [] }))

/** What a service with capabilities of these names answers. */
const ask = async (names: ReadonlyArray<string>, path: string, init: RequestInit = {}, part = labels) => {
  await using dockline = await Dockline.open({ storage: Memory.layer, capabilities: names.map(capability) })
  await using rest = await RestHandler.make(dockline.layer, { authenticator, parts: [part] })
  const headers = { authorization: "Key", ...init.headers }
  const response = await rest.handler(new Request(`http://localhost:8080${path}`, { ...init, headers }))
  return { status: response.status, text: await response.text() }
}

const both = ["labels", "printers"]

const print = (body: string, type: string) => ({ method: "POST", headers: { "content-type": type }, body })

describe("a part of a capability", () => {
  it("answers where the service has the capability and those that it needs, and is unknown elsewhere", async () => {
    assert.deepStrictEqual(await ask(both, "/v1/labels?lpn=L1"), { status: 200, text: `{"lpns":["L1"]}` })
    for (const names of [["labels"], ["printers"], []]) {
      assert.strictEqual((await ask(names, "/v1/labels?lpn=L1")).status, 404)
      assert.notInclude((await ask(names, "/v1/openapi.json")).text, "/v1/labels")
    }
  })

  it("is in the reference with its examples", async () => {
    const { paths } = JSON.parse((await ask(both, "/v1/openapi.json")).text)
    const { get, post } = paths["/v1/labels"]
    assert.deepStrictEqual(get.responses["200"].content["application/json"].examples.example.value, {
      lpns: ["L1"]
    })
    assert.deepStrictEqual(Object.keys(post.requestBody.content), ["application/json", "application/xml"])
  })

  it("refuses parameters that it does not have", async () => {
    assert.include((await ask(both, "/v1/labels?lnp=L1")).text, "INVALID_PARAMETER")
  })

  it("reads bodies in JSON and XML, up to the most entries of a list", async () => {
    const texts = ["L1", "L2", "L3"].map((lpn) => `<lpns>${lpn}</lpns>`)
    const xml = (count: number) =>
      print(`<Labels>${texts.slice(0, count).join("")}</Labels>`, "application/xml")
    assert.deepStrictEqual(await ask(both, "/v1/labels", print(`{"lpns":["L1"]}`, "application/json")), {
      status: 200,
      text: `{"lpns":["L1"]}`
    })
    assert.deepStrictEqual(await ask(both, "/v1/labels", xml(2)), {
      status: 200,
      text: `{"lpns":["L1","L2"]}`
    })
    for (const body of [xml(3), print(`{"lpns":["L1","L2","L3"]}`, "application/json")]) {
      const { status, text } = await ask(both, "/v1/labels", body)
      assert.deepStrictEqual([status, text.includes("lpns")], [422, true], text)
    }
  })

  it("names what a body is when it refuses an unknown field, in JSON and XML", async () => {
    for (
      const body of [
        print(`{"lpns":["L1"],"size":1}`, "application/json"),
        print("<Labels><lpns>L1</lpns><size>1</size></Labels>", "application/xml")
      ]
    ) {
      const { status, text } = await ask(both, "/v1/labels", body)
      assert.strictEqual(status, 400)
      assert.deepStrictEqual(JSON.parse(text).errors, [
        { path: "size", detail: "is not a field of labels; check its spelling" }
      ])
    }
  })

  it("is refused where nothing answers one of its endpoints", async () => {
    const { handlers } = labels
    const part: RestPart = {
      ...labels,
      handlers: (config) => Effect.map(handlers(config), ([read]) => [read!])
    }
    const message = await ask(both, "/v1/labels", {}, part).then(() => "", ({ message }: Error) => message)
    assert.include(message, "Nothing answers the endpoint printLabels")
  })
})

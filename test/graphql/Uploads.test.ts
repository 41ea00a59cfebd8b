/**
 * Uploads: the GraphQL multipart request convention, and the contract's form without a map (D8.5).
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import extractFiles from "extract-files/extractFiles.mjs"
import isExtractableFile from "extract-files/isExtractableFile.mjs"
import { xml } from "../http/Sample.ts"
import { GraphqlServer, layerMemory } from "../support/GraphqlServer.ts"
import type { Answer, Operation } from "../support/GraphqlServer.ts"
import { shipmentOf, TestServer, unique } from "../support/TestServer.ts"
import { document, readShipment, upload } from "./Sample.ts"

interface UploadData {
  readonly uploadDocument: { readonly shipment: { readonly id: number; readonly shipmentNumber: string } }
}

/** How a document gets into a form. */
type Form = (operation: Operation, file: File) => FormData

const formOf = (...parts: ReadonlyArray<readonly [string, string | File]>): FormData => {
  const form = new FormData()
  for (const [name, value] of parts) form.append(name, value)
  return form
}

/** As Apollo's upload link and other clients of `graphql-upload` servers build it. */
const byConvention: Form = (operation, file) => {
  const { clone, files } = extractFiles(
    { ...operation, variables: { ...operation.variables, input: { file } } },
    isExtractableFile
  )
  const form = new FormData()
  form.append("operations", JSON.stringify(clone))
  form.append(
    "map",
    JSON.stringify(Object.fromEntries([...files.values()].map((paths, at) => [at + 1, paths])))
  )
  let at = 0
  for (const each of files.keys()) form.append(String(++at), each)
  return form
}

const forms: ReadonlyArray<readonly [string, Form]> = [
  ["operations, map and files as extract-files makes them", byConvention],
  [
    "operations and a file named input.file, without map",
    (operation, file) => formOf(["operations", JSON.stringify(operation)], ["input.file", file])
  ],
  [
    "query, variables and a file named input.file",
    ({ query, variables }, file) =>
      formOf(["query", query], ["variables", JSON.stringify(variables)], ["input.file", file])
  ],
  [
    "the file before what it belongs to",
    (operation, file) => formOf(["input.file", file], ["operations", JSON.stringify(operation)])
  ]
]

const files: ReadonlyArray<readonly [string, (document: object) => File]> = [
  ["JSON", (document) => new File([JSON.stringify(document)], "order.json", { type: "application/json" })],
  ["JSON known by its name", (document) => new File([JSON.stringify(document)], "order.json")],
  ["XML", (document) => new File([xml(document)], "order.xml", { type: "application/xml" })],
  ["XML known by its name", (document) => new File([xml(document)], "Order.XML")]
]

const codesOf = ({ errors }: Answer): ReadonlyArray<readonly [string, string | undefined]> =>
  (errors ?? []).map(({ extensions }) => [extensions.code, extensions.reason] as const)

const send = (form: FormData) =>
  Effect.flatMap(GraphqlServer, (server) =>
    Effect.map(
      server.fetch({ method: "POST", body: form, headers: { accept: "application/json" } }),
      (answer) => answer as Answer<UploadData>
    ))

layer(layerMemory({ graphql: { uploadLimit: 20_000, bodyLimit: 20_000 } }), {
  excludeTestServices: true
})(
  "D8.5 uploads",
  (it) => {
    for (const [formName, form] of forms) {
      for (const [fileName, file] of files) {
        it.effect(`${formName}: a document as ${fileName}`, () =>
          Effect.gen(function*() {
            const orderNumber = unique("O")
            const { data, errors } = yield* send(form(upload(), file(document(orderNumber))))
            assert.strictEqual(errors, undefined, JSON.stringify(errors))
            const { id, shipmentNumber } = data!.uploadDocument.shipment
            assert.strictEqual(shipmentNumber, orderNumber)
            const { get } = yield* TestServer
            assert.strictEqual(
              shipmentOf(yield* get(`/v1/shipments/${id}`)).orders[0]!.items[0]!.quantity,
              3
            )
          }))
      }
    }

    const bad: ReadonlyArray<readonly [string, FormData, string, string | undefined]> = [
      [
        "a file that is no document",
        formOf(
          ["operations", JSON.stringify(upload())],
          ["input.file", new File(["{"], "a.json")]
        ),
        "BAD_USER_INPUT",
        "MALFORMED_DOCUMENT"
      ],
      [
        "a document that is not valid",
        formOf(
          ["operations", JSON.stringify(upload())],
          ["input.file", new File([JSON.stringify(document("", {}))], "a.json")]
        ),
        "BAD_USER_INPUT",
        "INVALID_DOCUMENT"
      ],
      [
        "a file of another type",
        formOf(
          ["operations", JSON.stringify(upload())],
          ["input.file", new File(["a,b"], "a.csv", { type: "text/csv" })]
        ),
        "BAD_USER_INPUT",
        "UNSUPPORTED_MEDIA_TYPE"
      ],
      [
        "a file that is larger than the limit",
        formOf(
          ["operations", JSON.stringify(upload())],
          ["input.file", new File(["x".repeat(20_001)], "a.json")]
        ),
        "BAD_USER_INPUT",
        "PAYLOAD_TOO_LARGE"
      ],
      [
        "a file at a place where no null stands",
        formOf(
          ["operations", JSON.stringify({ ...upload(), variables: { input: { file: "here" } } })],
          ["input.file", new File(["{}"], "a.json")]
        ),
        "BAD_USER_INPUT",
        "MALFORMED_REQUEST"
      ],
      [
        "a file at a place that no variable has",
        formOf(
          ["operations", JSON.stringify(upload())],
          ["input.other", new File(["{}"], "a.json")]
        ),
        "BAD_USER_INPUT",
        "MALFORMED_REQUEST"
      ],
      [
        "a map that names a file that is not there",
        formOf(
          ["operations", JSON.stringify(upload())],
          ["map", JSON.stringify({ 0: ["variables.input.file"] })]
        ),
        "BAD_USER_INPUT",
        "MALFORMED_REQUEST"
      ],
      [
        "a batch",
        formOf(
          ["operations", JSON.stringify([upload()])],
          ["input.file", new File(["{}"], "a.json")]
        ),
        "BAD_USER_INPUT",
        "MALFORMED_REQUEST"
      ],
      [
        "more files than a request may have",
        formOf(
          ["operations", JSON.stringify(upload())],
          ...Array.from({ length: 30 }, (_, at) => [`f${at}`, new File(["{}"], "a.json")] as const)
        ),
        "BAD_USER_INPUT",
        "MALFORMED_REQUEST"
      ],
      [
        "variables that nest too deep for a stack",
        formOf(
          [
            "query",
            "mutation Deep($input: UploadDocumentInput!) { uploadDocument(input: $input) { shipment { id } } }"
          ],
          ["variables", `{"input":${"[".repeat(9000)}${"]".repeat(9000)}}`]
        ),
        "BAD_USER_INPUT",
        "MALFORMED_REQUEST"
      ],
      ["no file at all", formOf(["operations", JSON.stringify(upload())]), "BAD_USER_INPUT", undefined]
    ]
    for (const [name, form, code, reason] of bad) {
      it.effect(`${name} is refused with its code, and nothing is written`, () =>
        Effect.gen(function*() {
          const { get } = yield* TestServer
          const before = yield* get("/v1/orders?limit=100")
          const answer = yield* send(form)
          assert.deepStrictEqual(codesOf(answer), [[code, reason]], answer.text)
          assert.isUndefined(answer.data ?? undefined)
          assert.deepStrictEqual((yield* get("/v1/orders?limit=100")).text, before.text)
        }))
    }

    it.effect("a form without a token is 401 with a problem, before it is read", () =>
      Effect.gen(function*() {
        const { fetch } = yield* GraphqlServer
        const form = formOf(["operations", "{"])
        const answer = yield* fetch({ method: "POST", body: form }, null)
        assert.strictEqual(answer.status, 401)
        assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
        assert.deepInclude(JSON.parse(answer.text), { title: "Unauthorized", code: "UNAUTHENTICATED" })
      }))

    it.effect("what a file wrote is what is read over GraphQL as well", () =>
      Effect.gen(function*() {
        const { execute } = yield* GraphqlServer
        const orderNumber = unique("O")
        const file = new File([xml(document(orderNumber))], "a.xml")
        const { data } = yield* send(byConvention(upload(), file))
        const { shipment } = data!.uploadDocument
        const read = yield* execute<{ readonly shipment: unknown }>(readShipment(shipment.id))
        assert.deepStrictEqual(read.data!.shipment, shipment)
      }))
  }
)

/** Uploads: both multipart forms, as real clients send them, and what is refused of them (D8.5). */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { server, TestGraphql } from "../HttpSetup.ts"
import type { Reply } from "../HttpSetup.ts"

const mutation = `mutation ($input: UploadDocumentInput!) {
  uploadDocument(input: $input) { created { type reference } }
}`

const document = (orderNumber: string) =>
  JSON.stringify({ business: "acme", facility: "east", direction: "OUTBOUND", orderNumber })

const fileOf = (content: string, name = "order.json", type = "application/json") =>
  new File([content], name, { type })

const operations = (variables: unknown = { input: { file: null } }, query = mutation) =>
  JSON.stringify({ query, variables })

const formOf = (parts: Readonly<Record<string, string | File>>): FormData => {
  const form = new FormData()
  for (const [name, part] of Object.entries(parts)) form.append(name, part)
  return form
}

const created = (orderNumber: string) => ({
  data: {
    uploadDocument: {
      created: [{ type: "SHIPMENT", reference: orderNumber }, { type: "ORDER", reference: orderNumber }]
    }
  }
})

const reasonOf = ({ body }: Reply) => body.errors?.[0]?.extensions?.["reason"]
const errorsOf = ({ body }: Reply) => body.errors?.[0]?.extensions?.["errors"]

layer(server({ bodyLimit: 5000, uploadLimit: 20_000 }))("D8.5 multipart requests", (it) => {
  const test = (
    name: string,
    run: (send: (form: FormData, client?: string) => Promise<Reply>) => Promise<void>
  ) =>
    it.effect(
      name,
      () =>
        Effect.flatMap(TestGraphql, ({ send }) =>
          Effect.promise(() =>
            run((body, client = "acme-client") =>
              send({ method: "POST", headers: { authorization: `Bearer ${client}` }, body })
            )
          ))
    )

  test("take the GraphQL multipart request convention", async (send) => {
    const reply = await send(formOf({
      operations: operations(),
      map: JSON.stringify({ 0: ["variables.input.file"] }),
      0: fileOf(document("U-1"))
    }))
    expect(reply.body).toEqual(created("U-1"))
    expect(reply.status).toBe(200)
  })

  test("take the file named by its variable path, with operations (interface.md)", async (send) => {
    const reply = await send(formOf({ operations: operations(), "input.file": fileOf(document("U-2")) }))
    expect(reply.body).toEqual(created("U-2"))
  })

  test("take the file named by its variable path, with query and variables (interface.md)", async (send) => {
    const reply = await send(formOf({
      query: mutation,
      variables: JSON.stringify({ input: { file: null } }),
      "input.file": fileOf(document("U-3"))
    }))
    expect(reply.body).toEqual(created("U-3"))
  })

  test("take the parts in any order, and the path from variables on", async (send) => {
    const reply = await send(
      formOf({ "variables.input.file": fileOf(document("U-4")), operations: operations() })
    )
    expect(reply.body).toEqual(created("U-4"))
  })

  test("take a variable that is the file itself, and one file for two of them", async (send) => {
    const query = `mutation ($a: Upload!, $b: Upload!) {
      a: uploadDocument(input: { file: $a }) { created { type } }
      b: uploadDocument(input: { file: $b }, dryRun: true) { created { type } }
    }`
    const reply = await send(formOf({
      operations: operations({ a: null, b: null }, query),
      map: JSON.stringify({ one: ["variables.a", "variables.b"] }),
      one: fileOf(document("U-5"))
    }))
    expect(reply.body).toEqual({
      data: { a: { created: [{ type: "SHIPMENT" }, { type: "ORDER" }] }, b: { created: [] } }
    })
  })

  test("tell the format by the content type, else by the ending of the name", async (send) => {
    const byName = await send(
      formOf({ operations: operations(), "input.file": fileOf(document("U-6"), "a.JSON", "") })
    )
    expect(byName.body).toEqual(created("U-6"))
    const unknown = await send(
      formOf({ operations: operations(), "input.file": fileOf("x", "a.csv", "text/csv") })
    )
    expect(reasonOf(unknown)).toBe("UNSUPPORTED_MEDIA_TYPE")
  })

  test("refuse a document in a file as they would elsewhere", async (send) => {
    const malformed = await send(formOf({ operations: operations(), "input.file": fileOf("{") }))
    expect(reasonOf(malformed)).toBe("MALFORMED_DOCUMENT")
    const forbidden = await send(
      formOf({ operations: operations(), "input.file": fileOf(document("U-7")) }),
      "globex-client"
    )
    expect(forbidden.body.errors?.[0]?.extensions?.["code"]).toBe("FORBIDDEN")
  })

  test("carry operations without a file as well", async (send) => {
    const reply = await send(formOf({ query: "{ __typename }" }))
    expect(reply.body).toEqual({ data: { __typename: "Query" } })
  })

  const refusals: ReadonlyArray<
    readonly [what: string, parts: Readonly<Record<string, string | File>>, path: string]
  > = [
    ["no operation", { "input.file": fileOf("{}") }, "query"],
    ["operations that are not JSON", { operations: "{" }, "operations"],
    ["a batch", { operations: `[${operations()}]` }, "operations"],
    ["variables that are no object", { query: mutation, variables: "[]" }, "variables"],
    ["a map that is not JSON", { operations: operations(), map: "{", 0: fileOf("{}") }, "map"],
    ["a map that is no object", { operations: operations(), map: "[]", 0: fileOf("{}") }, "map"],
    ["a map without paths", { operations: operations(), map: `{"0":[]}`, 0: fileOf("{}") }, "map.0"],
    [
      "a path outside the variables",
      { operations: operations(), map: `{"0":["query"]}`, 0: fileOf("{}") },
      "map.0"
    ],
    ["a file that map does not mention", { operations: operations(), map: "{}", 0: fileOf("{}") }, "0"],
    ["a map that mentions no file", { operations: operations(), map: `{"0":["variables.input.file"]}` }, "0"],
    [
      "a path that leads nowhere",
      { operations: operations(), map: `{"0":["variables.input.other"]}`, 0: fileOf("{}") },
      "0"
    ],
    [
      "a path to what is not null",
      {
        operations: operations({ input: { file: "x" } }),
        map: `{"0":["variables.input.file"]}`,
        0: fileOf("{}")
      },
      "0"
    ],
    [
      "a path to the prototype",
      { operations: operations(), map: `{"0":["variables.__proto__.file"]}`, 0: fileOf("{}") },
      "0"
    ],
    [
      // Where the chain of prototypes ends there is a null.
      "a path to the end of the prototypes",
      { operations: operations(), map: `{"0":["variables.__proto__.__proto__"]}`, 0: fileOf("{}") },
      "0"
    ],
    ["a part that is neither", { operations: operations(), other: "text" }, "other"]
  ]
  for (const [what, parts, path] of refusals) {
    test(`refuse ${what}, and name it`, async (send) => {
      const reply = await send(formOf(parts))
      expect(reply.status).toBe(400)
      expect(reasonOf(reply)).toBe("MALFORMED_REQUEST")
      expect(errorsOf(reply)).toMatchObject([{ path }])
    })
  }

  test("refuse a part that occurs twice", async (send) => {
    const form = formOf({ operations: operations() })
    form.append("input.file", fileOf("{}"))
    form.append("input.file", fileOf("{}"))
    expect(errorsOf(await send(form))).toEqual([{ path: "input.file", detail: "occurs twice" }])
  })

  const tooLarge: ReadonlyArray<readonly [what: string, parts: Readonly<Record<string, string | File>>]> = [
    ["a file", { operations: operations(), "input.file": fileOf("x".repeat(20_001)) }],
    ["a field", {
      operations: operations({ input: { file: null }, x: "x".repeat(5000) }),
      "input.file": fileOf("{}")
    }],
    ["a whole", {
      operations: operations(),
      ...Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`f${i}`, fileOf("x".repeat(19_000))]))
    }]
  ]
  for (const [what, parts] of tooLarge) {
    test(`refuse ${what} that is too large with 413`, async (send) => {
      const reply = await send(formOf(parts))
      expect(reply.status).toBe(413)
      expect(reasonOf(reply)).toBe("PAYLOAD_TOO_LARGE")
    })
  }

  test("refuse more files and parts than they may have", async (send) => {
    const parts = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, fileOf("{}")]))
    const files = await send(formOf({ operations: operations(), ...parts(11) }))
    expect(files.status).toBe(400)
    expect(files.body.errors?.[0]?.message).toContain("at most 10 files")
    const many = await send(formOf({ operations: operations(), ...parts(60) }))
    expect(many.status).toBe(400)
  })

  it.effect("refuse a body that is not what its header says, or ends too early", () =>
    Effect.flatMap(TestGraphql, ({ send }) =>
      Effect.promise(async () => {
        for (const type of ["multipart/form-data", "multipart/form-data; boundary=x"]) {
          for (
            const body of ["", "nothing", `--x\r\nContent-Disposition: form-data; name="query"\r\n\r\n{`]
          ) {
            const reply = await send({ method: "POST", headers: { "content-type": type }, body })
            expect(reply.status, `${type} ${body}`).toBe(400)
            expect(reply.body.errors).toHaveLength(1)
          }
        }
      })))
})

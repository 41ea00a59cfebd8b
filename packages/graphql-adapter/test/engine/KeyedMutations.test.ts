/** `Idempotency-Key` on mutations over HTTP (D5.2). */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { server, TestGraphql } from "../HttpSetup.ts"

interface Reply {
  readonly body: unknown
  readonly status: number
  readonly replayed: string | null
  readonly reason: unknown
}

const mutation =
  `mutation ($input: DocumentInput!) { submitDocument(input: $input) { created { id } updated { id } } }`
const inputOf = (orderNumber: string) => ({
  business: "acme",
  facility: "east",
  direction: "OUTBOUND",
  orderNumber
})

layer(server())("an Idempotency-Key", (it) => {
  const test = (
    name: string,
    run: (
      ask: (key: string, query: string, variables?: unknown, client?: string) => Promise<Reply>,
      sendForm: (form: FormData, key: string) => Promise<Reply>
    ) => Promise<void>
  ) =>
    it.effect(
      name,
      () =>
        Effect.flatMap(TestGraphql, ({ send }) =>
          Effect.promise(() => {
            const reply = async (init: RequestInit): Promise<Reply> => {
              const { body, headers, status } = await send({ ...init, method: "POST" })
              const [error] = body.errors ?? []
              return {
                body,
                status,
                replayed: headers.get("idempotency-replayed"),
                reason: error?.extensions?.["reason"]
              }
            }
            return run(
              (key, query, variables, client = "acme-client") =>
                reply({
                  headers: {
                    "content-type": "application/json",
                    authorization: `Bearer ${client}`,
                    "idempotency-key": key
                  },
                  body: JSON.stringify({ query, variables })
                }),
              (form, key) => reply({ headers: { "idempotency-key": key }, body: form })
            )
          }))
    )

  test("gets the first answer again, and nothing is done twice", async (ask) => {
    const first = await ask("k-1", mutation, { input: inputOf("I-1") })
    expect(first).toMatchObject({ replayed: null, reason: undefined, status: 200 })
    const second = await ask("k-1", mutation, { input: inputOf("I-1") })
    expect(second).toEqual({ ...first, replayed: "true" })
    const other = await ask("k-2", mutation, { input: inputOf("I-1") })
    expect(other.body).not.toEqual(first.body)
    expect(other.replayed).toBe(null)
  })

  test(
    "keeps no refusal of a size or a media type, as D5.2 says of 413 and 415",
    async (ask, sendForm) => {
      const upload = (type: string, size: number, key: string) => {
        const form = new FormData()
        form.append(
          "query",
          "mutation ($file: Upload!) { uploadDocument(input: { file: $file }) { created { id } } }"
        )
        form.append("variables", "{\"file\":null}")
        form.append("file", new File([" ".repeat(size)], "a.txt", { type }))
        return sendForm(form, key)
      }
      const many = {
        ...inputOf("I-8"),
        items: Array.from({ length: 10_001 }, () => ({ lpn: "L", sku: "S" }))
      }
      for (let attempt = 0; attempt < 2; attempt++) {
        expect(await upload("image/png", 1, "u-1")).toMatchObject({
          reason: "UNSUPPORTED_MEDIA_TYPE",
          replayed: null
        })
        expect(await ask("u-2", mutation, { input: many })).toMatchObject({
          reason: "TOO_MANY_ITEMS",
          replayed: null
        })
      }
    }
  )

  test("is refused for another request, but is another client's own", async (ask) => {
    await ask("k-4", mutation, { input: inputOf("I-3") })
    expect((await ask("k-4", mutation, { input: inputOf("I-4") })).reason).toBe("IDEMPOTENCY_KEY_REUSED")
    expect((await ask("k-4", mutation, { input: inputOf("I-4") }, "acme-east-client")).reason).toBe(
      undefined
    )
  })

  test("shows what each mutation selects of the answer, as it was", async (ask) => {
    const first = await ask(
      "k-9",
      `mutation ($input: DocumentInput!) { submitDocument(input: $input) { shipment { id } } }`,
      {
        input: inputOf("I-9")
      }
    )
    const { id } =
      (first.body as { data: { submitDocument: { shipment: { id: number } } } }).data.submitDocument
        .shipment
    const steps = [
      ["c-1", `mutation { checkInShipment(input: { shipmentId: ${id}, step: AT_FACILITY }) { status } }`],
      ["a-1", `mutation { arriveShipment(input: { shipmentId: ${id} }) { status } }`],
      ["d-1", `mutation { departShipment(input: { shipmentId: ${id} }) { status } }`]
    ] as const
    const firsts: Array<Reply> = []
    for (const [key, step] of steps) firsts.push(await ask(key, step, undefined, "tower"))
    for (const [index, [key, step]] of steps.entries()) {
      expect(firsts[index]).toMatchObject({ status: 200, reason: undefined, replayed: null })
      expect(await ask(key, step, undefined, "tower")).toEqual({ ...firsts[index], replayed: "true" })
    }
  })

  test("covers one mutation, has 1 to 255 characters, and means nothing to a query", async (ask) => {
    const step = (name: string) => `${name}: departShipment(input: { shipmentId: 1 }) { id }`
    expect((await ask("k-7", `mutation { ${step("a")} ${step("b")} }`)).reason).toBe("INVALID_REQUEST")
    expect((await ask("x".repeat(256), `mutation { ${step("a")} }`)).reason).toBe("INVALID_PARAMETER")
    for (let i = 0; i < 2; i++) {
      expect(await ask("k-8", "{ __typename }")).toMatchObject({
        body: { data: { __typename: "Query" } },
        replayed: null
      })
    }
  })
})

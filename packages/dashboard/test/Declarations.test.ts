/** The pages of operators are generated from complete declarations of the operations. */
import { operatorOperations } from "@dockline/core/operator/OperatorOperations"
import { describe, expect, it } from "@effect/vitest"
import { declarationsOf } from "../src/pages/Declarations.ts"

const changes = Object.values(operatorOperations).filter((operation) => operation.kind === "write")

interface Part {
  readonly $ref?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Part>>
  readonly required?: ReadonlyArray<string>
  readonly items?: Part
  readonly anyOf?: ReadonlyArray<Part>
  readonly maxLength?: number
  readonly enum?: ReadonlyArray<string>
}

/** A part of a body, and all of its parts. */
const parts = (part: Part): ReadonlyArray<Part> => [
  part,
  ...[
    ...Object.values(part.properties ?? {}),
    ...(part.items === undefined ? [] : [part.items]),
    ...(part.anyOf ?? [])
  ]
    .flatMap(parts)
]

describe("the bodies of operators", () => {
  const all = declarationsOf(operatorOperations)
  const bodies: Readonly<Record<string, Part>> = Object.fromEntries(
    all.flatMap(({ body, method, pattern }) => body === undefined ? [] : [[`${method} ${pattern}`, body]])
  )

  it("are beside what lists are narrowed by, and what their columns are", () => {
    const audit = all.find(({ pattern }) => pattern === "/v1/operator/audit")
    expect(Object.keys(audit?.filters?.properties ?? {})).toEqual([
      "business",
      "clientId",
      "subject",
      "from",
      "to"
    ])
    expect(audit?.columns).toContain("action")
    expect(all.find(({ pattern }) => pattern === "/v1/operator/people")?.filters).toBeUndefined()
  })

  it("are those of the operations that take one", () => {
    expect(Object.keys(bodies).toSorted()).toEqual(
      changes.filter((change) => "body" in change && change.body !== undefined).map(({ rest }) => rest)
        .toSorted()
    )
  })

  it("refer to nothing, and say what each field is for", () => {
    for (const [route, body] of Object.entries(bodies)) {
      for (const part of parts(body)) {
        expect(part.$ref, route).toBeUndefined()
        for (const [name, field] of Object.entries(part.properties ?? {})) {
          expect(field.description, `${route} ${name}`).toBeTypeOf("string")
        }
      }
    }
  })

  it("hold what the schemas say: which fields are required, how long they may be, and which words they take", () => {
    const business = bodies["POST /v1/operator/businesses"]!
    expect(business.required).toEqual(["slug", "name"])
    expect(business.properties?.["name"]?.maxLength).toBe(200)
    const endpoint = bodies["POST /v1/operator/webhook-endpoints"]!.properties!
    const kinds = endpoint["authentication"]!.anyOf!.map(({ properties }) => properties?.["type"]?.enum)
    expect(kinds).toContainEqual(["basic"])
    // A check that refines a field is merged with it.
    const token = endpoint["authentication"]!.anyOf!.find(({ properties }) =>
      properties?.["loginFormat"] !== undefined
    )
    expect(token?.properties?.["loginFormat"]?.enum).toEqual(["json", "form"])
  })
})

describe("the presentation of an operation", () => {
  it("shows fields that its view has", () => {
    for (const operation of Object.values(operatorOperations)) {
      const view = "row" in operation ? operation.row : operation.view
      for (const entry of operation.presentation?.fields ?? []) {
        expect(Object.keys("fields" in view ? view.fields : {}), operation.name)
          .toEqual(expect.arrayContaining(entry.split(" ")))
      }
    }
  })
})

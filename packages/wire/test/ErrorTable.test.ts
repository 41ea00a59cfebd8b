/** The table of errors: what holds of every row. */
import { CatalogueError, fields } from "@dockline/core/values/CatalogueError"
import type { ErrorClass, ErrorOf } from "@dockline/core/values/CatalogueError"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { globSync } from "node:fs"

const isRow = (value: unknown): value is ErrorClass => typeof value === "function" && "category" in value

/** Those of the modules of errors of all packages. */
const rows: ReadonlyArray<readonly [name: string, row: ErrorClass]> = (await Promise.all(
  globSync("../../*/src/*/*Errors.ts", { cwd: import.meta.dirname }).map(
    async (path): Promise<ReadonlyArray<readonly [string, unknown]>> => Object.entries(await import(path))
  )
)).flat().flatMap(([name, value]) => isRow(value) ? [[name, value] as const] : [])
  .sort(([, one], [, other]) => one.code < other.code ? -1 : 1)

describe("D4.4 the table of errors", () => {
  it("has each code once", () => {
    const codes = rows.map(([, { code }]) => code)
    assert.deepStrictEqual(codes.filter((code, index) => codes.indexOf(code) !== index), [])
  })

  it.each(rows)("%s is tagged by its name, and its example has words", (name, row) => {
    const error = row.example()
    assert.isTrue(error instanceof row)
    assert.propertyVal(error, "_tag", name)
    assert.deepInclude({ ...error }, { code: row.code, category: row.category })
    assert.match(error.message, /^\S.*[^.\s]$/)
    assert.match(row.when, /^[^A-Z\s]|^(?:APPEND|`)|^the Content/)
  })
})

describe("an error of a table", () => {
  class TooWarm extends CatalogueError("TOO_WARM", "conflict", {
    when: "it is too warm",
    example: fields<{ readonly degrees: number; readonly place?: string }>({ degrees: 9 }),
    message: ({ code, degrees }) => `${code}: degrees=${degrees}`
  }) {}

  class Absent
    extends CatalogueError("GONE", "notFound", { when: "it is gone", example: {}, message: "Gone" })
  {}

  const errors = [TooWarm, Absent] as const

  it("is an error of Effect with its fields, its tag and its words", () => {
    const error = new TooWarm({ degrees: 12 })
    assert.instanceOf(error, Error)
    assert.strictEqual(String(error), "TooWarm: TOO_WARM: degrees=12")
    const failing = (degrees: number): Effect.Effect<string, ErrorOf<typeof errors>> =>
      degrees > 10 ? Effect.fail(new TooWarm({ degrees })) : Effect.fail(new Absent())
    const errorAt = (degrees: number) =>
      Effect.runSync(
        failing(degrees).pipe(
          Effect.catchTag(
            "TooWarm",
            (warm) => Effect.succeed(`${warm.degrees} ${warm.place ?? "somewhere"}`)
          ),
          Effect.catchTag("Gone", ({ code }) => Effect.succeed(code))
        )
      )
    assert.deepStrictEqual([errorAt(12), errorAt(3)], ["12 somewhere", "GONE"])
    // @ts-expect-error: its fields are typed
    assert.strictEqual(new TooWarm({ degrees: "12" }).category, "conflict")
  })
})

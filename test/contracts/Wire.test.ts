/**
 * The contract in words: `docs/reference/fields-and-codes.md` is generated from the code, and the pages of `docs/wire` contain every cited
 * decision. `UPDATE_CONTRACTS=1 npx vitest run test/contracts` writes the tables anew.
 */
import { operationsOf } from "@dockline/core/capability/Capability"
import * as DocumentInput from "@dockline/core/document/DocumentInput"
import type { ErrorClass } from "@dockline/core/values/CatalogueError"
import * as Errors from "@dockline/core/values/Errors"
import * as OperatorErrors from "@dockline/core/values/OperatorErrors"
import * as RequestErrors from "@dockline/core/values/RequestErrors"
import { defaultVocabulary } from "@dockline/core/values/Vocabulary"
import * as EdiErrors from "@dockline/edi/domain/EdiErrors"
import { withParts } from "@dockline/http-adapter/api/Parts"
import { openApiOf } from "@dockline/http-adapter/openapi/OpenApiDocument"
import { capabilities, restParts } from "@dockline/server/Capabilities"
import { graphqlCodeOf, statusOf } from "@dockline/wire/Problem"
import { execFileSync } from "node:child_process"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const root = new URL("../../", import.meta.url)
const tablesFile = new URL("docs/reference/fields-and-codes.md", root)

/** The parts of JSON Schema that the tables show. */
interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly format?: string
  readonly enum?: ReadonlyArray<string>
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
}

interface OpenApi {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly webhooks: Readonly<
    Record<string, {
      readonly post: {
        readonly requestBody: {
          readonly content: { readonly "application/json"?: { readonly schema: Schema } }
        }
      }
    }>
  >
}

const openApi = openApiOf(
  DocumentInput.defaultRules,
  true,
  withParts(capabilities, restParts)
) as unknown as OpenApi

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : openApi.components.schemas[schema.$ref.split("/").at(-1)!]!

/** A table with the widths that the formatter gives it. */
const tableOf = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)))
  const line = (cells: ReadonlyArray<string>): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n")
}

const typeOf = (schema: Schema): string => {
  const { enum: words, format, items, properties, type = "" } = resolved(schema)
  if (words !== undefined) return words.filter((word) => word !== "").join(", ")
  if (items !== undefined) {
    const entry = resolved(items)
    return entry.properties === undefined ? `list of ${typeOf(entry)}s` : "list"
  }
  return properties !== undefined ? "object" : format === "date" ? "date" : type
}

const rowsOf = (schema: Schema, within = ""): ReadonlyArray<ReadonlyArray<string>> => {
  const { properties = {}, required = [] } = resolved(schema)
  return Object.entries(properties).flatMap(([name, field]) => {
    const { description = "", items } = resolved(field)
    const own = [`\`${within}${name}\``, typeOf(field), required.includes(name) ? "yes" : "", description]
    const isOwnTable = items?.$ref !== undefined || within !== "" || name === "pallets"
    return [own, ...items === undefined || isOwnTable ? [] : rowsOf(items, `${name}[].`)]
  })
}

const fields = (schema: Schema): string => tableOf(["field", "type", "required", "meaning"], rowsOf(schema))

const { Document, DocumentItem } = openApi.components.schemas

/** The errors of capabilities are those of EDI, and those that their operations declare. */
const errors: ReadonlyArray<ErrorClass> = Array.from(
  new Set([
    ...[Errors, OperatorErrors, RequestErrors, EdiErrors].flatMap((module) =>
      Object.values<ErrorClass>(module)
    ),
    ...Object.values(operationsOf(capabilities)).flatMap(({ errors }) => errors)
  ])
).toSorted((one, other) => one.code < other.code ? -1 : 1)

const tables = [
  "# Fields and error codes",
  "Made of the code by `UPDATE_CONTRACTS=1 npx vitest run test/contracts`. The rules are in [the wire contract](../WIRE.md).",
  "## Documents",
  "A string holds at most 1,024 characters; a number is at least 0. [D2.1](../wire/documents.md#d2-the-document) says what an entry of `orders` has, and [the strategies](../WIRE.md#item-strategies) say what an item must have.",
  fields(Document!),
  "### Items",
  fields(DocumentItem!),
  "## Messages",
  // An interchange is X12, which has no fields.
  ...Object.entries(openApi.webhooks).flatMap(([name, { post }]) => {
    const { "application/json": json } = post.requestBody.content
    return json === undefined ? [] : [`### ${name}`, fields(json.schema)]
  }),
  "## Vocabularies",
  Object.entries<ReadonlyArray<string>>({ ...defaultVocabulary }).map(([name, words]) =>
    `- ${name}: ${words.map((word) => `\`${word}\``).join(", ")}`
  )
    .join("\n"),
  "## Error codes",
  "Each error has one row in core, from which its answers and the OpenAPI document derive.",
  tableOf(
    ["code", "REST", "GraphQL", "occurs when"],
    errors.map(({ category, code, when }) => [
      `\`${code}\``,
      String(statusOf(category)),
      `\`${graphqlCodeOf(category)}\``,
      when
    ])
  )
].join("\n\n") + "\n"

if (process.env["UPDATE_CONTRACTS"] === "1") writeFileSync(tablesFile, tables)

/** The page of every rule of the contract, such as `D3.6`, and of every decision, such as `D3`. */
const pages: ReadonlyMap<string, string> = new Map(
  globSync("wire/*.md", { cwd: new URL("docs/", root) }).flatMap((page) =>
    readFileSync(new URL(`docs/${page}`, root), "utf8").split(/^## (?=D\d)/m).slice(1).flatMap((section) => {
      const topic = /^D\d+/.exec(section)![0]
      const rules = Array.from(section.matchAll(/^(\d+)\. /gm), ([, number]) => `${topic}.${number}`)
      return [topic, ...rules].map((decision) => [decision, page] as const)
    })
  )
)

const decisions: ReadonlySet<string> = new Set(pages.keys())

/** The numbers of rules in the matching lines of some files. */
const numbersIn = (lines: RegExp, ...files: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    files.flatMap((file) =>
      readFileSync(new URL(file, root), "utf8").split("\n").filter((line) => lines.test(line))
        .flatMap((line) => line.match(/\bD\d+\.\d+\b/g) ?? [])
    )
  )

const isTest = (file: string) => /(?:^|\/)(?:test|suites)\/|^packages\/testing\//.test(file)

const files = execFileSync("git", ["ls-files", "packages", "test"], {
  cwd: fileURLToPath(root),
  encoding: "utf8"
})
  .trim().split("\n").filter((file) => /\.(?:tsx?|sql)$/.test(file))

describe("the contract in words", () => {
  it("D4.4 has the fields and the error codes as they are declared", () => {
    assert.strictEqual(
      readFileSync(tablesFile, "utf8"),
      tables,
      "run UPDATE_CONTRACTS=1 npx vitest run test/contracts"
    )
  })

  it("has every decision that the code, the tests and the documents cite", () => {
    const cited = execFileSync("git", [
      "grep",
      "-ohE",
      "\\bD[0-9]+\\.[0-9]+\\b",
      "--",
      "packages",
      "test",
      "docs"
    ], {
      cwd: fileURLToPath(root),
      encoding: "utf8"
    })
    assert.deepStrictEqual(
      [...new Set(cited.trim().split("\n"))].filter((decision) => !decisions.has(decision)),
      []
    )
  })

  it("leads to the page of each decision, and of each rule that says what happens when", () => {
    const [, list = "", index = ""] = readFileSync(new URL("docs/WIRE.md", root), "utf8").split(
      /^(?:## Decisions|### What happens when)$/m
    )
    const listed = Array.from(
      list.matchAll(/\[[^\]]+\]\((wire\/[\w-]+\.md)\):([^[]*)/g),
      ([, page, text]) => Array.from(text!.matchAll(/\bD\d+\b/g), ([decision]) => [decision, page])
    ).flat()
    assert.sameDeepMembers(listed, Array.from(pages).filter(([decision]) => !decision.includes(".")))
    const indexed = Array.from(
      index.matchAll(/([^()[\]]*)\(\[[^\]]+\]\((wire\/[\w-]+\.md)\)\)/g),
      ([, text, page]) => Array.from(text!.matchAll(/\bD\d+(?:\.\d+)?\b/g), ([rule]) => [rule, page])
    ).flat()
    assert.strictEqual(indexed.length, index.match(/\bD\d+/g)!.length)
    for (const [rule, page] of indexed) assert.strictEqual(pages.get(rule!), page, rule)
  })

  it("leads from the number of each rule to a module and to the title of a test", () => {
    const rules = [...decisions].filter((decision) => decision.includes("."))
    const modules = numbersIn(/./, ...files.filter((file) => !isTest(file)))
    assert.deepStrictEqual(rules.filter((rule) => !modules.has(rule)), [])
    const titles = numbersIn(/["'`].*\bD\d+\.\d+/, ...files.filter(isTest))
    assert.deepStrictEqual(rules.filter((rule) => !titles.has(rule)), [])
  })
})

/**
 * Pages that are made of the code: REST and GraphQL, errors, settings. What they say stands in the declarations of the
 * interfaces, the tables of errors and of settings, and nowhere else.
 */
import * as AlertRule from "@dockline/alerts/domain/AlertRule"
import { defaultRules } from "@dockline/core/document/DocumentInput"
import * as CoreServices from "@dockline/core/embed/CoreServices"
import * as ShipmentException from "@dockline/core/exceptions/ShipmentException"
import * as Memory from "@dockline/core/memory/Memory"
import type { CatalogueError, ErrorCategory, ErrorClass } from "@dockline/core/values/CatalogueError"
import * as Errors from "@dockline/core/values/Errors"
import * as OperatorErrors from "@dockline/core/values/OperatorErrors"
import * as RequestErrors from "@dockline/core/values/RequestErrors"
import * as EdiErrors from "@dockline/edi/domain/EdiErrors"
import { gatherServices } from "@dockline/graphql-adapter/resolvers/Run"
import { makeSchema } from "@dockline/graphql-adapter/schema/Schema"
import { withParts } from "@dockline/http-adapter/api/Parts"
import * as DocumentFiles from "@dockline/http-adapter/handlers/DocumentFiles"
import { defaultHttpConfig } from "@dockline/http-adapter/HttpConfig"
import { openApiOf } from "@dockline/http-adapter/openapi/OpenApiDocument"
import * as PackingListIntake from "@dockline/packing-lists/domain/PackingListIntake"
import { capabilities, restParts } from "@dockline/server/Capabilities"
import { graphqlCodeOf, problemOf, statusOf } from "@dockline/wire/Problem"
import { Effect } from "effect"
import { printSchema } from "graphql"
import { stringify } from "yaml"

/** A page: its place under `/reference/`, and its Markdown. */
export interface ReferencePage {
  readonly page: string
  readonly title: string
  readonly content: string
  /** Whether the menu of the site has it. */
  readonly menu: boolean
}

/** The parts of the OpenAPI document that the pages show. */
interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly oneOf?: ReadonlyArray<Schema>
  readonly allOf?: ReadonlyArray<Schema>
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly default?: unknown
}

interface Media {
  readonly schema: Schema
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
}

interface Operation {
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<
    {
      readonly name: string
      readonly in: string
      readonly required?: boolean
      readonly description?: string
      readonly schema: Schema
    }
  >
  readonly requestBody?: { readonly description?: string; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content?: Readonly<Record<string, Media>> }
    >
  >
}

interface OpenApi {
  readonly info: { readonly description: string }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const openApi = openApiOf(defaultRules, true, withParts(capabilities, restParts)) as unknown as OpenApi

const sdl = printSchema(
  await gatherServices().pipe(
    Effect.map(makeSchema),
    Effect.provide([CoreServices.layerOf({ storage: Memory.layer }), DocumentFiles.layer(defaultHttpConfig)]),
    Effect.runPromise
  )
)

const code = (text: string, language: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``
const json = (value: unknown): string => code(JSON.stringify(value, null, 2), "json")
const slugOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")
const errorPage = (errorCode: string): string => slugOf(errorCode)

const row = (...cells: ReadonlyArray<string>): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`
const tableOf = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [row(...head), row(...head.map(() => "---")), ...rows.map((cells) => row(...cells))].join("\n")

/** A schema in a cell: its name with a link, or its type with its limits. */
const shown = (schema: Schema): string => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1)!
    return `[${name}](/reference/rest/schemas#${slugOf(name)})`
  }
  const parts = schema.anyOf ?? schema.oneOf
  if (parts !== undefined) return parts.map(shown).join(" or ")
  const [only, ...rest] = schema.allOf ?? []
  if (only !== undefined && rest.length === 0) return shown({ ...schema, ...only, allOf: undefined as never })
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ")
  if (schema.items !== undefined) return `list of ${shown(schema.items)}`
  const limits = [
    schema.minimum === undefined ? [] : [`from ${schema.minimum}`],
    schema.maximum === undefined ? [] : [`to ${schema.maximum}`],
    schema.maxLength === undefined ? [] : [`at most ${schema.maxLength} characters`],
    schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]
  ].flat()
  return [schema.type ?? "any", ...limits].join(", ")
}

const fieldsOf = ({ properties = {}, required = [] }: Schema): string =>
  tableOf(
    ["field", "type", "required", "meaning"],
    Object.entries(properties).map((
      [name, schema]
    ) => [`\`${name}\``, shown(schema), required.includes(name) ? "yes" : "", schema.description ?? ""])
  )

const examplesOf = (content: Readonly<Record<string, Media>>): ReadonlyArray<string> =>
  Object.entries(content).flatMap(([type, { examples = {} }]) =>
    Object.values(examples).slice(0, 1).map(({ summary, value }) =>
      `::: details ${type}: ${summary}\n${
        typeof value === "string" ? code(value, type.includes("xml") ? "xml" : "text") : json(value)
      }\n:::`
    )
  )

const answerOf = (
  [status, { content = {}, description }]: [string, Operation["responses"][string]]
): string => {
  const text = description.replaceAll(
    /^- `([A-Z_]+)`/gm,
    (_, errorCode: string) => `- [\`${errorCode}\`](/reference/errors/${errorPage(errorCode)})`
  )
  const examples = Number(status) < 300 ? examplesOf(content) : []
  const kinds = Number(status) < 300
    ? Object.entries(content).map(([type, { schema }]) => `- \`${type}\`: ${shown(schema)}`)
    : []
  return [`**${status}**`, text, kinds.join("\n"), ...examples].filter((part) => part !== "").join("\n\n")
}

const operationText = (method: string, path: string, operation: Operation): string =>
  [
    `## ${operation.summary}`,
    code(`${method.toUpperCase()} ${path}`, "http"),
    operation.description ?? "",
    ...(operation.parameters === undefined || operation.parameters.length === 0 ? [] : [
      tableOf(
        ["parameter", "in", "type", "required", "meaning"],
        operation.parameters.map((
          { description = "", in: place, name, required = false, schema }
        ) => [`\`${name}\``, place, shown(schema), required ? "yes" : "", description])
      )
    ]),
    ...(operation.requestBody === undefined ? [] : [
      "### Body",
      operation.requestBody.description ?? "",
      Object.entries(operation.requestBody.content).map(([type, { schema }]) =>
        `- \`${type}\`: ${shown(schema)}`
      )
        .join("\n"),
      ...examplesOf(operation.requestBody.content)
    ]),
    "### Answers",
    ...Object.entries(operation.responses).map(answerOf)
  ].join("\n\n")

const operations = Object.entries(openApi.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, operation, path }))
)

const restPages: ReadonlyArray<ReferencePage> = [
  {
    page: "rest/index",
    title: "REST",
    menu: true,
    content: [
      "# REST",
      "A running server shows this reference at `/v1/docs/`, where requests can be tried.",
      "For programs: [openapi.json](/openapi.json){target=_self} and [openapi.yaml](/openapi.yaml){target=_self}.",
      ...openApi.tags.map(({ description, name }) =>
        `- [${name}](/reference/rest/${slugOf(name)}): ${description}`
      ),
      "- [Schemas](/reference/rest/schemas): the bodies of requests and answers",
      openApi.info.description.replaceAll(/^###/gm, "##")
    ].join("\n\n")
  },
  ...openApi.tags.map(({ description, name }) => ({
    page: `rest/${slugOf(name)}`,
    title: name,
    menu: false,
    content: [
      `# ${name}`,
      `${description}.`,
      ...operations.filter(({ operation }) => operation.tags.includes(name)).map((
        { method, operation, path }
      ) => operationText(method, path, operation))
    ].join("\n\n")
  })),
  {
    page: "rest/schemas",
    title: "Schemas",
    menu: false,
    content: [
      "# Schemas",
      ...Object.entries(openApi.components.schemas).map(([name, schema]) =>
        [
          `## ${name} {#${slugOf(name)}}`,
          schema.description ?? "",
          schema.properties === undefined ? shown(schema) : fieldsOf(schema)
        ].join("\n\n")
      )
    ].join("\n\n")
  }
]

const errors: ReadonlyArray<ErrorClass> = [
  Errors,
  RequestErrors,
  OperatorErrors,
  EdiErrors,
  PackingListIntake,
  AlertRule,
  ShipmentException
]
  .flatMap((module) => Object.values(module) as ReadonlyArray<unknown>)
  .filter((member): member is ErrorClass =>
    typeof member === "function" && "category" in member && "example" in member
  )
  .toSorted((one, other) => one.code.localeCompare(other.code))

/** What a client does about an error of each category; all of them changed nothing unless it says so. */
const remedies: Readonly<Record<ErrorCategory, string>> = {
  malformed:
    "Correct what `detail` and `errors` name, and send the request again. The same request is refused again.",
  unauthenticated:
    "Get a new token, and send the request again with it. `WWW-Authenticate` says what is wrong with the one that was sent.",
  forbidden:
    "Ask the operator for the permission at that business and facility. A new token is not needed once it is given.",
  notFound: "Check the id or slug. What the client may not see is not found either.",
  methodNotAllowed: "Use one of the methods that `Allow` lists.",
  notAcceptable: "Ask for a media type that the operation has, or leave `Accept` out.",
  tooSlow: "Send the request again, faster or in smaller parts.",
  conflict:
    "Read what is there now, and decide what should be. The same request is refused again until that changes.",
  expired: "Read on from the oldest message that is kept, and reconcile with a read of the shipments.",
  ahead:
    "Start again from the newest id of the log: the cursor is of another database, or of one before a restore.",
  tooMany: "Ask for less: a smaller `limit`, or a later starting point.",
  tooLarge: "Send less at once, in several requests.",
  unsupportedMediaType:
    "Send one of the media types that the operation takes, with a matching `Content-Type`.",
  misdirected: "Send the request to the address that `detail` names.",
  unprocessable:
    "Correct what `errors` names, and send the request again. The same request is refused again.",
  upgradeRequired: "Open a web socket with a protocol that `Upgrade` names.",
  rateLimited: "Wait for `Retry-After` seconds, and send the same request again.",
  headTooLarge: "Send fewer or shorter headers.",
  internal:
    "Send the same request again, with the same `Idempotency-Key`; if it stays, give the operator the `Correlation-Id`.",
  notImplemented: "The operator has to set the service up for it.",
  unavailable: "Send the same request again after `Retry-After` seconds, with the same `Idempotency-Key`."
}

/** The operations whose answers show the code. */
const answering = (errorCode: string): ReadonlyArray<string> =>
  operations.filter(({ operation }) =>
    Object.values(operation.responses).some(({ content = {} }) =>
      Object.values(content).some(({ examples = {} }) => errorCode in examples)
    )
  ).map(({ operation }) =>
    `- [${operation.summary}](/reference/rest/${slugOf(operation.tags[0]!)}#${slugOf(operation.summary)})`
  )

const errorText = (error: ErrorClass): string => {
  const example: CatalogueError = error.example()
  const operationsOfIt = answering(error.code)
  return [
    `# ${error.code}`,
    `**Status ${statusOf(error.category)}** over REST, \`${
      graphqlCodeOf(error.category)
    }\` in \`extensions.code\` over GraphQL.`,
    "## Why",
    `${error.when.charAt(0).toUpperCase()}${error.when.slice(1)}.`,
    "## What to do",
    remedies[error.category],
    "## What the answer says",
    json(problemOf(example)),
    ...(operationsOfIt.length === 0 ? [] : ["## Where", operationsOfIt.join("\n")])
  ].join("\n\n")
}

const errorPages: ReadonlyArray<ReferencePage> = [
  {
    page: "errors/index",
    title: "Errors",
    menu: true,
    content: [
      "# Errors",
      "Every refusal carries one of these codes, in `code` of a problem (RFC 9457) and in `extensions.errorCode` of an error of GraphQL.",
      tableOf(
        ["code", "status", "when"],
        errors.map((error) => [
          `[\`${error.code}\`](/reference/errors/${errorPage(error.code)})`,
          String(statusOf(error.category)),
          error.when
        ])
      )
    ].join("\n\n")
  },
  ...errors.map((error) => ({
    page: `errors/${errorPage(error.code)}`,
    title: error.code,
    menu: false,
    content: errorText(error)
  }))
]

/** Every page that is made of the code. */
export const referencePages: ReadonlyArray<ReferencePage> = [
  {
    page: "index",
    title: "Reference",
    menu: false,
    content: [
      "# Reference",
      "- [REST](/reference/rest/): every operation, its fields, answers and errors",
      "- [GraphQL](/reference/graphql): the schema",
      "- [Errors](/reference/errors/): a page for each code",
      "- [Settings](/operations/settings): the environment variables of the server",
      "- [Wire contract](/WIRE): every rule and decision",
      "- [Modules of the packages](/api/index.html){target=_self}: every public export"
    ].join("\n\n")
  },
  ...restPages,
  {
    page: "graphql",
    title: "GraphQL",
    menu: true,
    content: [
      "# GraphQL",
      "The schema at `/public_graphql`, as a file: [schema.graphql](/schema.graphql){target=_self}.",
      code(sdl, "graphql")
    ].join("\n\n")
  },
  ...errorPages
]

/** The files for programs, beside the pages. */
export const files: ReadonlyArray<{ readonly name: string; readonly text: string }> = [
  { name: "openapi.json", text: JSON.stringify(openApi, null, 2) },
  { name: "openapi.yaml", text: stringify(openApi, { aliasDuplicateObjects: false }) },
  { name: "schema.graphql", text: `${sdl}\n` }
]

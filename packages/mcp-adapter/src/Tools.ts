/**
 * The declared operations as tools: name, texts, parameters and hints derive from each declaration.
 *
 * Guarantee: no tool has a rule of its own. The reader of the operation reads its arguments: the parameters of the path, and the filters of
 * a list or the members of a body.
 */
import { holds } from "@dockline/core/access/Access"
import type { Principal } from "@dockline/core/access/Access"
import type * as Operation from "@dockline/core/access/Operation"
import type { OperationRegistry } from "@dockline/core/capability/OperationRegistry"
import { defaultRules, schema as documentSchema, stepReader } from "@dockline/core/document/DocumentInput"
import type { DocumentReadResult, DocumentRules } from "@dockline/core/document/DocumentInput"
import { queryReader } from "@dockline/core/embed/DocklineInput"
import * as RequestInput from "@dockline/core/input/RequestInput"
import * as Slices from "@dockline/core/input/Slices"
import type { CatalogueError } from "@dockline/core/values/CatalogueError"
import * as Field from "@dockline/core/values/Field"
import { pageLimit } from "@dockline/core/values/Page"
import type { Tool as Descriptor } from "@modelcontextprotocol/server"
import { Result, Schema } from "effect"

type Arguments = Readonly<Record<string, unknown>>

interface NamedTool {
  readonly method: string
  /** The description for clients. */
  readonly descriptor: Descriptor
}

type ArgumentReader = (args: Arguments) => Result.Result<object, CatalogueError>

interface OperationTool extends NamedTool {
  readonly operation: DeclaredOperation
  /** Reads the arguments of a call into the input of the operation. */
  readonly read: ArgumentReader
}

interface DocumentTool extends NamedTool {
  readonly operation: Operation.AnyUpload
  /** Reads the arguments of a call as a document. */
  readonly readDocument: (args: Arguments) => DocumentReadResult
}

type DeclaredOperation = Exclude<Operation.Any, Operation.AnyUpload>

/** An operation as a tool. */
export type Tool = OperationTool | DocumentTool

const optional = Schema.optionalKey

const page = {
  limit: optional(Field.wholeBetween(1, pageLimit, `The most entries; ${pageLimit} when absent`)),
  after: optional(Field.text("The `next` of the previous page"))
}

/** The members of the body of a write, which is a struct. */
const membersOf = ({ body }: Operation.AnyWrite): Operation.Fields =>
  (body as Schema.Top & { readonly fields: Operation.Fields }).fields

/** The arguments of an operation except the parameters of its path. */
const othersOf = (operation: Operation.Any, rules: DocumentRules): Operation.Fields => {
  switch (operation.kind) {
    case "read":
      return {}
    case "list":
      return { ...operation.filters, ...page }
    case "write":
      return membersOf(operation)
    case "upload":
      return documentSchema(rules).fields
  }
}

type Properties = NonNullable<Descriptor["inputSchema"]["properties"]>

interface JsonSchema {
  readonly allOf?: ReadonlyArray<object>
}

/** Merges the checks of `allOf` into the schema itself, because models read the top level of a schema. */
const withoutAllOf = ({ allOf = [], ...others }: JsonSchema): Properties[string] =>
  Object.assign(others, ...allOf)

const inputSchemaOf = (operation: Operation.Any, rules: DocumentRules): Descriptor["inputSchema"] => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(
    Schema.Struct({ ...operation.params, ...othersOf(operation, rules) })
  )
  return {
    ...schema,
    type: "object",
    properties: Object.fromEntries(
      Object.entries(schema["properties"] as Readonly<Record<string, JsonSchema>>).map(([name, property]) => [
        name,
        withoutAllOf(property)
      ])
    ),
    additionalProperties: false,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
  }
}

/** The effects that a call may have; clients ask people before unsafe calls. */
const annotationsOf = (operation: Operation.Any): NonNullable<Descriptor["annotations"]> =>
  isReading(operation)
    ? { readOnlyHint: true, openWorldHint: false }
    : {
      readOnlyHint: false,
      destructiveHint: operation.kind === "upload" || operation.isAdditive !== true,
      idempotentHint: operation.kind === "write" && operation.isRepeatable === true,
      openWorldHint: false
    }

const isReading = (operation: Operation.Any): operation is Operation.AnyRead | Operation.AnyList =>
  operation.kind === "read" || operation.kind === "list"

const readPage = RequestInput.reader(Schema.Struct({ limit: page.limit }), "a page")

/** The reader of a list's query, which refuses the limits that REST refuses. */
const queryOf = (operation: Operation.AnyList): RequestInput.Reader<object> => {
  const read = queryReader(operation)
  return (query) => Result.andThen(readPage({ limit: (query as Arguments)["limit"] }), () => read(query))
}

const readerOf = (operation: DeclaredOperation): ArgumentReader => {
  const readIds = RequestInput.reader(Schema.Struct(operation.params), "the arguments")
  if (operation.kind === "read") return readIds
  const readOthers: RequestInput.Reader<object> = operation.kind === "list"
    ? queryOf(operation)
    : RequestInput.map(operation.read, (body) => ({ body }))
  return (args) => {
    const ids: Record<string, unknown> = {}
    const others: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(args)) (name in operation.params ? ids : others)[name] = value
    return Result.flatMap(
      readIds(ids),
      (ids) => Result.map(readOthers(others), (others) => ({ ...ids, ...others }))
    )
  }
}

const toolOf = (method: string, operation: Operation.Any, rules: DocumentRules): Tool => {
  const descriptor: Descriptor = {
    name: operation.name,
    title: operation.summary,
    description: operation.description,
    inputSchema: inputSchemaOf(operation, rules),
    annotations: annotationsOf(operation)
  }
  if (operation.kind !== "upload") return { method, descriptor, operation, read: readerOf(operation) }
  const read = stepReader(rules)
  return { method, descriptor, operation, readDocument: (args) => Slices.atOnce(read(args, true)) }
}

export type Tools = ReadonlyMap<string, Tool>

/** One tool for each declared operation. Documents may use the vocabulary and the strategies of `rules`. */
export const toolsOf = (
  operations: OperationRegistry["Service"]["operations"],
  rules: DocumentRules = defaultRules
): Tools =>
  new Map(
    Object.entries(operations).map(([method, operation]) => [
      operation.name,
      toolOf(method, operation, rules)
    ])
  )

/** The tools to list for a client: all that read, and those for which the client has a permission anywhere. */
export const offeredTo = (tools: Tools, principal: Principal): Array<Descriptor> =>
  Array.from(tools.values())
    .filter(({ operation }) =>
      isReading(operation) || operation.may.some((permission) => holds(principal, permission))
    )
    .map(({ descriptor }) => descriptor)

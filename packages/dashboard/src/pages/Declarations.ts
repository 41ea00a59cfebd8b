/**
 * The operations of operators in a form for browsers, from which the pages of operators are generated.
 *
 * Guarantee: everything derives from the declared operations; browsers need no schemas.
 */
import type { AnyOfOperators, Presentation } from "@dockline/core/access/Operation"
import { Schema } from "effect"

/** A body, or a part of it, as JSON Schema. */
export interface BodySchema {
  readonly type?: "object" | "array" | "string" | "boolean" | "integer" | "number"
  readonly description?: string
  readonly enum?: ReadonlyArray<string>
  readonly examples?: ReadonlyArray<string>
  readonly maxLength?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly items?: BodySchema
  readonly properties?: Readonly<Record<string, BodySchema>>
  readonly required?: ReadonlyArray<string>
  readonly anyOf?: ReadonlyArray<BodySchema>
}

/** An operation of operators. */
export interface Declaration {
  readonly kind: AnyOfOperators["kind"]
  /** Such as `PATCH`. */
  readonly method: string
  /** The path, such as `/v1/operator/clients/:clientId`. */
  readonly pattern: string
  readonly summary: string
  readonly description: string
  /** The schema of the body, if the operation has one. */
  readonly body?: BodySchema
  /** The filters of a list. */
  readonly filters?: BodySchema
  /** The columns of a list. */
  readonly columns?: ReadonlyArray<string>
  /** The field of the answer that names the created entity below the path; `null` if the entity has no path of its own. */
  readonly creates?: string | null
  /** Whether the operation ends or removes nothing, so that it needs no confirmation. */
  readonly isAdditive?: boolean
  readonly presentation?: Presentation
}

type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }

/** Replaces each reference to a definition by the definition; no definition refers to itself. */
const resolve = (part: Json, definitions: Readonly<Record<string, Json>>): Json => {
  if (Array.isArray(part)) return part.map((each: Json) => resolve(each, definitions))
  if (part === null || typeof part !== "object") return part
  const { $ref: reference, allOf, ...own } = part as { readonly [name: string]: Json }
  if (typeof reference === "string") {
    return resolve(definitions[reference.slice("#/$defs/".length)] ?? {}, definitions)
  }
  const { anyOf, ...rest } = own
  const only = Array.isArray(anyOf) && anyOf.length === 1 ? anyOf : []
  // Merges `allOf`, whose members refine the schema, and a union with only one member into one schema.
  const beside = [...(Array.isArray(allOf) ? allOf : []), ...only]
  const whole = Object.assign({}, only.length > 0 ? rest : own, ...beside) as typeof own
  return Object.fromEntries(
    Object.entries(whole).filter(([name]) => name !== "additionalProperties")
      .map(([name, each]) => [name, resolve(each, definitions)])
  )
}

const jsonOf = (schema: Schema.Top): BodySchema => {
  const { definitions, schema: part } = Schema.toJsonSchemaDocument(schema)
  // The document is JSON Schema, which its type does not express.
  return resolve(part as Json, definitions as Readonly<Record<string, Json>>) as BodySchema
}

const partsOf = (operation: AnyOfOperators): Partial<Declaration> => {
  if (operation.kind === "read") return {}
  if (operation.kind === "write") {
    const { body, creates, isAdditive } = operation
    return {
      ...(body === undefined ? {} : { body: jsonOf(body) }),
      ...(creates === undefined ? {} : { creates }),
      ...(isAdditive === undefined ? {} : { isAdditive })
    }
  }
  return {
    columns: operation.columns.map(([name]) => name),
    ...(Object.keys(operation.filters).length === 0
      ? {}
      : { filters: jsonOf(Schema.Struct(operation.filters)) })
  }
}

/** The operations, in the order of their declaration. */
export const declarationsOf = (
  operations: Readonly<Record<string, AnyOfOperators>>
): ReadonlyArray<Declaration> =>
  Object.values(operations).map((operation) => {
    const { description, kind, presentation, rest, summary } = operation
    const [method = "", pattern = ""] = rest.split(" ")
    return {
      kind,
      method,
      pattern,
      summary,
      description,
      ...(presentation === undefined ? {} : { presentation }),
      ...partsOf(operation)
    }
  })

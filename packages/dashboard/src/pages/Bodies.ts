/**
 * What the bodies of operators' requests may hold, by the routes of their operations, as JSON Schema: the forms of the pages are made
 * of it.
 *
 * Guarantee: it says what the declared operations say, in a form that a browser reads without the schemas themselves.
 */
import type { AnyOfOperators } from "@dockline/core/access/Operation"
import { Schema } from "effect"

/** A body, or a part of it, as JSON Schema says what it may hold. */
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
  /** What each value of a record may hold. */
  readonly additionalProperties?: BodySchema
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
  // A schema beside the check that refines it, or the one kind that there is: the form takes both for one.
  const beside = [...(Array.isArray(allOf) ? allOf : []), ...only]
  const merged = Object.assign({}, only.length > 0 ? rest : own, ...beside) as typeof own
  return Object.fromEntries(
    Object.entries(merged).filter(([name]) =>
      name !== "additionalProperties" || merged["properties"] === undefined
    )
      .map(([name, each]) => [name, resolve(each, definitions)])
  )
}

/** The bodies by the routes of the operations that take one. */
export const bodiesOf = (
  operations: Readonly<Record<string, AnyOfOperators>>
): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    Object.values(operations).flatMap((operation) => {
      if (operation.kind !== "write" || operation.body === undefined) return []
      const { definitions, schema } = Schema.toJsonSchemaDocument(operation.body)
      // The document is JSON; its type says less.
      return [[operation.rest, resolve(schema as Json, definitions as Readonly<Record<string, Json>>)]]
    })
  )

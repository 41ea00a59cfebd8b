/**
 * The shape of a schema: which of its fields are lists, objects, numbers. It is derived from the schema, so JSON and XML
 * cannot disagree about a body (D2.5), and an invalid body is recognised before it is read completely.
 */
import { Predicate, SchemaAST } from "effect"
import type { Schema } from "effect"
import { isDate } from "../values/Field.ts"

/** One value. `date` is text with a format that the schema checks; `any` is a value that only the schema can check. */
export interface Scalar {
  readonly kind: "string" | "number" | "boolean" | "date" | "any"
}

/** An object with these fields and no others. */
export interface ObjectShape {
  readonly kind: "object"
  readonly fields: Readonly<Record<string, Shape>>
}

/** A list whose entries have one shape. */
export interface ListShape {
  readonly kind: "list"
  readonly of: Shape
  /** The most entries of all lists of this field in one body together, if limited. */
  readonly most?: number | undefined
}

/** The shape of any value in a body. */
export type Shape = Scalar | ObjectShape | ListShape

/** The shape of a struct; `most` limits its lists by name, wherever they occur. */
export const objectOf = (schema: Schema.Top, most: Readonly<Record<string, number>> = {}): ObjectShape => {
  const shape = shapeOf(schema.ast, most)
  if (shape.kind !== "object") throw new TypeError("The schema of a body is a struct")
  return shape
}

/** The shape of any schema; `most` as in {@link objectOf}. */
export const of = (schema: Schema.Top, most: Readonly<Record<string, number>> = {}): Shape =>
  shapeOf(schema.ast, most)

const shapeOf = (ast: SchemaAST.AST, most: Readonly<Record<string, number>>): Shape => {
  switch (ast._tag) {
    case "String":
      return { kind: isDate(ast) ? "date" : "string" }
    case "Number":
      return { kind: "number" }
    case "Boolean":
      return { kind: "boolean" }
    case "Arrays": {
      const [entry] = ast.rest
      return { kind: "list", of: entry === undefined ? { kind: "any" } : shapeOf(entry, most) }
    }
    case "Objects":
      return {
        kind: "object",
        fields: Object.fromEntries(ast.propertySignatures.map(({ name, type }) => {
          const field = shapeOf(type, most)
          return [String(name), field.kind === "list" ? { ...field, most: most[String(name)] } : field]
        }))
      }
    default:
      return { kind: "any" }
  }
}

/** Tells whether a partly read body can still become valid. The schema makes the final check. */
export class Fit {
  readonly #entries = new Map<ListShape, number>()

  /** The shape of a field or an entry within a shape; `undefined` when the shape has no such field. */
  static within(shape: Shape | undefined, key: string | undefined): Shape | undefined {
    if (shape === undefined || shape.kind === "any") return shape
    if (key === undefined) return shape.kind === "list" ? shape.of : undefined
    return shape.kind === "object" && Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined
  }

  /** Whether a field with this value counts as absent: `""` in a field that is not text (D2.4). */
  static isAbsent(value: unknown, field: Shape): boolean {
    return value === "" && !["string", "date", "any"].includes(field.kind)
  }

  /** Counts one more entry of a list, and tells whether the count is within the limit of its field; true for values other than lists. */
  hasRoom(list: Shape): boolean {
    return list.kind !== "list" || list.most === undefined || this.#count(list, 1) <= list.most
  }

  /** Whether a complete value, of at most some thousand characters, fits the shape. */
  fits(value: unknown, shape: Shape): boolean {
    switch (shape.kind) {
      case "any":
        return true
      case "number":
      case "boolean":
        return typeof value === shape.kind
      case "object":
        return Predicate.isObject(value) && !Array.isArray(value) && this.#fieldsFit(value, shape)
      case "list":
        return Array.isArray(value) &&
          (shape.most === undefined || this.#count(shape, value.length) <= shape.most) &&
          value.every((entry) => this.fits(entry, shape.of))
      default:
        return typeof value === "string"
    }
  }

  /** A field with the value `null` counts as absent, even if its name is unknown (D2.3). */
  #fieldsFit(value: object, { fields }: ObjectShape): boolean {
    for (const [name, member] of Object.entries(value)) {
      if (member === null) continue
      const shape = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (shape === undefined || !(Fit.isAbsent(member, shape) || this.fits(member, shape))) return false
    }
    return true
  }

  #count(list: ListShape, more: number): number {
    const entries = (this.#entries.get(list) ?? 0) + more
    this.#entries.set(list, entries)
    return entries
  }
}

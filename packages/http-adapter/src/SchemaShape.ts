/**
 * The XML shape of a schema: which of its fields are lists, objects, numbers. Derived from the schema, so that JSON
 * and XML can never disagree about a document (D2.5).
 */
import { isDate } from "@dockline/core/Field"
import type { Schema, SchemaAST } from "effect"
import type { XmlObject, XmlShape } from "./XmlShape.ts"

/** The shape of a struct schema made of structs, arrays, strings, numbers and booleans. */
export const objectOf = (schema: Schema.Top): XmlObject => {
  const shape = shapeOf(schema.ast)
  if (shape.kind !== "object") throw new TypeError("The schema of a document is a struct")
  return shape
}

const shapeOf = (ast: SchemaAST.AST): XmlShape => {
  switch (ast._tag) {
    case "String":
      return { kind: isDate(ast) ? "date" : "string" }
    case "Number":
      return { kind: "number" }
    case "Boolean":
      return { kind: "boolean" }
    case "Arrays": {
      const [entry] = ast.rest
      const of = entry === undefined ? undefined : shapeOf(entry)
      if (of === undefined || of.kind === "list") {
        throw new TypeError("A list in a document holds scalars or objects")
      }
      return { kind: "list", of }
    }
    case "Objects":
      return {
        kind: "object",
        fields: Object.fromEntries(
          ast.propertySignatures.map(({ name, type }) => [String(name), shapeOf(type)])
        )
      }
    default:
      throw new TypeError(`A document holds no ${ast._tag}`)
  }
}

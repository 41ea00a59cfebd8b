/**
 * Simplifies the generated schemas of the OpenAPI document.
 *
 * Guarantee: the simplified schemas accept the same values, except that an `int64` may be a larger number. Copies that differ only in their number (`Problem_1`, `Problem_2`, …) become
 * one schema. A union of one schema becomes this schema. A union of a plain type and null becomes one schema with two types. A union whose
 * members exclude one another becomes `oneOf`. Integers with the limits of a number become `int64`.
 */

export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

export interface JsonObject {
  readonly [key: string]: Json
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The members of an object; none for any other value. */
export const membersOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

export const toJson = (value: object): Json => JSON.parse(JSON.stringify(value))

const prefix = "#/components/schemas/"

export const schemaRef = (name: string): JsonObject => ({ $ref: `${prefix}${name}` })

/** The content of a body in a media type, with an example. */
export const contentOf = (
  type: string,
  schema: JsonObject,
  value: Json,
  { name = "example", summary = "Example" } = {}
): JsonObject => ({ [type]: { schema, examples: { [name]: { summary, value } } } })

/** Applies a function to every object in an object, the inner ones first, and to the object itself. */
export const mapWithin = (object: JsonObject, f: (object: JsonObject) => JsonObject): JsonObject =>
  membersOf(mapObjects(object, f))

/** Applies a function to every object in a value, the inner ones first. */
const mapObjects = (value: Json, f: (object: JsonObject) => JsonObject): Json => {
  if (Array.isArray(value)) return value.map((entry: Json) => mapObjects(entry, f))
  if (!isObject(value)) return value
  return f(Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapObjects(member, f)])))
}

/** The schema of a plain type or null. Generators of clients understand it as a nullable field, unlike a union. */
const orNull = (anyOf: Json | undefined): JsonObject | undefined => {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return undefined
  const [one, other] = [membersOf(anyOf[0]), membersOf(anyOf[1])]
  if (other["type"] !== "null" || typeof one["type"] !== "string") return undefined
  const words = one["enum"]
  return { ...one, type: [one["type"], "null"], ...(Array.isArray(words) ? { enum: [...words, null] } : {}) }
}

const simplify = (schema: JsonObject): JsonObject => {
  const { allOf, anyOf, ...rest } = schema
  if (Array.isArray(allOf) && allOf.length === 1 && anyOf === undefined) {
    return { ...membersOf(allOf[0]), ...rest }
  }
  if (Array.isArray(anyOf) && anyOf.length === 1 && isObject(anyOf[0])) return { ...anyOf[0], ...rest }
  const nullable = orNull(anyOf)
  if (nullable !== undefined) return { ...nullable, ...rest }
  if (schema["type"] === "integer") {
    const { minimum, maximum, ...bare } = schema
    if (maximum === Number.MAX_SAFE_INTEGER) {
      const boundary: JsonObject = minimum === undefined || minimum === Number.MIN_SAFE_INTEGER
        ? {}
        : { minimum }
      return { ...bare, ...boundary, format: "int64" }
    }
  }
  return schema
}

/**
 * Simplifies all schemas of a document, and merges the copies of a schema under its plain name. A numbered schema stays if it differs from
 * the schema with the plain name.
 */
export const clean = (document: JsonObject): JsonObject => {
  const simple = mapWithin(document, simplify)
  const components = membersOf(simple["components"])
  const schemas = membersOf(components["schemas"])
  const names = new Map(Object.keys(schemas).map((name) => [name, plainName(name, schemas)]))
  const ownSchemas = Object.entries(schemas).filter(([name]) => names.get(name) === name)
  const whole = { ...simple, components: { ...components, schemas: Object.fromEntries(ownSchemas) } }
  const byOneName = mapWithin(whole, (object) => {
    const { $ref } = object
    if (typeof $ref !== "string" || !$ref.startsWith(prefix)) return object
    const name = $ref.slice(prefix.length)
    return { ...object, $ref: `${prefix}${names.get(name) ?? name}` }
  })
  return mapWithin(byOneName, (schema) => toldApart(schema, schemas))
}

/**
 * Turns a union into `oneOf` if its members have different plain types, or different words as `type`: generators of clients make classes
 * from it.
 */
const toldApart = (schema: JsonObject, schemas: JsonObject): JsonObject => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const types = new Set(anyOf.map((member: Json) => membersOf(member)["type"]))
  if (types.size === anyOf.length && !types.has(undefined)) return { oneOf: anyOf, ...rest }
  const mapping = anyOf.flatMap((member: Json): ReadonlyArray<readonly [string, string]> => {
    const { $ref } = membersOf(member)
    if (typeof $ref !== "string") return []
    const { properties } = membersOf(schemas[$ref.slice(prefix.length)])
    const words = membersOf(membersOf(properties)["type"])["enum"]
    return Array.isArray(words) && words.length === 1 ? [[String(words[0]), $ref]] : []
  })
  if (new Set(mapping.map(([word]) => word)).size < anyOf.length) return schema
  return {
    oneOf: anyOf,
    discriminator: { propertyName: "type", mapping: Object.fromEntries(mapping) },
    ...rest
  }
}

/** The name under which a schema is kept. References inside copies are compared by the schemas to which they lead. */
const plainName = (name: string, schemas: JsonObject): string => {
  const plain = /^(.+)_\d+$/.exec(name)?.[1]
  return plain !== undefined && plain in schemas && textOf(schemas[plain]) === textOf(schemas[name])
    ? plain
    : name
}

const textOf = (schema: Json | undefined): string =>
  JSON.stringify(schema ?? null).replaceAll(/(#\/components\/schemas\/\w+?)_\d+"/g, "$1\"")

/** Renames schemas and all references to them. */
export const rename = (document: JsonObject, names: Readonly<Record<string, string>>): JsonObject => {
  const nameOf = (name: string): string => names[name] ?? name
  const components = membersOf(document["components"])
  const schemas = Object.entries(membersOf(components["schemas"]))
  const result = {
    ...document,
    components: {
      ...components,
      schemas: Object.fromEntries(schemas.map(([name, schema]) => [nameOf(name), schema]))
    }
  }
  return mapWithin(result, (object) => {
    const { $ref } = object
    return typeof $ref === "string" && $ref.startsWith(prefix)
      ? { ...object, $ref: `${prefix}${nameOf($ref.slice(prefix.length))}` }
      : object
  })
}

/**
 * Describes how a change of an OpenAPI document breaks the clients of the earlier document.
 *
 * Everything that clients send must still be accepted: their operations, parameters, fields, words and lengths. Everything that they read
 * must still exist, with the same types. The payloads for receivers of webhooks count as answers.
 */
import { isObject, membersOf } from "@dockline/http-adapter/openapi/OpenApiSchemas"
import type { Json, JsonObject } from "@dockline/http-adapter/openapi/OpenApiSchemas"

/** Whether clients send a value or read it. */
type Use = "sent" | "read"

/** The breaks from one document to the next, one sentence each. */
export const breaksOf = (before: JsonObject, after: JsonObject): ReadonlyArray<string> => {
  const schemas: Documents = [before, after]
  const operations = methodsOf(before["paths"]).flatMap(({ name, path, method, operation }) => {
    const now = membersOf(membersOf(membersOf(after["paths"])[path])[method])
    return Object.keys(now).length === 0 ? [`${name} is gone`] : [
      ...parameterBreaks(listOf(operation["parameters"]), listOf(now["parameters"])),
      ...bodyBreaks(schemas, membersOf(operation["requestBody"]), membersOf(now["requestBody"]), "sent"),
      ...answerBreaks(schemas, membersOf(operation["responses"]), membersOf(now["responses"])),
      ...(listOf(operation["security"]).length === 0 && listOf(now["security"]).length > 0
        ? ["now needs a token"]
        : [])
    ].map((text) => joined(name, text))
  })
  const webhooks = methodsOf(before["webhooks"]).flatMap(({ path, method, operation }) => {
    const now = membersOf(membersOf(membersOf(after["webhooks"])[path])[method])
    return Object.keys(now).length === 0 ? [`The webhook ${path} is gone`] : bodyBreaks(
      schemas,
      membersOf(operation["requestBody"]),
      membersOf(now["requestBody"]),
      "read"
    ).map((text) => joined(`The webhook ${path}`, text))
  })
  return [...operations, ...webhooks]
}

/** The documents in which references are looked up. */
type Documents = readonly [before: JsonObject, after: JsonObject]

const listOf = (value: Json | undefined): ReadonlyArray<JsonObject> =>
  Array.isArray(value) ? value.filter((entry: Json) => isObject(entry)) : []

/** Joins a subject and a text; a text that begins with a colon follows its subject directly. */
const joined = (subject: string, text: string): string =>
  text.startsWith(":") ? `${subject}${text}` : `${subject} ${text}`

const textsOf = (value: Json | undefined): ReadonlyArray<Json> => Array.isArray(value) ? value : []

const methodsOf = (paths: Json | undefined) =>
  Object.entries(membersOf(paths)).flatMap(([path, methods]) =>
    Object.entries(membersOf(methods)).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      method,
      operation: membersOf(operation)
    }))
  )

const parameterBreaks = (
  before: ReadonlyArray<JsonObject>,
  after: ReadonlyArray<JsonObject>
): ReadonlyArray<string> => {
  const find = (all: ReadonlyArray<JsonObject>, { in: place, name }: JsonObject) =>
    all.find((each) => each["name"] === name && each["in"] === place)
  return [
    ...before.flatMap((parameter) => {
      const now = find(after, parameter)
      const name = `the parameter ${parameter["name"]}`
      if (now === undefined) return [`no longer takes ${name}`]
      return schemaBreaks([{}, {}], membersOf(parameter["schema"]), membersOf(now["schema"]), "sent").map(
        ({ text }) => `: ${name} ${text}`
      )
    }),
    ...after.filter((parameter) =>
      parameter["required"] === true && find(before, parameter)?.["required"] !== true
    )
      .map(({ name }) => `now needs the parameter ${name}`)
  ]
}

const bodyBreaks = (
  schemas: Documents,
  before: JsonObject,
  after: JsonObject,
  use: Use
): ReadonlyArray<string> => {
  if (Object.keys(before).length === 0) return after["required"] === true ? ["now needs a body"] : []
  return [
    ...(before["required"] !== true && after["required"] === true ? ["now needs a body"] : []),
    ...contentBreaks(schemas, membersOf(before["content"]), membersOf(after["content"]), use)
  ]
}

const answerBreaks = (schemas: Documents, before: JsonObject, after: JsonObject): ReadonlyArray<string> =>
  Object.entries(before).flatMap(([status, answer]) => {
    if (!(status in after)) return status.startsWith("2") ? [`no longer answers ${status}`] : []
    return contentBreaks(
      schemas,
      membersOf(membersOf(answer)["content"]),
      membersOf(membersOf(after[status])["content"]),
      "read"
    ).map((text) => joined(`(${status})`, text))
  })

const contentBreaks = (
  schemas: Documents,
  before: JsonObject,
  after: JsonObject,
  use: Use
): ReadonlyArray<string> =>
  Object.entries(before).flatMap(([type, content]) =>
    type in after
      ? schemaBreaks(
        schemas,
        membersOf(membersOf(content)["schema"]),
        membersOf(membersOf(after[type])["schema"]),
        use
      )
        .map(({ path, text }) => `: ${path === "" ? "the body" : path} ${text}`)
      : [use === "sent" ? `no longer takes ${type}` : `is no longer there in ${type}`]
  )

interface Break {
  /** The field, such as `orders[].items[].lpn`. */
  readonly path: string
  readonly text: string
}

const prefix = "#/components/schemas/"

const resolve = (document: JsonObject, schema: JsonObject): JsonObject => {
  const { $ref } = schema
  if (typeof $ref !== "string") return schema
  return membersOf(membersOf(membersOf(document["components"])["schemas"])[$ref.slice(prefix.length)])
}

/** Bounds of values that clients send, and whether a bound is tighter when it is higher. */
const bounds: Readonly<Record<string, "higher" | "lower">> = {
  minLength: "higher",
  minimum: "higher",
  minItems: "higher",
  maxLength: "lower",
  maximum: "lower",
  maxItems: "lower"
}

const schemaBreaks = (
  schemas: Documents,
  givenBefore: JsonObject,
  givenAfter: JsonObject,
  use: Use,
  seen: ReadonlyArray<Json> = []
): ReadonlyArray<Break> => {
  const name = givenBefore["$ref"]
  if (name !== undefined && seen.includes(name)) return []
  const known = name === undefined ? seen : [...seen, name]
  const [before, after] = [resolve(schemas[0], givenBefore), resolve(schemas[1], givenAfter)]
  const inner = (one: Json | undefined, other: Json | undefined, path: string): ReadonlyArray<Break> =>
    schemaBreaks(schemas, membersOf(one), membersOf(other), use, known).map((each) => ({
      path: each.path === "" || each.path.startsWith("[") ? `${path}${each.path}` : `${path}.${each.path}`,
      text: each.text
    }))

  const unions = [unionOf(before), unionOf(after)] as const
  if (unions[0] !== undefined || unions[1] !== undefined) {
    const [ones, others] = [unions[0] ?? [before], unions[1] ?? [after]]
    const lost = use === "sent"
      ? ones.filter((one) =>
        others.every((other) => schemaBreaks(schemas, one, other, use, known).length > 0)
      )
      : others.filter((other) =>
        ones.every((one) => schemaBreaks(schemas, one, other, use, known).length > 0)
      )
    return lost.length === 0
      ? []
      : [{
        path: "",
        text: use === "sent" ? "no longer takes all that it took" : "may be something that it was not"
      }]
  }

  const types = [typesOf(before), typesOf(after)] as const
  const strange = use === "sent"
    ? types[0].filter((type) => types[1].length > 0 && !isAmong(type, types[1]))
    : types[1].filter((type) => types[0].length > 0 && !isAmong(type, types[0]))
  if (strange.length > 0 || (use === "read" && types[0].length > 0 && types[1].length === 0)) {
    return [{
      path: "",
      text: `was ${types[0].join(" or ") || "anything"}, and is ${types[1].join(" or ") || "anything"}`
    }]
  }
  return [
    ...wordBreaks(before, after, use),
    ...(use === "sent" ? boundBreaks(before, after) : []),
    ...("items" in before ? inner(before["items"], after["items"], "[]") : []),
    ...propertyBreaks(before, after, use, inner)
  ]
}

const unionOf = (schema: JsonObject): ReadonlyArray<JsonObject> | undefined =>
  "oneOf" in schema || "anyOf" in schema ? listOf(schema["oneOf"] ?? schema["anyOf"]) : undefined

const typesOf = ({ type }: JsonObject): ReadonlyArray<string> =>
  typeof type === "string" ? [type] : textsOf(type).map(String)

const isAmong = (type: string, types: ReadonlyArray<string>): boolean =>
  types.includes(type) || (type === "integer" && types.includes("number"))

const wordBreaks = (before: JsonObject, after: JsonObject, use: Use): ReadonlyArray<Break> => {
  const [words, now] = [textsOf(before["enum"]), textsOf(after["enum"])]
  if (use === "sent") {
    if (now.length === 0) return []
    if (words.length === 0) return [{ path: "", text: `now takes only ${now.join(", ")}` }]
    return words.filter((word) => !now.includes(word)).map((word) => ({
      path: "",
      text: `no longer takes ${word}`
    }))
  }
  if (words.length === 0) return []
  if (now.length === 0) return [{ path: "", text: `may be any word, and not only ${words.join(", ")}` }]
  return now.filter((word) => !words.includes(word)).map((word) => ({
    path: "",
    text: `may be ${word}, which is new`
  }))
}

const boundBreaks = (before: JsonObject, after: JsonObject): ReadonlyArray<Break> => [
  ...Object.entries(bounds).flatMap(([bound, tighter]) => {
    const [was, is] = [before[bound], after[bound]]
    if (typeof is !== "number" || was === is) return []
    const isTighter = typeof was !== "number" || (tighter === "higher" ? is > was : is < was)
    return isTighter ? [{ path: "", text: `has a ${bound} of ${is}, and had ${was ?? "none"}` }] : []
  }),
  ...("pattern" in after && after["pattern"] !== before["pattern"]
    ? [{ path: "", text: `has the pattern ${after["pattern"]}, and had ${before["pattern"] ?? "none"}` }]
    : [])
]

const propertyBreaks = (
  before: JsonObject,
  after: JsonObject,
  use: Use,
  inner: (one: Json | undefined, other: Json | undefined, path: string) => ReadonlyArray<Break>
): ReadonlyArray<Break> => {
  const [fields, now] = [membersOf(before["properties"]), membersOf(after["properties"])]
  const [needed, neededNow] = [textsOf(before["required"]), textsOf(after["required"])]
  const isOpen = after["additionalProperties"] !== false
  return [
    ...Object.entries(fields).flatMap(([name, schema]) => {
      if (name in now) return inner(schema, now[name], name)
      return use === "read" || !isOpen
        ? [{ path: name, text: use === "sent" ? "is no longer taken" : "is gone" }]
        : []
    }),
    ...(use === "sent"
      ? neededNow.filter((name) => !needed.includes(name)).map((name) => ({
        path: String(name),
        text: "is now required"
      }))
      : needed.filter((name) => String(name) in now && !neededNow.includes(name)).map((name) => ({
        path: String(name),
        text: "may be absent"
      }))),
    ...(isObject(before["additionalProperties"]) && isObject(after["additionalProperties"])
      ? inner(before["additionalProperties"], after["additionalProperties"], "*")
      : [])
  ]
}

/**
 * Reading an untyped value by a schema of structs, lists and scalars, with every fault named.
 *
 * Guarantee: time and memory are bounded by the schema and by `maxFaults`, whatever the value is: it is entered only
 * where the schema has a struct or a list, each member is read once, and what an accessor or a proxy throws is a fault of
 * its place. So a value may be cyclic, nested or shared without end. A schema decoder that collects all issues would
 * make hundreds of megabytes of a hostile 10 MiB body; this walks the same schema and stops when enough is known.
 */
import { Predicate, SchemaAST } from "effect"
import type { SchemaIssue } from "effect"
import { clip } from "../values/Clip.ts"
import type { FieldError } from "../values/Errors.ts"
import * as Slices from "./Slices.ts"

/** At most so many faults of a document are named. */
export const maxFaults = 1000

/** A place in a document: field names and list indices. */
export type Path = ReadonlyArray<string | number>

/** Writes a path as `items[2].quantity`. */
export const formatPath = (path: Path): string =>
  path.reduce<string>(
    (text, key) =>
      typeof key === "number" ? `${text}[${key}]` : text === "" ? clip(key) : `${text}.${clip(key)}`,
    ""
  )

/** Collects faults, in the order of the document, until there are enough. */
export class Faults {
  readonly errors: Array<FieldError> = []
  /** Whether one of them is a wrong type or an unknown field (D2.3). */
  malformed = false
  /** Where the reading is now. Kept as it goes, so that only a fault costs the making of a path. */
  readonly at: Array<string | number> = []
  /** The objects and lists that hold the place where the reading is now. */
  readonly holders: Array<unknown> = []
  readonly #known = new Set<string>()
  readonly #isPart: boolean

  /** Of a part of a document, a wrong type and an unknown field are faults; what is missing may have followed. */
  constructor({ isPart }: { readonly isPart: boolean } = { isPart: false }) {
    this.#isPart = isPart
  }

  /** Whether nothing more can come of looking on: enough faults are named, and the kind of refusal is known. */
  get isFull(): boolean {
    return this.malformed && this.errors.length >= maxFaults
  }

  /** Adds a fault of the current place, or of a field there, unless one of it is known. */
  add(detail: string, ...fields: Path): void {
    if (!this.#isPart) this.#add(detail, fields)
  }

  #add(detail: string, fields: Path): void {
    if (this.errors.length >= maxFaults) return
    const path = formatPath([...this.at, ...fields])
    if (this.#known.has(path)) return
    this.#known.add(path)
    this.errors.push({ path, detail })
  }

  /** Adds a wrong type or an unknown field. The first is always named: it is what makes the refusal a 400. */
  addMalformed(detail: string, ...fields: Path): void {
    if (!this.malformed && this.errors.length >= maxFaults) this.errors.pop()
    this.malformed = true
    this.#add(detail, fields)
  }
}

/**
 * Reads a value: makes a copy in plain objects and lists, and adds what is wrong with it. Members that are `null`, or
 * `undefined` as an embedding service may pass, are absent (D2.3); inside a list they are refused.
 */
export type Read = (value: unknown, faults: Faults) => Slices.Steps<unknown>

/** A reader of one kind of value: of a scalar at once, of objects and lists in steps. */
type Reader =
  | { readonly isLong: false; readonly read: (value: unknown, faults: Faults) => unknown }
  | { readonly isLong: true; readonly read: Read }

/**
 * Makes the reader, in steps, of a schema made of structs, lists, strings, numbers and booleans; of unions, those of words, of
 * structs that their `type` tells apart, and of one word and a list. `whole` is what texts call the thing that is
 * read.
 */
export const compile = (ast: SchemaAST.AST, whole = "a document"): Read => {
  const { isLong, read } = readerOf(ast, whole)
  return isLong ? read : function*(value, faults) {
    return read(value, faults)
  }
}

const readerOf = (ast: SchemaAST.AST, whole: string): Reader => {
  switch (ast._tag) {
    case "Objects":
      return readObject(ast, whole)
    case "Arrays":
      return readList(ast, whole)
    case "String":
      return readScalar(ast, "a string", Predicate.isString)
    case "Number":
      return readScalar(ast, "a number", Predicate.isNumber)
    case "Boolean":
      return readScalar(ast, "true or false", Predicate.isBoolean)
    case "Literal":
      return readWords([ast])
    case "Union":
      return readUnion(ast, whole)
    default:
      throw new TypeError(`${whole} holds no ${ast._tag}`)
  }
}

/** Stands in a copy for an object or a list of the wrong type: it is there, and has no members. */
const unread = Symbol("of the wrong type")

/** Adds that a value has the wrong type. */
const wrongType = (value: unknown, expected: string, faults: Faults): unknown => {
  const given = describe(value)
  if (faults.holders.includes(value)) faults.addMalformed(cyclic)
  else faults.addMalformed(given === expected ? unreadable : `must be ${expected}, not ${given}`)
  return Object(value) === value ? unread : value
}

const cyclic = "is cyclic: it refers back to what holds it"
const unreadable = "cannot be read"

const readObject = (ast: SchemaAST.Objects, whole: string): Reader => {
  const fields = new Map(
    ast.propertySignatures.map(({ name, type }) => [String(name), readerOf(type, whole)])
  )
  const required = ast.propertySignatures.filter(({ type }) => !SchemaAST.isOptional(type)).map(({ name }) =>
    String(name)
  )
  const read: Read = function*(value, faults) {
    const names = namesOf(value)
    if (names === undefined || faults.holders.includes(value)) return wrongType(value, "an object", faults)
    yield names.length
    const members: Record<string, unknown> = {}
    faults.holders.push(value)
    for (const name of names) {
      if (faults.isFull) break
      faults.at.push(name)
      const member = memberOf(value, name, faults)
      const reader = fields.get(name)
      if (member !== null && member !== undefined) {
        if (reader !== undefined) {
          members[name] = reader.isLong ? yield* reader.read(member, faults) : reader.read(member, faults)
        } else if (faults.holders.includes(member)) faults.addMalformed(cyclic)
        else faults.addMalformed(`is not a field of ${whole}; check its spelling`)
      }
      faults.at.pop()
    }
    faults.holders.pop()
    for (const name of required) if (!Object.hasOwn(members, name)) faults.add("is required", name)
    return members
  }
  return { isLong: true, read }
}

const readList = (ast: SchemaAST.Arrays, whole: string): Reader & { readonly isLong: true } => {
  const entry = ast.rest[0]
  if (entry === undefined) throw new TypeError(`A list in ${whole} has entries of one kind`)
  const reader = readerOf(entry, whole)
  const filters = filtersIn(ast)
  const read: Read = function*(value, faults) {
    const length = lengthOf(value)
    if (length === undefined || faults.holders.includes(value)) return wrongType(value, "a list", faults)
    // The entries of a list that is too long are not looked at: a check of a list is of its length, and gets no entries.
    if (!passes(Object.assign([], { length }), filters, ast, faults)) return unread
    const entries: Array<unknown> = []
    faults.holders.push(value)
    for (let index = 0; index < length && !faults.isFull; index++) {
      faults.at.push(index)
      const entry = memberOf(value, index, faults)
      if (reader.isLong) entries.push(yield* reader.read(entry, faults))
      else {
        entries.push(reader.read(entry, faults))
        yield 1
      }
      faults.at.pop()
    }
    faults.holders.pop()
    return entries
  }
  return { isLong: true, read }
}

/** The names of an object's members; `undefined` for what is no plain object, or does not tell. */
const namesOf = (value: unknown): ReadonlyArray<string> | undefined => {
  try {
    return isPlain(value) ? Object.keys(value) : undefined
  } catch {
    return undefined
  }
}

/** The length of a list; `undefined` for what is no list, or does not tell. */
const lengthOf = (value: unknown): number | undefined => {
  try {
    const length: unknown = Array.isArray(value) ? value.length : undefined
    return typeof length === "number" && length >>> 0 === length ? length : undefined
  } catch {
    return undefined
  }
}

const memberOf = (value: unknown, name: string | number, faults: Faults): unknown => {
  try {
    return (value as Record<string | number, unknown>)[name]
  } catch {
    faults.addMalformed(unreadable)
    return undefined
  }
}

const readScalar = <A>(ast: SchemaAST.AST, expected: string, is: (value: unknown) => value is A): Reader => {
  const filters = filtersIn(ast)
  const read = (value: unknown, faults: Faults): unknown => {
    if (!is(value)) return wrongType(value, expected, faults)
    passes(value, filters, ast, faults)
    return value
  }
  return { isLong: false, read }
}

const readUnion = (ast: SchemaAST.Union, whole: string): Reader => {
  if (ast.types.every(SchemaAST.isLiteral)) return readWords(ast.types)
  if (ast.types.every(SchemaAST.isObjects)) return readTyped(ast.types, whole)
  return readWordOrList(ast, whole)
}

const readWords = (members: ReadonlyArray<SchemaAST.Literal>): Reader => {
  const words: ReadonlyArray<unknown> = members.map(({ literal }) => literal)
  const read = (value: unknown, faults: Faults): unknown => {
    if (!Predicate.isString(value)) return wrongType(value, "a string", faults)
    if (!words.includes(value)) faults.add(`must be one of ${words.join(", ")}`)
    return value
  }
  return { isLong: false, read }
}

/** The field that tells the structs of a union apart. */
const typeField = "type"

const readTyped = (members: ReadonlyArray<SchemaAST.Objects>, whole: string): Reader => {
  const reads = new Map(members.map((member) => [typeOf(member, whole), compile(member, whole)]))
  const types = Array.from(reads.keys()).join(", ")
  const read: Read = function*(value, faults) {
    const names = namesOf(value)
    if (names === undefined) return wrongType(value, "an object", faults)
    faults.at.push(typeField)
    const type = names.includes(typeField) ? memberOf(value, typeField, faults) : undefined
    const readMember = Predicate.isString(type) ? reads.get(type) : undefined
    if (type === undefined || type === null) faults.add("is required")
    else if (!Predicate.isString(type)) wrongType(type, "a string", faults)
    else if (readMember === undefined) faults.add(`must be one of ${types}`)
    faults.at.pop()
    return readMember === undefined ? unread : yield* readMember(value, faults)
  }
  return { isLong: true, read }
}

const typeOf = (member: SchemaAST.Objects, whole: string): string => {
  const type = member.propertySignatures.find(({ name }) => name === typeField)?.type
  if (type === undefined || !SchemaAST.isLiteral(type)) {
    throw new TypeError(`The structs of a union in ${whole} have a literal ${typeField}`)
  }
  return String(type.literal)
}

const readWordOrList = (ast: SchemaAST.Union, whole: string): Reader => {
  const word = ast.types.find(SchemaAST.isLiteral)
  const list = ast.types.find(SchemaAST.isArrays)
  if (word === undefined || list === undefined || ast.types.length > 2) {
    throw new TypeError(`A union in ${whole} is of words, of structs, or of one word and a list`)
  }
  const { read: readEntries } = readList(list, whole)
  const expected = `"${word.literal}" or a list`
  const read: Read = function*(value, faults) {
    if (lengthOf(value) !== undefined) return yield* readEntries(value, faults)
    if (!Predicate.isString(value)) return wrongType(value, expected, faults)
    if (value !== word.literal) faults.add(`must be ${expected}`)
    return value
  }
  return { isLong: true, read }
}

type Filters = ReadonlyArray<SchemaAST.Filter<unknown>>

const filtersIn = (ast: SchemaAST.AST): Filters => (ast.checks ?? []).flatMap(filtersOf)

/** Whether a value passes the checks of its schema; the first that it fails is named. */
const passes = (value: unknown, filters: Filters, ast: SchemaAST.AST, faults: Faults): boolean => {
  for (const filter of filters) {
    const issue = filter.run(value, ast, {})
    if (issue === undefined) continue
    faults.add(messageOf(issue))
    return false
  }
  return true
}

const filtersOf = (check: SchemaAST.Check<unknown>): Filters =>
  check._tag === "Filter" ? [check] : check.checks.flatMap(filtersOf)

const messageOf = (issue: SchemaIssue.Issue): string => {
  if (issue._tag === "Filter") return messageOf(issue.issue)
  return issue._tag === "InvalidValue" ? String(issue.annotations?.message) : "is not valid"
}

/** Whether a value is an object and no list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  Predicate.isObject(value) && !Array.isArray(value)

/** Whether a value is an object that holds its members itself: no date, no map, no bytes, no text as an object. */
const isPlain = (value: unknown): value is object => Predicate.isObject(value) && tagOf(value) === "Object"

const tagOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1)

/** What a value is, in words: `a number`, `a list`, `a Date`. */
export const describe = (value: unknown): string => {
  if (value === null || value === undefined) return String(value)
  if (typeof value === "object") return describeObject(value)
  return `a ${typeof value}`
}

const describeObject = (value: object): string => {
  try {
    if (Array.isArray(value)) return "a list"
    return isPlain(value) ? "an object" : `a ${clip(tagOf(value))} object`
  } catch {
    return "an object that cannot be read"
  }
}

/**
 * Reads untyped values against schemas of structs, lists and scalars: the bodies of requests, and the parts of documents.
 *
 * Guarantee: misspelt fields, wrong types and values out of range are refused, each fault with its path. A reader returns only checked
 * values, and an exception of an accessor or a proxy is a fault. The schema bounds the depth of reading and `maxFaults` the faults,
 * whatever the value is: it may be cyclic, or endlessly nested. A decoder of schemas that collects all issues would need hundreds of
 * megabytes for a hostile body of 10 MiB.
 */
import { Predicate, Result, SchemaAST } from "effect"
import type { Schema, SchemaIssue } from "effect"
import { clip } from "../values/Clip.ts"
import { InvalidRequest, MalformedRequest } from "../values/Errors.ts"
import * as Field from "../values/Field.ts"
import { Faults, unknownName } from "./Faults.ts"
import * as Shape from "./Shape.ts"
import * as Slices from "./Slices.ts"
import type { Steps } from "./Slices.ts"

/**
 * Reads a value: copies it into plain objects and lists, and adds its faults. Members that are `null`, or `undefined` from an embedding
 * service, count as absent (D2.3). So does `""` in a field that is not text, and in an optional field where `""` is not a valid value
 * (D2.4). In a list all of these are refused.
 */
export type Read = (value: unknown, faults: Faults) => Steps<unknown>

type SchemaReader =
  | {
    readonly isLong: false
    readonly read: (value: unknown, faults: Faults) => unknown
    readonly isText?: boolean
  }
  | { readonly isLong: true; readonly read: Read; readonly isText?: boolean }

/**
 * Makes the reader of a schema of structs, lists, strings, numbers, booleans and some unions: unions of words, of structs with a distinct
 * `type`, and of one word and a list. Fault texts call the value `whole`.
 */
export const compile = (ast: SchemaAST.AST, whole = "a document"): Read => {
  const { isLong, read } = readerOf(ast, whole)
  return isLong ? read : function*(value, faults) {
    return read(value, faults)
  }
}

const readerOf = (ast: SchemaAST.AST, whole: string): SchemaReader => {
  switch (ast._tag) {
    case "Objects":
      return readObject(ast, whole)
    case "Arrays":
      return readList(ast, whole)
    case "String":
      return { ...readScalar(ast, "a string", Predicate.isString), isText: true }
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

/** Replaces an object or a list of the wrong type in the copy: the value is present, but has no members. */
const unread = Symbol("of the wrong type")

const wrongType = (value: unknown, expected: string, faults: Faults): unknown => {
  const description = describe(value)
  if (faults.holders.includes(value)) faults.addMalformed(cyclic)
  else faults.addMalformed(description === expected ? unreadable : `must be ${expected}, not ${description}`)
  return Object(value) === value ? unread : value
}

const cyclic = "is cyclic: it refers to an object that contains it"
const unreadable = "cannot be read"

const readObject = (ast: SchemaAST.Objects, whole: string): SchemaReader => {
  const fields = new Map(
    ast.propertySignatures.map(({ name, type }) => [String(name), readerOf(type, whole)])
  )
  const absentWhenEmpty = new Set(
    ast.propertySignatures.filter(({ type }) => isAbsentWhenEmpty(type)).map(({ name }) => String(name))
  )
  const required = ast.propertySignatures.filter(({ type }) => !SchemaAST.isOptional(type)).map(({ name }) =>
    String(name)
  )
  const read: Read = function*(value, faults) {
    const names = namesOf(value)
    if (names === undefined || faults.holders.includes(value)) return wrongType(value, "an object", faults)
    yield names.length
    const members: Record<string, unknown> = {}
    const { at } = faults
    const place = at.push("") - 1
    faults.holders.push(value)
    for (const name of names) {
      if (faults.isFull) break
      at[place] = name
      const member = memberOf(value, name, faults)
      const reader = fields.get(name)
      if (member !== null && member !== undefined) {
        if (reader !== undefined) {
          if (member === "" && (reader.isText !== true || absentWhenEmpty.has(name))) continue
          members[name] = reader.isLong ? yield* reader.read(member, faults) : reader.read(member, faults)
        } else if (faults.holders.includes(member)) faults.addMalformed(cyclic)
        else faults.addMalformed(unknownName(name, `a field of ${whole}`, fields.keys()))
      }
    }
    at.pop()
    faults.holders.pop()
    for (const name of required) if (!Object.hasOwn(members, name)) faults.add("is required", name)
    return members
  }
  return { isLong: true, read }
}

/**
 * Whether `""` in a field means that it is absent: the field is optional, and its schema neither accepts `""` nor refuses it explicitly
 * (`Field.name`).
 */
const isAbsentWhenEmpty = (type: SchemaAST.AST): boolean =>
  SchemaAST.isOptional(type) && type._tag === "String" && Field.wordsOf(type) === undefined &&
  filtersIn(type).some((filter) => filter.run("", type, {}) !== undefined)

const readList = (ast: SchemaAST.Arrays, whole: string): SchemaReader & { readonly isLong: true } => {
  const entry = ast.rest[0]
  if (entry === undefined) throw new TypeError(`A list in ${whole} has entries of one kind`)
  const reader = readerOf(entry, whole)
  const filters = filtersIn(ast)
  const read: Read = function*(value, faults) {
    const length = lengthOf(value)
    if (length === undefined || faults.holders.includes(value)) return wrongType(value, "a list", faults)
    // The entries of an overlong list are not read. Checks of a list see only its length.
    const children: Array<unknown> = []
    children.length = length
    if (!passes(children, filters, ast, faults)) return unread
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

/** The names of an object's members; `undefined` for other values, and when they cannot be read. */
const namesOf = (value: unknown): ReadonlyArray<string> | undefined => {
  try {
    return isPlain(value) ? Object.keys(value) : undefined
  } catch {
    return undefined
  }
}

/** The length of a list; `undefined` for other values, and when it cannot be read. */
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
    // A value without members throws here, or has `undefined`.
    return (value as Record<string | number, unknown>)[name]
  } catch {
    faults.addMalformed(unreadable)
    return undefined
  }
}

const readScalar = <A>(
  ast: SchemaAST.AST,
  expected: string,
  is: (value: unknown) => value is A
): SchemaReader => {
  const filters = filtersIn(ast)
  const read = (value: unknown, faults: Faults): unknown => {
    if (!is(value)) return wrongType(value, expected, faults)
    passes(value, filters, ast, faults)
    return value
  }
  return { isLong: false, read }
}

const readUnion = (ast: SchemaAST.Union, whole: string): SchemaReader => {
  if (ast.types.every(SchemaAST.isLiteral)) return readWords(ast.types)
  if (ast.types.every(SchemaAST.isObjects)) return readTyped(ast.types, whole)
  return readWordOrList(ast, whole)
}

const readWords = (members: ReadonlyArray<SchemaAST.Literal>): SchemaReader => {
  const words: ReadonlyArray<unknown> = members.map(({ literal }) => literal)
  const read = (value: unknown, faults: Faults): unknown => {
    if (!Predicate.isString(value)) return wrongType(value, "a string", faults)
    if (!words.includes(value)) faults.add(`must be one of ${words.join(", ")}`)
    return value
  }
  return { isLong: false, read }
}

/** The field that distinguishes the structs of a union. */
const typeField = "type"

const readTyped = (members: ReadonlyArray<SchemaAST.Objects>, whole: string): SchemaReader => {
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

const readWordOrList = (ast: SchemaAST.Union, whole: string): SchemaReader => {
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

const filtersOf = (check: SchemaAST.Check<unknown>): Filters =>
  check._tag === "Filter" ? [check] : check.checks.flatMap(filtersOf)

/** Whether a value passes the checks of its schema. Adds the first failure to the faults. */
const passes = (value: unknown, filters: Filters, ast: SchemaAST.AST, faults: Faults): boolean => {
  for (const filter of filters) {
    const issue = filter.run(value, ast, {})
    if (issue === undefined) continue
    faults.add(messageOf(issue))
    return false
  }
  return true
}

const messageOf = (issue: SchemaIssue.Issue): string => {
  if (issue._tag === "Filter") return messageOf(issue.issue)
  return issue._tag === "InvalidValue" ? String(issue.annotations?.message) : "is not valid"
}

/** Whether a value is an object, but not a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  Predicate.isObject(value) && !Array.isArray(value)

/** The kind of a value for fault texts: `a number`, `a list`, `a Date`. */
export const describe = (value: unknown): string => {
  if (value === null || value === undefined) return String(value)
  if (typeof value === "object") return describeObject(value)
  return `a ${typeof value}`
}

const describeObject = (value: object): string => {
  try {
    if (Array.isArray(value)) return "a list"
    return isPlain(value) ? "an object" : `a ${clip(tagOf(value).slice(8, -1))} object`
  } catch {
    return "an object that cannot be read"
  }
}

/** Whether a value is a plain object, and not a date, a map, bytes or a boxed text. */
const isPlain = (value: unknown): value is object =>
  Predicate.isObject(value) && tagOf(value) === "[object Object]"

const tagOf = (value: object): string => Object.prototype.toString.call(value)

/** Reads an untyped value, as a JSON parser returns it; fails with a 400 or a 422 (D2.3, D2.4). */
export interface Reader<A> {
  /** `isWhole` is false for the beginning of an input that is known to be invalid. */
  (input: unknown, isWhole?: boolean): Result.Result<A, MalformedRequest | InvalidRequest>
  readonly shape?: Shape.Shape | undefined
}

/** The refusal of a list with more than `most` entries. */
export const tooMany = (list: string, most: number): InvalidRequest =>
  new InvalidRequest({ errors: [{ path: list, detail: Field.tooMany(most) }] })

/** The number of entries in a list of an input. If an accessor or a proxy throws, the reader reports it. */
const countIn = (raw: unknown, list: string): number => {
  try {
    const entries: unknown = isRecord(raw) ? raw[list] : undefined
    return Array.isArray(entries) ? entries.length : 0
  } catch {
    return 0
  }
}

/**
 * Makes the reader of a schema. Fault texts name the input `whole`; `also` adds checks that the schema cannot express. If a list has more
 * entries than `most` permits by its name, the input is refused for that alone, and the rest is not read.
 */
export const reader = <S extends Schema.Top>(
  schema: S,
  whole: string,
  also: (input: Readonly<Record<string, unknown>>, faults: Faults) => void = () => {},
  most: Readonly<Record<string, number>> = {}
): Reader<S["Type"]> => {
  const read = compile(schema.ast, whole)
  const isInput = (input: unknown, faults: Faults): input is S["Type"] => {
    if (isRecord(input)) also(input, faults)
    return faults.errors.length === 0
  }
  const readWhole: Reader<S["Type"]> = (raw, isWhole = true) => {
    for (const [list, limit] of Object.entries(most)) {
      if (countIn(raw, list) > limit) return Result.fail(tooMany(list, limit))
    }
    const faults = new Faults({ isPart: !isWhole })
    const input = Slices.atOnce(read(raw, faults))
    if (isInput(input, faults) && isWhole) return Result.succeed(input)
    const { errors, malformed } = faults
    return Result.fail(malformed ? new MalformedRequest({ errors }) : new InvalidRequest({ errors }))
  }
  return Object.assign(readWhole, { shape: Shape.of(schema, most) })
}

/** Makes a reader that converts the result of another; `absent` replaces a missing body. */
export const map = <A, B>(read: Reader<A>, f: (input: A) => B, absent?: unknown): Reader<B> =>
  Object.assign(
    (raw: unknown, isWhole?: boolean) => Result.map(read(raw === undefined ? absent : raw, isWhole), f),
    { shape: read.shape }
  )

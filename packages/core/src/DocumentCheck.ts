/**
 * Checking an untyped value against a schema of structs, lists and scalars, with every fault named.
 *
 * Guarantee: time and memory are bounded by what the value holds and by `maxFaults`, however much of it is wrong. A
 * schema decoder that collects all issues would make hundreds of megabytes of a hostile 10 MiB body; this walks the
 * same schema and stops when enough is known.
 */
import { Predicate, SchemaAST } from "effect"
import type { SchemaIssue } from "effect"
import type { FieldError } from "./Errors.ts"

/** At most so many faults of a document are named. */
export const maxFaults = 1000

/** A place in a document: field names and list indices. */
export type Path = ReadonlyArray<string | number>

/** A client's own text is echoed only so far. */
const clip = (
  text: string
): string => (text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text)

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
  /** Where the check is now. Kept as it goes, so that only a fault costs the making of a path. */
  readonly at: Array<string | number> = []
  readonly #known = new Set<string>()

  /** Whether nothing more can come of looking on: enough faults are named, and the kind of refusal is known. */
  get isFull(): boolean {
    return this.malformed && this.errors.length >= maxFaults
  }

  /** Adds a fault of the current place, or of a field there, unless one of it is known. */
  add(detail: string, ...fields: Path): void {
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
    this.add(detail, ...fields)
  }
}

/** Checks a value, and adds what is wrong with it. */
export type Check = (value: unknown, faults: Faults) => void

/**
 * Makes the check of a schema made of structs, lists, strings, numbers and booleans; of unions, those of words, of
 * structs that their `type` tells apart, and of one word and a list. `whole` is what texts call the thing that is
 * checked.
 */
export const compile = (ast: SchemaAST.AST, whole = "a document"): Check => {
  switch (ast._tag) {
    case "Objects":
      return checkObject(ast, whole)
    case "Arrays":
      return checkList(ast, whole)
    case "String":
      return checkScalar(ast, "a string", Predicate.isString)
    case "Number":
      return checkScalar(ast, "a number", Predicate.isNumber)
    case "Boolean":
      return checkScalar(ast, "true or false", Predicate.isBoolean)
    case "Literal":
      return checkWords([ast])
    case "Union":
      return checkUnion(ast, whole)
    default:
      throw new TypeError(`${whole} holds no ${ast._tag}`)
  }
}

const checkObject = (ast: SchemaAST.Objects, whole: string): Check => {
  const fields = new Map(
    ast.propertySignatures.map(({ name, type }) => [String(name), compile(type, whole)])
  )
  const required = ast.propertySignatures.filter(({ type }) => !SchemaAST.isOptional(type)).map(({ name }) =>
    String(name)
  )
  return (value, faults) => {
    if (!isRecord(value)) return faults.addMalformed(`must be an object, not ${describe(value)}`)
    for (const name of Object.keys(value)) {
      if (faults.isFull) return
      const check = fields.get(name)
      if (check === undefined) {
        faults.addMalformed(`is not a field of ${whole}; check its spelling`, name)
        continue
      }
      faults.at.push(name)
      check(value[name], faults)
      faults.at.pop()
    }
    for (const name of required) if (!Object.hasOwn(value, name)) faults.add("is required", name)
  }
}

const checkList = (ast: SchemaAST.Arrays, whole: string): Check => {
  const entry = ast.rest[0]
  if (entry === undefined) throw new TypeError(`A list in ${whole} has entries of one kind`)
  const check = compile(entry, whole)
  const filters = filtersIn(ast)
  return (value, faults) => {
    if (!Array.isArray(value)) return faults.addMalformed(`must be a list, not ${describe(value)}`)
    // The entries of a list that is too long are not looked at.
    if (!passes(value, filters, ast, faults)) return
    for (let index = 0; index < value.length && !faults.isFull; index++) {
      faults.at.push(index)
      check(value[index], faults)
      faults.at.pop()
    }
  }
}

const checkScalar = <A>(ast: SchemaAST.AST, expected: string, is: (value: unknown) => value is A): Check => {
  const filters = filtersIn(ast)
  return (value, faults) => {
    if (!is(value)) return faults.addMalformed(`must be ${expected}, not ${describe(value)}`)
    passes(value, filters, ast, faults)
  }
}

const checkUnion = (ast: SchemaAST.Union, whole: string): Check => {
  if (ast.types.every(SchemaAST.isLiteral)) return checkWords(ast.types)
  if (ast.types.every(SchemaAST.isObjects)) return checkTyped(ast.types, whole)
  return checkWordOrList(ast, whole)
}

const checkWords = (members: ReadonlyArray<SchemaAST.Literal>): Check => {
  const words: ReadonlyArray<unknown> = members.map(({ literal }) => literal)
  return (value, faults) => {
    if (!Predicate.isString(value)) return faults.addMalformed(`must be a string, not ${describe(value)}`)
    if (!words.includes(value)) faults.add(`must be one of ${words.join(", ")}`)
  }
}

/** The field that tells the structs of a union apart. */
const typeField = "type"

const checkTyped = (members: ReadonlyArray<SchemaAST.Objects>, whole: string): Check => {
  const checks = new Map(members.map((member) => [typeOf(member, whole), compile(member, whole)]))
  const types = Array.from(checks.keys()).join(", ")
  return (value, faults) => {
    if (!isRecord(value)) return faults.addMalformed(`must be an object, not ${describe(value)}`)
    if (!Object.hasOwn(value, typeField)) return faults.add("is required", typeField)
    const type = value[typeField]
    if (!Predicate.isString(type)) {
      return faults.addMalformed(`must be a string, not ${describe(type)}`, typeField)
    }
    const check = checks.get(type)
    if (check === undefined) return faults.add(`must be one of ${types}`, typeField)
    check(value, faults)
  }
}

const typeOf = (member: SchemaAST.Objects, whole: string): string => {
  const type = member.propertySignatures.find(({ name }) => name === typeField)?.type
  if (type === undefined || !SchemaAST.isLiteral(type)) {
    throw new TypeError(`The structs of a union in ${whole} have a literal ${typeField}`)
  }
  return String(type.literal)
}

const checkWordOrList = (ast: SchemaAST.Union, whole: string): Check => {
  const word = ast.types.find(SchemaAST.isLiteral)
  const list = ast.types.find(SchemaAST.isArrays)
  if (word === undefined || list === undefined || ast.types.length > 2) {
    throw new TypeError(`A union in ${whole} is of words, of structs, or of one word and a list`)
  }
  const check = checkList(list, whole)
  const expected = `must be "${word.literal}" or a list`
  return (value, faults) => {
    if (Array.isArray(value)) return check(value, faults)
    if (!Predicate.isString(value)) return faults.addMalformed(`${expected}, not ${describe(value)}`)
    if (value !== word.literal) faults.add(expected)
  }
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

/** JSON `null`, and an `undefined` of an embedding service, mean absent (D2.3); inside a list they are refused. */
export const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!Predicate.isObject(value)) return value
  const kept = Object.entries(value).filter(([, member]) => member !== null && member !== undefined)
  // fromEntries defines own members, so a key named __proto__ stays a member and is refused as unknown.
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutNulls(member)]))
}

/** Whether a value is an object and no list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  Predicate.isObject(value) && !Array.isArray(value)

const describe = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "a list"
  return Predicate.isObject(value) ? "an object" : `a ${typeof value}`
}

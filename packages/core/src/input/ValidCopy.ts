/**
 * Copies short values that have no fault at a fraction of the cost of `DocumentCheck`, which reads all other values.
 *
 * Guarantee: the copy of a value is what `DocumentCheck` makes of it. A value with a fault, a value beyond the budget, and a value that cannot be read have no copy.
 */
import { Predicate, SchemaAST } from "effect"

/** Copies a value and takes its cost from the budget; {@link none} when there is no copy, or the budget is used up. */
export type Copy = (value: unknown, budget: { left: number }) => unknown

/** Says that a value has no copy. */
export const none = Symbol("no copy")

/** Makes the {@link Copy} of a schema that `DocumentCheck` takes. Only words have copies among its unions. */
export const compile = (ast: SchemaAST.AST): Copy => {
  const part = partOf(ast)
  return (value, budget) => {
    try {
      return part(value, budget)
    } catch {
      return none
    }
  }
}

const partOf = (ast: SchemaAST.AST): Copy => {
  switch (ast._tag) {
    case "Objects":
      return objectPart(ast)
    case "Arrays":
      return listPart(ast)
    case "String":
    case "Number":
    case "Boolean":
      return scalarPart(ast, ast._tag.toLowerCase())
    case "Literal":
      return wordPart([ast])
    case "Union":
      return ast.types.every(SchemaAST.isLiteral) ? wordPart(ast.types) : () => none
    default:
      return () => none
  }
}

const scalarPart = (ast: SchemaAST.AST, type: string): Copy => {
  const filters = filtersIn(ast)
  return (value) => {
    if (typeof value !== type) return none
    for (const filter of filters) if (filter.run(value, ast, {}) !== undefined) return none
    return value
  }
}

const wordPart = (members: ReadonlyArray<SchemaAST.Literal>): Copy => {
  const words = new Set<unknown>(members.map(({ literal }) => literal))
  return (value) => typeof value === "string" && words.has(value) ? value : none
}

const objectPart = (ast: SchemaAST.Objects): Copy => {
  const parts = new Map(ast.propertySignatures.map(({ name, type }) => [String(name), partOf(type)]))
  const required = ast.propertySignatures.filter(({ type }) => !SchemaAST.isOptional(type)).map(({ name }) =>
    String(name)
  )
  return (value, budget) => {
    if (!isPlain(value)) return none
    // The members of the copy are checked, so that an accessor cannot give another value afterwards.
    const copy: Record<string, unknown> = { ...value }
    let hasAbsent = false
    for (const name in copy) {
      budget.left--
      const member = copy[name]
      if (member === null || member === undefined) {
        hasAbsent = true
        continue
      }
      const part = parts.get(name)
      if (part === undefined) return none
      const made = part(member, budget)
      if (made === none) return none
      if (made !== member) copy[name] = made
    }
    if (budget.left < 0) return none
    for (const name of required) if (copy[name] === undefined || copy[name] === null) return none
    return hasAbsent ? withoutAbsent(copy) : copy
  }
}

const withoutAbsent = (copy: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(copy).filter(([, member]) => member !== null && member !== undefined))

const listPart = (ast: SchemaAST.Arrays): Copy => {
  const entry = ast.rest[0]
  if (entry === undefined) return () => none
  const part = partOf(entry)
  const filters = filtersIn(ast)
  return (value, budget) => {
    if (!Array.isArray(value)) return none
    const { length } = value
    if (length > budget.left) return none
    budget.left -= length
    const copy: Array<unknown> = []
    for (let index = 0; index < length; index++) {
      const made = part(value[index], budget)
      if (made === none) return none
      copy.push(made)
    }
    for (const filter of filters) if (filter.run(copy, ast, {}) !== undefined) return none
    return copy
  }
}

export type Filters = ReadonlyArray<SchemaAST.Filter<unknown>>

export const filtersIn = (ast: SchemaAST.AST): Filters => (ast.checks ?? []).flatMap(filtersOf)

const filtersOf = (check: SchemaAST.Check<unknown>): Filters =>
  check._tag === "Filter" ? [check] : check.checks.flatMap(filtersOf)

/** Whether a value is a plain object: no date, map, bytes or boxed text. */
export const isPlain = (value: unknown): value is object =>
  Predicate.isObject(value) && tagOf(value) === "[object Object]"

export const tagOf = (value: object): string => Object.prototype.toString.call(value)

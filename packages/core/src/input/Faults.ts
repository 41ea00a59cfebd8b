/**
 * Collects the faults of an input, each with its path: at most {@link maxFaults}, and at most one for each path. Also suggests the
 * known name nearest to a misspelt name.
 */
import type { FieldError } from "../values/CatalogueError.ts"
import { clip } from "../values/Clip.ts"

/** The most faults that a refusal lists (D2.3). */
export const maxFaults = 1000

/** A position in a document: field names and list indices. */
export type Path = ReadonlyArray<string | number>

/** Writes a path as `items[2].quantity`. */
export const formatPath = (path: Path): string =>
  path.reduce<string>(
    (text, key) =>
      typeof key === "number" ? `${text}[${key}]` : text === "" ? clip(key) : `${text}.${clip(key)}`,
    ""
  )

/** Collects at most {@link maxFaults} faults, in the order of the document. */
export class Faults {
  readonly errors: Array<FieldError> = []
  /** Whether one of the faults is a wrong type or an unknown field (D2.3). */
  malformed = false
  /** The current position. The reader keeps it up to date, so that a path is built only for a fault. */
  readonly at: Array<string | number> = []
  /** The objects and lists that contain the current position. */
  readonly holders: Array<unknown> = []
  readonly #known = new Set<string>()
  readonly #isPart: boolean

  /** With `isPart`, missing and bad values are no faults, because the rest of the document could have made them valid. */
  constructor({ isPart }: { readonly isPart: boolean } = { isPart: false }) {
    this.#isPart = isPart
  }

  /** Whether further reading is useless: the list of faults is full, and the kind of refusal is decided. */
  get isFull(): boolean {
    return this.malformed && this.errors.length >= maxFaults
  }

  /** Adds a fault at the current position or at a field below it, unless its path already has a fault. */
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

  /** Adds a wrong type or an unknown field. The list always names the first of these faults, because it makes the refusal a 400. */
  addMalformed(detail: string, ...fields: Path): void {
    if (!this.malformed && this.errors.length >= maxFaults) this.errors.pop()
    this.malformed = true
    this.#add(detail, fields)
  }
}

/**
 * The known name nearest to a misspelt one, ignoring case; `undefined` if none is near enough. A letter that is added, left out, replaced
 * or swapped with its neighbour counts as one difference. A third of the letters of the known name may differ, but at most two. If several
 * names are equally near, the first wins. The work is bounded by the known names, however long the misspelt one is.
 */
export const nearest = (misspelt: string, names: Iterable<string>): string | undefined => {
  let nearest: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const name of names) {
    const most = Math.min(mostDifferences, Math.floor(name.length / 3))
    if (Math.abs(name.length - misspelt.length) > most) continue
    const differences = differencesOf(misspelt.toLowerCase(), name.toLowerCase())
    if (differences <= most && differences < least) {
      least = differences
      nearest = name
    }
  }
  return nearest
}

/** The error text for an unknown name, with a remedy. `role` says what the name is not, such as “a field of a document”. */
export const unknownName = (name: string, role: string, names: Iterable<string>): string => {
  const suggestion = nearest(name, names)
  return `is not ${role}; ${suggestion === undefined ? "check its spelling" : `did you mean ${suggestion}?`}`
}

const mostDifferences = 2

/** The optimal string alignment distance. */
const differencesOf = (a: string, b: string): number => {
  let beforeLast: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current.push(Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY
      ))
    }
    beforeLast = last
    last = current
  }
  return at(last, b.length)
}

const at = (row: ReadonlyArray<number>, column: number): number => row[column] ?? Number.POSITIVE_INFINITY

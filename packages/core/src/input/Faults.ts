/**
 * Collects the faults of an input, each with its path: at most {@link maxFaults}, and one for each path.
 */
import type { FieldError } from "../values/CatalogueError.ts"
import { clip } from "../values/Clip.ts"

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

/** Collects faults in the order of the document, until there are enough. */
export class Faults {
  readonly errors: Array<FieldError> = []
  /** Whether a fault is a wrong type or an unknown field (D2.3). */
  malformed = false
  /** The current place. It is kept up to date while reading, so that only faults cost the making of a path. */
  readonly at: Array<string | number> = []
  /** The objects and lists that contain the current place. */
  readonly holders: Array<unknown> = []
  readonly #known = new Set<string>()
  readonly #isPart: boolean

  /**
   * In a part of a document (`isPart`) only wrong types and unknown fields are faults; missing fields might have
   * followed.
   */
  constructor({ isPart }: { readonly isPart: boolean } = { isPart: false }) {
    this.#isPart = isPart
  }

  /** Whether reading on is useless: enough faults are named, and the kind of refusal is known. */
  get isFull(): boolean {
    return this.malformed && this.errors.length >= maxFaults
  }

  /** Adds a fault of the current place or of a field there, unless that place already has one. */
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

  /** Adds a wrong type or an unknown field. The first is always named, because it makes the refusal a 400. */
  addMalformed(detail: string, ...fields: Path): void {
    if (!this.malformed && this.errors.length >= maxFaults) this.errors.pop()
    this.malformed = true
    this.#add(detail, fields)
  }
}

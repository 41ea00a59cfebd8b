/**
 * Stores and loads the sets of files in parts, each of which is a row, and loads files with their sets.
 *
 * Guarantee: no row and no statement has more than {@link mostSets} sets, however many sets a file has. Long texts and many sets are read
 * in parts, so that other requests can run between two statements.
 */
import { AnswerMemory } from "@dockline/core/access/RequestLimits"
import type { Operations } from "@dockline/sql-storage/rows/BusinessRows"
import { Effect, Schema } from "effect"
import type { Statement } from "effect/sql"
import { countsOf, outcomeOf } from "../domain/EdiFile.ts"
import type { EdiFile, EdiFileDraft, EdiOutcome, EdiSet } from "../domain/EdiFile.ts"
import type { EdiMark, EdiSentFile } from "../domain/EdiStore.ts"
import { FileBody, Sets } from "./EdiRows.ts"

/** The number of sets in each part but the last. */
const partSize = 500

/** The most sets that one statement reads or writes. */
export const mostSets = 1000

/** The number of sets of a stored file. */
interface FileSize {
  readonly id: number
  readonly setCount: number
}

/** A part of a file, with its number of sets. */
interface Part<out F> {
  readonly file: F
  /** Its number in the file, from 0. */
  readonly part: number
  readonly count: number
  readonly isLast: boolean
}

type Business = string | Statement.Fragment

/** Divides a list into pages of bounded weight. A page whose only entry exceeds the bound is allowed. */
export const pagesBy = <A>(
  all: ReadonlyArray<A>,
  most: number,
  weightOf: (one: A) => number
): ReadonlyArray<ReadonlyArray<A>> => {
  const pages: Array<Array<A>> = []
  let sum = Infinity
  for (const one of all) {
    const weight = weightOf(one)
    sum += weight
    if (sum > most) {
      pages.push([one])
      sum = weight
    } else pages.at(-1)?.push(one)
  }
  return pages
}

const partsOf = <F extends Pick<FileSize, "setCount">>(file: F): ReadonlyArray<Part<F>> => {
  const parts = Math.ceil(file.setCount / partSize)
  return Array.from({ length: parts }, (_, part) => ({
    file,
    part,
    count: Math.min(partSize, file.setCount - part * partSize),
    isLast: part === parts - 1
  }))
}

const pagesOf = <F>(parts: ReadonlyArray<Part<F>>) => pagesBy(parts, mostSets, ({ count }) => count)

/** The first part of sets to be stored, which is written with its file. */
export const firstPart = (sets: EdiFileDraft["sets"]): EdiFileDraft["sets"] => sets.slice(0, partSize)

/** Stores the sets of new files that come after their first parts. */
export const addFurther = Effect.fnUntraced(
  function*(
    run: Operations["run"],
    business: Business,
    files: ReadonlyArray<Pick<EdiFileDraft, "sets"> & { readonly id: number }>
  ) {
    const further = files.flatMap(({ id, sets }) =>
      partsOf({ id, sets, setCount: sets.length }).filter(({ part }) => part > 0)
    )
    for (const page of pagesOf(further)) {
      const rows = page.map(({ file: { id, sets }, part }) => ({
        id,
        part,
        sets: sets.slice(part * partSize, (part + 1) * partSize)
      }))
      yield* run`dockline.edi_sets_add(${business}, ${JSON.stringify(rows)})`
    }
  }
)

const loadPage = (
  call: Operations["call"],
  business: Business,
  page: ReadonlyArray<Part<FileSize>>
) =>
  call(Schema.Array(Schema.NullOr(Sets)))`dockline.edi_sets(${business}, ${
    page.map(({ file }) => file.id)
  }, ${page.map(({ part }) => part)})`

/** Loads the sets of a file that come after its first part. */
export const loadFurther = Effect.fnUntraced(
  function*(call: Operations["call"], business: Business, file: FileSize) {
    const sets: Array<EdiSet> = []
    for (const page of pagesOf(partsOf(file).slice(1))) {
      // A file that has expired meanwhile has no more parts.
      for (const part of yield* loadPage(call, business, page)) sets.push(...part ?? [])
    }
    return sets
  }
)

/** Marks the sets of sent files: it loads, marks and writes one page of parts before the next. */
export const markAll = Effect.fnUntraced(
  function*(
    { call, run }: Pick<Operations, "call" | "run">,
    business: Business,
    files: ReadonlyArray<EdiSentFile & FileSize>,
    mark: EdiMark
  ) {
    /** The sets of the current file so far, and whether a mark has changed any of them. */
    let marks: Array<{ readonly kind: string; readonly outcome: EdiOutcome }> = []
    let isChanged = false
    for (const page of pagesOf(files.flatMap(partsOf))) {
      const loadedSets = yield* loadPage(call, business, page)
      const partRows: Array<
        { readonly id: number; readonly part: number; readonly sets: ReadonlyArray<EdiSet> }
      > = []
      const fileRows: Array<
        { readonly id: number; readonly outcome: EdiOutcome; readonly rejectedCount: number }
      > = []
      for (const [index, { file: { control, id }, isLast, part }] of page.entries()) {
        const before = loadedSets[index] ?? []
        const after = before.map((set) => mark(set, control))
        marks.push(...after.map(({ kind, outcome }) => ({ kind, outcome })))
        if (after.some((set, place) => set !== before[place])) {
          isChanged = true
          partRows.push({ id, part, sets: after })
        }
        if (!isLast) continue
        if (isChanged) {
          fileRows.push({ id, outcome: outcomeOf(marks), rejectedCount: countsOf(marks).rejectedCount })
        }
        marks = []
        isChanged = false
      }
      if (partRows.length + fileRows.length > 0) {
        yield* run`dockline.edi_mark(${business}, ${JSON.stringify(partRows)}, ${JSON.stringify(fileRows)})`
      }
    }
  }
)

/** The number of characters of a text that one statement reads. They are decoded and parsed without a pause. */
export const textPart = 2_000_000

/** Loads a long text of a file, or its answer, in parts. */
export const loadText = Effect.fnUntraced(
  function*(call: Operations["call"], business: Business, id: number, isAnswer: boolean) {
    const parts: Array<string> = []
    for (;;) {
      const part = yield* call(
        Schema.NullOr(Schema.String)
      )`dockline.edi_file_part(${business}, ${id}, ${isAnswer}, ${parts.length})`
      // A file that has expired meanwhile has no more parts.
      if (part === null || part === "") return parts.join("")
      parts.push(part)
    }
  }
)

/** Loads the file with an id at a business; `null` if there is none. */
export const load = Effect.fnUntraced(
  function*(call: Operations["call"], business: Business, id: number) {
    const page = yield* call(FileBody)`dockline.edi_file_shown(${business}, ${id})`
    if (page === null) return null
    const [entry, firstSets, faults, ...short] = page
    const text = short[0] ?? (yield* loadText(call, business, id, false))
    const answer = short[1] ?? (yield* loadText(call, business, id, true))
    const { kinds: _kinds, rejectedCount: _rejected, setCount, ...file } = entry
    const sets = [...firstSets, ...(yield* loadFurther(call, business, { id, setCount }))]
    return { ...file, sets, faults, text, answer } satisfies EdiFile
  }
)

/** Loads a file after reserving its size in `AnswerMemory`. `onLoan` runs each statement on a borrowed connection. */
export const loadRoomy = Effect.fnUntraced(
  function*(
    call: Operations["call"],
    onLoan: ReturnType<Operations["loan"]>,
    business: Business,
    id: number
  ) {
    const bytes = yield* onLoan(
      call(Schema.NullOr(Schema.BigInt))`dockline.edi_file_bytes(${business}, ${id})`
    )
    if (bytes === null) return null
    const memory = yield* AnswerMemory
    yield* memory.reserve(Number(bytes))
    return yield* load((schema) => (text, ...args) => onLoan(call(schema)(text, ...args)), business, id)
  }
)

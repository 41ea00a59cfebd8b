/**
 * Loads a file of the exchange.
 *
 * Guarantee: a long text and many sets are read in parts, between which other requests run.
 */
import { AnswerRoom } from "@dockline/core/access/RequestLimits"
import type { Operations } from "@dockline/sql-storage/rows/BusinessRows"
import { Effect, Schema } from "effect"
import type { Statement } from "effect/sql"
import type { EdiFile } from "../domain/EdiFile.ts"
import { FileBody } from "./EdiRows.ts"
import * as SetParts from "./SetParts.ts"

/** The number of characters of a text that one statement reads: all of them are decoded and parsed at once. */
export const textPart = 2_000_000

type Business = string | Statement.Fragment

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

/** Loads the file with an id of a business, which is the business of the database; `null` if there is none. */
export const load = Effect.fnUntraced(
  function*(call: Operations["call"], business: Business, id: number) {
    const page = yield* call(FileBody)`dockline.edi_file_shown(${business}, ${id})`
    if (page === null) return null
    const [entry, firstSets, faults, ...short] = page
    const text = short[0] ?? (yield* loadText(call, business, id, false))
    const answer = short[1] ?? (yield* loadText(call, business, id, true))
    const { kinds: _kinds, rejectedCount: _rejected, setCount, ...file } = entry
    const sets = [...firstSets, ...(yield* SetParts.loadFurther(call, business, { id, setCount }))]
    return { ...file, sets, faults, text, answer } satisfies EdiFile
  }
)

/** Loads a file once the answer has room for it; `lent` gives each statement a connection of its own. */
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
    const room = yield* AnswerRoom
    yield* room.take(Number(bytes))
    return yield* load((schema) => (text, ...args) => onLoan(call(schema)(text, ...args)), business, id)
  }
)

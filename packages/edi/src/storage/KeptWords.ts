/** The words of orders (D23.5) on PostgreSQL. */
import { businessId, indexKey } from "@dockline/sql-storage/rows/BusinessRows"
import type { Operations } from "@dockline/sql-storage/rows/BusinessRows"
import { Effect } from "effect"
import type { EdiWords, PartnerKey } from "../domain/EdiStore.ts"
import { WordRows } from "./EdiRows.ts"

/** Loads the words that are kept of orders of a partner. */
export const loadWords = Effect.fnUntraced(
  function*(
    call: Operations["call"],
    { business, key: partner }: PartnerKey,
    orderNumbers: ReadonlyArray<string>
  ) {
    const numbers = new Map(orderNumbers.map((number) => [indexKey(number), number]))
    const rows = yield* call(WordRows)`
      dockline.edi_words(${businessId(business)}, ${partner}, ${Array.from(numbers.keys())})`
    // The keys are those that were asked for.
    return rows.map(({ key, words }): EdiWords => ({ orderNumber: numbers.get(key)!, words }))
  }
)

/**
 * A file of the exchange, as SQL shows it.
 */
import type { EdiFile, EdiFileEntry } from "@dockline/core/edi/EdiFile"

/** What `edi_file_shown` returns. */
export type ShownFile = readonly [
  entry: EdiFileEntry,
  sets: EdiFile["sets"],
  faults: EdiFile["faults"],
  text: string,
  answer: string
]

export const toFile = ([entry, sets, faults, text, answer]: ShownFile): EdiFile => {
  const { kinds: _kinds, rejectedCount: _rejected, setCount: _sets, ...file } = entry
  return { ...file, sets, faults, text, answer }
}

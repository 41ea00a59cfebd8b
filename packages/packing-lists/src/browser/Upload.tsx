/**
 * Sends a file once for each part that the service processes, with the point from which to go on (`from`), and reports the outcome after each
 * part, so that people know which parts were processed even if a later one fails.
 */
import { performFile, slugsOf } from "@dockline/dashboard/browser/PageParts"
import type { Place } from "@dockline/dashboard/browser/PageParts"
import type { PackingListAnswer } from "../domain/PackingList.ts"

/** A mapping of the columns of a file. */
export type Mapping = PackingListAnswer["mapping"]

/** A file, with the settings by which it is read. */
export interface Source {
  readonly file: File
  /** The charset of CSV. */
  readonly charset: string
  /** `undefined` if the service has to suggest a mapping. */
  readonly mapping: Mapping | undefined
}

/** A request about a file. */
export interface Upload extends Source {
  readonly place: Place
  readonly dryRun: boolean
  readonly faultless: boolean
}

const csvType = "text/csv"
const xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

/** Whether a file is CSV: its name does not end in `.xlsx`. */
export const isCsv = ({ name }: File): boolean => !/\.xlsx$/i.test(name)

/** Has the service process the parts of a file that follow `before`, and reports the outcome of all parts so far after each part. */
export const sendParts = async (
  { charset, dryRun, faultless, file, mapping, place }: Upload,
  before: PackingListAnswer | undefined,
  tell: (answer: PackingListAnswer) => void
): Promise<void> => {
  const orders = Array.from(before?.orders ?? [])
  for (let from = before?.next ?? "";;) {
    const parameters = new URLSearchParams({
      ...slugsOf(place),
      dryRun: String(dryRun),
      faultless: String(faultless),
      from,
      ...mapping === undefined ? {} : { mapping: JSON.stringify(mapping) }
    })
    const answer = await performFile(
      `/v1/packing-lists?${parameters.toString()}`,
      file,
      isCsv(file) ? `${csvType}; charset=${charset}` : xlsxType
    ) as PackingListAnswer
    orders.push(...answer.orders)
    tell({ ...answer, orders: Array.from(orders) })
    if (answer.next === null) return
    from = answer.next
  }
}

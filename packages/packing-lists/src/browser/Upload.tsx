/** Sends a file part by part: what became of it is tell after each, so that what was sent is known when a later part fails. */
import { performFile, slugsOf } from "@dockline/dashboard/browser/PageParts"
import type { Place } from "@dockline/dashboard/browser/PageParts"
import type { PackingListAnswer } from "../domain/PackingList.ts"

/** How the columns of a file are read. */
export type Mapping = PackingListAnswer["mapping"]

/** A file, and how it is read. */
export interface Source {
  readonly file: File
  /** The charset of CSV. */
  readonly charset: string
  /** `undefined` for one that the service suggests. */
  readonly mapping: Mapping | undefined
}

/** What is to be done with a file. */
export interface Upload extends Source {
  readonly place: Place
  readonly dryRun: boolean
  readonly faultless: boolean
}

const csvType = "text/csv"
const xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

/** Whether a file is CSV: what is no XLSX by its name. */
export const isCsv = ({ name }: File): boolean => !/\.xlsx$/i.test(name)

/** Sends the parts of a file behind `before`, and tells what became of all of them after each. */
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

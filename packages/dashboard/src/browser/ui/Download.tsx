/** Buttons that download tables for spreadsheets, as the service writes them. */
import { download, withQuery } from "../api/request.ts"
import { useWork } from "./forms.ts"
import { FaultNote } from "./Frame.tsx"
import { Plain } from "./Parts.tsx"

/** Joins tables: only the first keeps its header. */
const joinTables = (tables: ReadonlyArray<string>): string =>
  tables.map((table, at) => at === 0 ? table : table.slice(table.indexOf("\n") + 1)).join("")

const save = async (paths: ReadonlyArray<string>, name: string): Promise<void> => {
  const table = joinTables(await Promise.all(paths.map((path) => download(path))))
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([table], { type: "text/csv" }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** A button that downloads lists of the REST interface as one table; the lists have the same columns. */
export const Download = ({ name, paths, what }: {
  readonly paths: ReadonlyArray<string>
  readonly name: string
  /** The content of the table, for pages with several downloads. */
  readonly what?: string | undefined
}) => {
  const { begin, fault, isBusy } = useWork()
  return (
    <>
      <Plain
        class="not-phone no-print"
        of={what && `of ${what}`}
        aria-disabled={isBusy}
        onClick={() => begin(() => save(paths, `${name.replaceAll(/[^\w.-]+/g, "-")}.csv`))}
      >
        {isBusy ? "Downloading…" : "Download CSV"}
      </Plain>
      <FaultNote fault={fault} />
    </>
  )
}

/** The path of a list of the REST interface, with its query. */
export const pathOf = (list: string, query: object): string => withQuery(`/api/v1/${list}`, query)

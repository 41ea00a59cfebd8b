/**
 * The pages of EDI on the dashboard: the list of files, a file, and the files of a shipment in its history. The forms by which operators
 * manage partners derive from the operations.
 */
import { href, lazy } from "@dockline/dashboard/browser/PageParts"
import type { DashboardCapability } from "@dockline/dashboard/browser/PageParts"
import type { EdiFileEntryView } from "../domain/EdiFile.ts"
import { EdiBadge, nameOf } from "./EdiWords.tsx"

const EdiFiles = lazy(() => import("./EdiFiles.tsx").then(({ EdiFiles }) => EdiFiles))
const EdiFile = lazy(() => import("./EdiFiles.tsx").then(({ EdiFile }) => EdiFile))

/** The answer to `historyField`. */
interface History {
  readonly ediFiles?: {
    readonly nodes: ReadonlyArray<
      Pick<EdiFileEntryView, "at" | "control" | "direction" | "id" | "kinds" | "outcome" | "partner">
    >
  }
}

export const edi: DashboardCapability = {
  name: "edi",
  pages: [{
    target: "/edi",
    label: "EDI",
    key: "x",
    List: EdiFiles,
    EntityPage: EdiFile,
    keepsFilters: true
  }],
  outbox: { EDI_INTERCHANGE: "EDI interchange" },
  historyField: `ediFiles(business: $business, facility: $facility, shipmentId: $shipmentId, first: 20) {
  nodes { at control direction id kinds outcome partner }
}`,
  historyOf: (_, { ediFiles }: History) =>
    (ediFiles?.nodes ?? []).map(({ at, direction, id, outcome, partner, ...file }) => ({
      at,
      what: (
        <>
          <a href={href(`/edi/${id}`)}>EDI {nameOf(file)}</a> <EdiBadge outcome={outcome} />
        </>
      ),
      details: direction === "IN" ? "It came from the partner." : "It went to the partner.",
      by: partner
    }))
}

/**
 * The incidents of EDI (D26.2): a file with rejected sets, rejected by us if it came and by the partner if it went, or with sets that
 * could not be written, so that the partner was not told.
 */
import type { IncidentKinds } from "@dockline/core/capability/Incident"
import { dashboardOf, MovementSettings } from "@dockline/core/movement/Movement"
import type { Timestamp } from "@dockline/core/values/Timestamp"
import { Effect } from "effect"
import type { EdiFileEntry } from "./EdiFile.ts"
import { EdiStore } from "./EdiStore.ts"

const reasonOf = ({ direction, outcome, rejectedCount, setCount }: EdiFileEntry): string => {
  if (outcome === "UNWRITTEN") return "X12 cannot hold it, and it was not sent"
  const who = direction === "IN" ? "We have" : "The partner has"
  const what = setCount === 0
    ? "the file as a whole"
    : setCount === 1
    ? "its set"
    : `${rejectedCount} of its ${setCount} sets`
  return `${who} rejected ${what}`
}

/** The kinds of incidents of EDI. */
export const ediIncidents = {
  EDI_REJECTED: {
    about: "a file of EDI that we or the partner have rejected, or that could not be written",
    source: Effect.map(Effect.all([EdiStore, MovementSettings]), ([store, settings]) => ({
      since: (business: string, time: Timestamp) =>
        Effect.map(store.rejections(business, time), (rejections) =>
          rejections.map(({ at, file }) => ({
            key: `edi:${file.id}`,
            facility: file.location.facility.slug,
            at,
            title: `EDI rejected: ${
              [...file.kinds, file.control].filter((each) => each !== "").join(" ")
            }, partner ${file.partner}`,
            text: reasonOf(file),
            url: `${dashboardOf(settings)}/edi/${file.id}`
          })))
    }))
  }
} as const satisfies IncidentKinds<EdiStore>

/** `dockline day`: what happened at a facility in a day or a week (D13.13). */
import type { DayGroup, DayShipment, DayTrend } from "@dockline/core/day/Day"
import { day as operation, dayShipments, dayTrend } from "@dockline/core/day/DayOperations"
import { noun } from "../../Arguments.ts"
import type { CapabilityPart } from "../../CapabilityPart.ts"
import { listCommand } from "../../commands/DerivedCommand.ts"

const countDay = listCommand("show", operation, {
  arguments: ["business", "facility"],
  columns: [
    ["of", ({ group, name }: DayGroup) => group === "TOTAL" ? "all" : `${group.toLowerCase()} ${name}`],
    "shipments",
    "departed",
    "late",
    "short",
    ["in", ({ palletsIn }) => String(palletsIn)],
    ["out", ({ palletsOut }) => String(palletsOut)],
    ["median", ({ medianMinutes }) => `${medianMinutes} min`]
  ],
  nothing: "Nothing is counted.",
  examples: ["dockline day show acme east", "dockline day show acme east --date 2026-11-16 --days 7 --csv"]
})

const command = noun("day", "The figures of a facility in a day or a week", [
  countDay,
  listCommand("trend", dayTrend, {
    arguments: ["business", "facility"],
    columns: [
      ["of", ({ date, kind }: DayTrend) => kind === "DATE" ? date : kind.toLowerCase()],
      ["departed", ({ departed }) => String(departed)],
      ["late", ({ late }) => String(late)],
      ["short", ({ short }) => String(short)],
      ["in", ({ palletsIn }) => String(palletsIn)],
      ["out", ({ palletsOut }) => String(palletsOut)],
      ["median", ({ medianMinutes }) => `${medianMinutes} min`]
    ],
    nothing: "Nothing is compared.",
    examples: ["dockline day trend acme east"]
  }),
  listCommand("shipments", dayShipments, {
    arguments: ["business", "facility"],
    columns: [
      "id",
      "shipmentNumber",
      "status",
      "direction",
      "dockSlug",
      "carrier",
      ["missing", ({ missingPallets }: DayShipment) => String(missingPallets)],
      ["arrived", ({ arrivedAt }) => arrivedAt],
      ["departed", ({ departedAt }) => departedAt]
    ],
    nothing: "No shipment is counted.",
    examples: [
      "dockline day shipments acme east --counted late",
      "dockline day shipments acme east --group DOCK --name D1 --counted detained"
    ]
  })
])

/** The capability's part for the command line. */
export const day = { title: "days", commands: [command] } as const satisfies CapabilityPart

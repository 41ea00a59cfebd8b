/** `dockline exception` and `dockline shipment exceptions`: problems that people report (D13.5). */
import {
  listExceptions,
  listShipmentExceptions,
  reportException,
  resolveException
} from "@dockline/core/exceptions/ExceptionOperations"
import { exceptionMessages } from "@dockline/core/exceptions/ExceptionRules"
import type { ExceptionView } from "@dockline/core/exceptions/ShipmentException"
import { Predicate } from "effect"
import { noun } from "../../Arguments.ts"
import type { CapabilityPart } from "../../CapabilityPart.ts"
import { commandOf, listCommand } from "../../commands/DerivedCommand.ts"
import { shipmentOf } from "../../commands/ShipmentCommands.ts"
import type { Column } from "../../Table.ts"

const columns: ReadonlyArray<Column<ExceptionView>> = [
  "id",
  "kind",
  "priority",
  ["shipment", shipmentOf],
  ["pallet", ({ lpn, palletId }) => lpn === "" ? palletId : palletId === "" ? lpn : `${palletId} (${lpn})`],
  ["reported", ({ reportedAt, reportedBy }) => `${reportedAt} by ${reportedBy}`],
  "description",
  [
    "resolved",
    ({ note, resolvedAt, resolvedBy, status }) =>
      status === "OPEN" ? "" : `${resolvedAt} by ${resolvedBy}: ${note}`
  ]
]

const ofShipment = listCommand("exceptions", listShipmentExceptions, {
  columns,
  examples: ["dockline shipment exceptions 1"]
})

const command = noun("exception", "Exceptions: problems that people report", [
  listCommand("list", listExceptions, {
    columns,
    examples: [
      "dockline exception list --business acme --facility east --status OPEN  # What needs attention"
    ]
  }),
  commandOf("report", reportException, {
    flags: { palletId: "pallet" },
    examples: [
      "dockline exception report 1 --kind OTHER --priority LOW --description \"The seal was broken\"",
      "dockline exception report 1 --lpn 003401234500004711 --kind SHORT --priority LOW --description \"Not on the truck\"",
      "dockline exception report 1 --pallet 815 --kind DAMAGED --priority HIGH --description \"Two cartons crushed\" --idempotency-key 815/1"
    ]
  }),
  commandOf("resolve", resolveException, {
    examples: ["dockline exception resolve 1 12 --note \"Replaced both cartons\""]
  })
])

/** The capability's part for the command line. */
export const exceptions = {
  title: "exceptions",
  commands: [command],
  verbsOfShipments: [ofShipment],
  messages: exceptionMessages,
  wordsOfMessage: ({ exception }) =>
    Predicate.hasProperty(exception, "kind") ? [`${String(exception.kind)} on`] : []
} as const satisfies CapabilityPart

/** The parts of capabilities for the command line (D20.1), one line for each. */
import { alerts } from "@dockline/alerts/cli/AlertCommands"
import { edi } from "@dockline/edi/cli/EdiCommands"
import { epcis } from "@dockline/epcis/cli/EpcisCommands"
import { kargoProfile } from "@dockline/kargo/KargoCapability"
import { packingLists } from "@dockline/packing-lists/cli/PackingListCommands"
import { day } from "./day/DayCommands.ts"
import { exceptions } from "./exceptions/ExceptionCommands.ts"
import { skus } from "./skus/SkuCommands.ts"
import { trace } from "./trace/TraceCommand.ts"

export const capabilities = [
  day,
  trace,
  skus,
  exceptions,
  { title: "Kargo's schema", payloadProfiles: [kargoProfile] },
  edi,
  epcis,
  packingLists,
  alerts
] as const

/** The commands of capabilities (D20.1): a line for each that has some. */
import { day } from "./day/DayCommands.ts"
import { edi, ediPartner } from "./edi/EdiCommands.ts"
import { exception, exceptionsOfShipment } from "./exceptions/ExceptionCommands.ts"
import { sku } from "./skus/SkuCommands.ts"
import { trace } from "./trace/TraceCommand.ts"

export const capabilities = [
  day,
  trace,
  sku,
  exception,
  edi,
  ediPartner
] as const

/** Their verbs of `dockline shipment`. */
export const verbsOfShipments = [
  exceptionsOfShipment
] as const

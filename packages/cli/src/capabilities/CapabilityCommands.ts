/** What capabilities have on the command line (D20.1): a line for each. */
import { day } from "./day/DayCommands.ts"
import { edi } from "./edi/EdiCommands.ts"
import { exceptions } from "./exceptions/ExceptionCommands.ts"
import { kargo } from "./kargo/KargoPart.ts"
import { skus } from "./skus/SkuCommands.ts"
import { trace } from "./trace/TraceCommand.ts"

export const capabilities = [
  day,
  trace,
  skus,
  exceptions,
  kargo,
  edi
] as const

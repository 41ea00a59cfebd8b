/** The parts of capabilities on the dashboard (D20.1), one line for each. The dashboard shows only capabilities that the service has. */
import { edi } from "@dockline/edi/browser/EdiPages"
import { packingLists } from "@dockline/packing-lists/browser/PackingListPages"
import type { DashboardCapability } from "./capability.ts"
import { day } from "./day/DayPages.ts"
import { exceptions } from "./exceptions/Exceptions.tsx"
import { skus } from "./skus/SkuExtension.ts"
import { trace } from "./trace/TracePages.ts"

export const capabilities: ReadonlyArray<DashboardCapability> = [
  skus,
  day,
  exceptions,
  trace,
  edi,
  packingLists
]

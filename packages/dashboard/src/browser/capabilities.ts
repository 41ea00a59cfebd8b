/** The pages of capabilities (D20.1): a line for each that has some. Those that the service leaves out are not shown. */
import type { CapabilityPages } from "./capability.ts"
import { pages as day } from "./day/Day.tsx"
import { pages as edi } from "./edi/EdiPages.tsx"
import { pages as exceptions } from "./exceptions/ExceptionPage.tsx"
import { pages as trace } from "./trace/Trace.tsx"

export const capabilities: ReadonlyArray<CapabilityPages> = [
  day,
  exceptions,
  trace,
  edi
]

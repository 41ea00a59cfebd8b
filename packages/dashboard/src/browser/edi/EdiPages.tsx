/** What EDI has on the dashboard: the list of files, a file, and the partners of a business. */
import type { ediPartnerOperations } from "@dockline/edi/domain/EdiPartnerOperations"
import type { DashboardCapability } from "../capability.ts"
import { lazy } from "../ui/lazy.tsx"
import { EdiFile } from "./EdiFile.tsx"
import { EdiFiles } from "./EdiFiles.tsx"

declare module "../api/operator.ts" {
  interface OperatorTables {
    readonly edi: typeof ediPartnerOperations
  }
}

export const edi: DashboardCapability = {
  name: "edi",
  pages: [{ target: "/edi", label: "EDI", key: "x", List: EdiFiles, Thing: EdiFile, keepsFilters: true }],
  outbox: { EDI_INTERCHANGE: "EDI interchange" },
  OfBusiness: lazy(() => import("./EdiPartners.tsx").then(({ EdiPartners }) => EdiPartners))
}

/** What EDI has on the dashboard: the list of files, a file, and the partners of a business. */
import { lazy } from "@dockline/dashboard/browser/PageParts"
import type { DashboardCapability } from "@dockline/dashboard/browser/PageParts"
import type { ediPartnerOperations } from "../domain/EdiPartnerOperations.ts"
import { EdiFile } from "./EdiFile.tsx"
import { EdiFiles } from "./EdiFiles.tsx"

declare module "@dockline/dashboard/browser/api/operator" {
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

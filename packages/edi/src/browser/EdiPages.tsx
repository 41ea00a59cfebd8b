/** What EDI has on the dashboard: the list of files and a file; what operators do with partners is drawn from its operations. */
import type { DashboardCapability } from "@dockline/dashboard/browser/PageParts"
import { EdiFile, EdiFiles } from "./EdiFiles.tsx"

export const edi: DashboardCapability = {
  name: "edi",
  pages: [{ target: "/edi", label: "EDI", key: "x", List: EdiFiles, Thing: EdiFile, keepsFilters: true }],
  outbox: { EDI_INTERCHANGE: "EDI interchange" }
}

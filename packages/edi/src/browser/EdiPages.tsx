/** What EDI has on the dashboard: the list of files and a file; what operators do with partners is drawn from its operations. */
import { lazy } from "@dockline/dashboard/browser/PageParts"
import type { DashboardCapability } from "@dockline/dashboard/browser/PageParts"

const EdiFiles = lazy(() => import("./EdiFiles.tsx").then(({ EdiFiles }) => EdiFiles))
const EdiFile = lazy(() => import("./EdiFiles.tsx").then(({ EdiFile }) => EdiFile))

export const edi: DashboardCapability = {
  name: "edi",
  pages: [{ target: "/edi", label: "EDI", key: "x", List: EdiFiles, Thing: EdiFile, keepsFilters: true }],
  outbox: { EDI_INTERCHANGE: "EDI interchange" }
}

/** The page of packing lists on the dashboard. */
import { lazy } from "@dockline/dashboard/browser/PageParts"
import type { DashboardCapability } from "@dockline/dashboard/browser/PageParts"

const SendPage = lazy(() => import("./PackingListPage.tsx").then(({ PackingListPage }) => PackingListPage))

export const packingLists: DashboardCapability = {
  name: "packing-lists",
  pages: [{ target: "/packing-lists", label: "Packing lists", key: "l", List: SendPage }]
}

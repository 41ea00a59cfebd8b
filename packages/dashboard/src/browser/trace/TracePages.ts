/** What the trace of goods has on the dashboard: its page, and where others lead to it: from the lot of an item, and from shipments. */
import type { DashboardCapability } from "../capability.ts"
import { lazy } from "../ui/lazy.tsx"

const Trace = lazy(() => import("./Trace.tsx").then(({ Trace }) => Trace))

export const trace: DashboardCapability = {
  name: "trace",
  pages: [{ target: "/trace", label: "Trace", key: "t", List: Trace }],
  lot: (lot) => ["/trace", { lot }],
  shipments: { label: "Trace a lot", target: "/trace" }
}

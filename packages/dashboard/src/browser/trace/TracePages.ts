/** The part of tracing on the dashboard: its page, and the links to it from the lots of items and from the list of shipments. */
import type { DashboardCapability } from "../capability.ts"
import { lazy } from "../ui/Frame.tsx"

const Trace = lazy(() => import("./Trace.tsx").then(({ Trace }) => Trace))

export const trace: DashboardCapability = {
  name: "trace",
  pages: [{ target: "/trace", label: "Trace", key: "t", List: Trace }],
  lot: (lot) => ["/trace", { lot }],
  shipments: { label: "Trace a lot", target: "/trace" }
}

/**
 * The components and functions for the pages of capabilities (ADR 31): reads and lists over GraphQL, addresses, the session, and parts of
 * pages. The pages of a package are built into the bundle of this one, so they import the sources of this module.
 */
export { listsOf, readsOf } from "./api/operations.ts"
export type { Of } from "./api/operations.ts"
export { perform, performFile } from "./api/operator.ts"
export { run } from "./api/request.ts"
export type { DashboardCapability } from "./capability.ts"
export { href } from "./router.ts"
export { session, slugOf, slugsOf, thingAt } from "./session.ts"
export type { Place } from "./session.ts"
export { useActions, useWork } from "./ui/forms.ts"
export { Empty, FaultNote, lazy, LoadedData, PageHead, Part, StatusNote, ThingHead } from "./ui/Frame.tsx"
export { filtersOf, isNarrowed, ListPage, Rows } from "./ui/lists.tsx"
export type { Column, Filter } from "./ui/lists.tsx"
export { usePolled } from "./ui/loaded.ts"
export { Badge, ConfirmButton, Facts, over, Plain, Quote, Select, Time } from "./ui/Parts.tsx"
export { nameIn, optionsOf } from "./ui/words.ts"
export type { BadgeText } from "./ui/words.ts"

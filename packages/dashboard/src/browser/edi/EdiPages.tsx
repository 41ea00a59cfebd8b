/** The pages of EDI: the list of files, and a file. */
import type { CapabilityPages } from "../capability.ts"
import { lazy } from "../ui/lazy.tsx"
import { EdiFile } from "./EdiFile.tsx"
import { EdiFiles } from "./EdiFiles.tsx"

export const pages: CapabilityPages = {
  name: "edi",
  pages: [{ target: "/edi", label: "EDI", key: "x", List: EdiFiles, Thing: EdiFile, keepsFilters: true }],
  OfBusiness: lazy(() => import("./EdiPartners.tsx").then(({ EdiPartners }) => EdiPartners))
}

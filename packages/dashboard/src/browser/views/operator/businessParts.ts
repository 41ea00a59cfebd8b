/** What capabilities have on the page of a business (D20.1): a line for each that has something. It is loaded for operators alone. */
import type { BusinessPart } from "../../capability.ts"
import { EdiPartners } from "../../edi/EdiPartners.tsx"
import { isOffered } from "../../offered.ts"

const all: ReadonlyArray<BusinessPart> = [
  { name: "edi", Part: EdiPartners }
]

/** The parts of the capabilities that the service has. */
export const businessParts = (): ReadonlyArray<BusinessPart> => all.filter(({ name }) => isOffered(name))

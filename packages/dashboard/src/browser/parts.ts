/** Parts of capabilities in the pages of the contract (D20.1): a line for each that has some. */
import type { PageParts } from "./capability.ts"
import { parts as exceptions } from "./exceptions/ExceptionParts.tsx"
import { isOffered } from "./offered.ts"

const all: ReadonlyArray<PageParts> = [
  exceptions
]

/** The parts of the capabilities of the service. */
export const partsOffered = (): ReadonlyArray<PageParts> => all.filter(({ name }) => isOffered(name))

/** What capabilities say beside a shipment of a board. */
export const marksOf = (shipment: object) => partsOffered().flatMap(({ markOf }) => markOf?.(shipment) ?? [])

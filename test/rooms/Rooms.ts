/**
 * The rooms of the packages, and which way they may import: as ARCHITECTURE.md lists them.
 *
 * Guarantee: a room imports only rooms that its list has before it, types included; a capability, nothing internal to another room. The
 * files beside the rooms of a list are of two kinds: the rooms may import those that import no room, and the others import rooms and are
 * imported by none.
 */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"

/** The checkout. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

/** The rooms of each package, from the lowest to the highest. */
export type Lists = ReadonlyMap<string, ReadonlyArray<string>>

const row = /^\| `([^`]+)` +\| (.+?) +\|$/gm

/** The lists in the text of ARCHITECTURE.md: the rooms of core a row each, those of the others a row for each list. */
export const listsIn = (architecture: string): Lists => {
  const section = /^## Rooms$(.*?)^## /ms.exec(architecture)?.[1] ?? ""
  const [core = "", others = ""] = section.split("| package")
  return new Map([
    ["core", Array.from(core.matchAll(row), ([, room]) => room!)],
    ...Array.from(
      others.matchAll(row),
      ([, place, rooms]) => [place!, Array.from(rooms!.matchAll(/`([\w-]+)`/g), ([, room]) => room!)] as const
    )
  ])
}

const architecture = readFileSync(join(root, "ARCHITECTURE.md"), "utf8")

/** The lists of ARCHITECTURE.md. */
export const lists: Lists = listsIn(architecture)

/** The rooms that are capabilities, in core and in other packages with rooms of the same names. */
export const capabilitiesIn = (architecture: string): ReadonlySet<string> =>
  new Set(Array.from(architecture.matchAll(/^\| `([^`]+)` +\| a capability:/gm), ([, room]) => room!))

const capabilities = capabilitiesIn(architecture)

/** The package of a file, and its room there; `""` beside the rooms. */
const placeOf = (path: string) => {
  const [, place, inside] = /^packages\/([^/]+)\/src\/(.+)$/.exec(path) ?? []
  if (place === undefined) return undefined
  const [room, file] = inside!.split("/")
  return { place, room: file === undefined ? "" : room! }
}

const relativeImport = /(?:from|import) "(\.[^"]+)"/g

/** Whether a file beside the rooms of a package is above them, because it imports one. */
const isAbove = (path: string): boolean =>
  existsSync(join(root, path)) &&
  Array.from(readFileSync(join(root, path), "utf8").matchAll(relativeImport)).some(([, name]) =>
    (placeOf(relative(root, resolve(root, dirname(path), name!)))?.room ?? "") !== ""
  )

/** The fault of an import of one file of a package by another one, given as paths in the checkout. */
export const fault = (
  importer: string,
  imported: string,
  given: Lists = lists,
  ofCapabilities: ReadonlySet<string> = capabilities
): string | undefined => {
  const [here, there] = [placeOf(importer), placeOf(imported)]
  if (here === undefined || there === undefined || here.place !== there.place) return undefined
  if (here.room === there.room || here.room === "") return undefined
  if (there.room === "") {
    return isAbove(imported) ? `${here.room} imports ${imported}, which imports rooms` : undefined
  }
  if (ofCapabilities.has(here.room) && imported.includes("/internal/")) {
    return `${here.room} is a capability, and imports ${imported}, which is internal to ${there.room}`
  }
  const rooms = given.get(here.place) ?? []
  const unknown = [here.room, there.room].find((room) => !rooms.includes(room))
  if (unknown !== undefined) return `${here.place} has no room ${unknown} in ARCHITECTURE.md`
  return rooms.indexOf(there.room) < rooms.indexOf(here.room)
    ? undefined
    : `${here.room} imports ${there.room}, which is above it in ARCHITECTURE.md`
}

/**
 * The rooms of the packages, and which way they may import: as ARCHITECTURE.md lists them.
 *
 * Guarantee: a room imports only rooms that its list has before it, types included. The files beside the rooms of a
 * list are of two kinds: the rooms may import those that import no room, and the others import rooms and are imported
 * by none.
 */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"

/** The checkout. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

/** Rooms from the lowest to the highest, by where they are: a package, or a room of a package that has rooms of its own. */
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

/** The lists of ARCHITECTURE.md. */
export const lists: Lists = listsIn(readFileSync(join(root, "ARCHITECTURE.md"), "utf8"))

/** A file of a package: the list that it is in, and its room there; `""` beside the rooms. */
const placeOf = (path: string, lists: Lists, below = Infinity) => {
  const [, packageName, inside] = /^packages\/([^/]+)\/src\/(.+)$/.exec(path) ?? []
  if (packageName === undefined) return undefined
  let place = packageName
  let folders = inside!.split("/").slice(0, -1)
  for (let depth = 0; depth < below && folders.length > 0; depth++) {
    const next = `${place}/${folders[0]!}`
    if (!lists.has(next)) break
    place = next
    folders = folders.slice(1)
  }
  return { place, room: folders[0] ?? "" }
}

const relativeImport = /(?:from|import) "(\.[^"]+)"/g

/** Whether a file beside the rooms of a list is above them: it imports one. */
const isAbove = (path: string, place: string, lists: Lists): boolean =>
  existsSync(join(root, path)) &&
  Array.from(readFileSync(join(root, path), "utf8").matchAll(relativeImport)).some(([, name]) => {
    const imported = relative(root, resolve(root, dirname(path), name!))
    const there = placeOf(imported, lists, place.split("/").length - 1)
    return there?.place === place && there.room !== ""
  })

/** What is wrong with an import of one file of a package by another one, as paths in the checkout. */
export const fault = (importer: string, imported: string, given: Lists = lists): string | undefined => {
  const [from, to] = [placeOf(importer, given), placeOf(imported, given)]
  if (from === undefined || to === undefined || from.place.split("/")[0] !== to.place.split("/")[0]) {
    return undefined
  }
  // The rooms of the innermost list that both are in.
  const depth = commonDepth(from.place, to.place)
  const [here, there] = [placeOf(importer, given, depth)!, placeOf(imported, given, depth)!]
  if (here.room === there.room || here.room === "") return undefined
  if (there.room === "") {
    return isAbove(imported, here.place, given)
      ? `${here.room} imports ${imported}, which imports rooms`
      : undefined
  }
  const rooms = given.get(here.place) ?? []
  const unknown = [here.room, there.room].find((room) => !rooms.includes(room))
  if (unknown !== undefined) return `${here.place} has no room ${unknown} in ARCHITECTURE.md`
  return rooms.indexOf(there.room) < rooms.indexOf(here.room)
    ? undefined
    : `${here.room} imports ${there.room}, which is above it in ARCHITECTURE.md`
}

const commonDepth = (left: string, right: string): number => {
  const [lefts, rights] = [left.split("/"), right.split("/")]
  const differs = lefts.findIndex((name, index) => name !== rights[index])
  return (differs < 0 ? lefts.length : differs) - 1
}

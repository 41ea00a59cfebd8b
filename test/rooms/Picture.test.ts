/** The picture of ARCHITECTURE.md has every package, and its arrows are the dependencies of the packages. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "./Rooms.ts"

type Graph = ReadonlyMap<string, ReadonlySet<string>>

const names = readdirSync(join(root, "packages"))

const [, picture = ""] = /```mermaid\n(.*?)```/s.exec(readFileSync(join(root, "ARCHITECTURE.md"), "utf8")) ??
  []

const drawn = (arrow: string): Graph => {
  const edges = picture.split("\n").flatMap((line) => {
    const [from, to] = line.split(` ${arrow} `)
    return to === undefined
      ? []
      : from!.split("&").flatMap((left) => to.split("&").map((right) => [left.trim(), right.trim()] as const))
  })
  return new Map(
    names.map((name) => [name, new Set(edges.filter(([from]) => from === name).map(([, to]) => to))])
  )
}

const declared = (field: "dependencies" | "peerDependencies"): Graph =>
  new Map(names.map((name) => {
    const manifest = JSON.parse(
      readFileSync(join(root, "packages", name, "package.json"), "utf8")
    ) as Partial<
      Record<typeof field, Readonly<Record<string, string>>>
    >
    const ours = Object.keys(manifest[field] ?? {}).filter((each) => each.startsWith("@dockline/"))
    return [name, new Set(ours.map((each) => each.slice("@dockline/".length)))]
  }))

/** All packages that can be reached from a package. */
const reach = (graph: Graph, name: string): ReadonlySet<string> => {
  const visited = new Set<string>()
  const visit = (each: string): void => {
    for (const next of graph.get(each) ?? []) {
      if (visited.has(next)) continue
      visited.add(next)
      visit(next)
    }
  }
  visit(name)
  return visited
}

describe("the picture of ARCHITECTURE.md", () => {
  it.each(names)("leads from %s to all that it depends on, and nowhere else", (name) => {
    const [solid, dependencies] = [drawn("-->"), declared("dependencies")]
    assert.sameMembers([...reach(solid, name)], [...reach(dependencies, name)])
    for (const to of solid.get(name)!) assert.include(dependencies.get(name), to)
  })

  it.each(names)("has a dotted arrow from %s to each package that it has a part for", (name) => {
    assert.sameMembers([...drawn("-.->").get(name)!], [...declared("peerDependencies").get(name)!])
  })
})

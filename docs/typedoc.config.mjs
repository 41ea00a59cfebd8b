/**
 * The API reference: every public module of every package, made of the doc comments in the sources. A public export
 * without one fails, and so does a link that leads nowhere.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The files of a path of `exports`, each with its name: of a pattern, all that no folder `internal` holds. */
const filesOf = (directory, name, path, target) => {
  const source = typeof target === "object" && "default" in target ? target["@dockline/source"] : undefined
  if (source === undefined) return []
  if (!path.endsWith("/*")) return [[join(directory, source), `${name}${path.slice(1)}`]]
  const folder = join(directory, "src", path.slice(0, -1))
  return readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith(".ts") && file !== "index.ts" && !file.includes("internal/"))
    .map((file) => [join(folder, file), `${name}${path.slice(1, -1)}${file.replace(/\.ts$/, "")}`])
}

/** The public modules: their names by their files. */
export const modules = new Map(
  readdirSync(join(root, "packages")).flatMap((folder) => {
    const directory = join(root, "packages", folder)
    const { name, exports } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"))
    return Object.entries(exports).flatMap(([path, target]) => filesOf(directory, name, path, target))
  }).filter(([file]) => existsSync(file))
)

/** @type {Partial<import("typedoc").TypeDocOptions>} */
export default {
  name: "Dockline",
  entryPoints: Array.from(modules.keys()),
  plugin: [fileURLToPath(new URL("ModulePlugin.mjs", import.meta.url))],
  out: "api",
  readme: join(root, "README.md"),
  projectDocuments: [join(root, "packages/*/README.md")],
  navigation: { includeFolders: true },
  disableGit: true,
  gitRevision: "main",
  sourceLinkTemplate: "https://github.com/dockline/dockline/blob/{gitRevision}/{path}#L{line}",
  basePath: root,
  excludeExternals: true,
  excludeInternal: true,
  sort: ["source-order"],
  packagesRequiringDocumentation: [
    ...new Set(Array.from(modules.values(), (name) => name.split("/").slice(0, 2).join("/")))
  ],
  requiredToBeDocumented: [
    "Module",
    "Namespace",
    "Enum",
    "Variable",
    "Function",
    "Class",
    "Interface",
    "TypeAlias",
    "Method"
  ],
  // READMEs link to folders, which a page cannot show.
  validation: { notExported: false, invalidLink: true, invalidPath: false, notDocumented: true },
  treatWarningsAsErrors: true
}

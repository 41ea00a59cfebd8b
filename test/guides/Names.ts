/**
 * The names in the text of pages, `in backticks`: modules and their exports, files, commands, settings, codes. Blocks are run; these names
 * are looked up in the sources, so that a page does not keep a name that was changed.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { root } from "./Project.ts"

const folders = (parent: string): ReadonlyArray<string> =>
  readdirSync(join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory()).map(({ name }) => name)

const sourcesOf = (folder: string): ReadonlyArray<string> =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts")).map((file) => join(folder, file))
    : []

/** The sources of packages and examples, by the names of their files. */
const sources = Map.groupBy(
  ["packages", "examples"].flatMap((parent) =>
    folders(parent).flatMap((folder) => sourcesOf(`${parent}/${folder}/src`))
  ).map((file) => ({ file, text: readFileSync(join(root, file), "utf8") })),
  ({ file }) => basename(file, ".ts")
)

const everything = Array.from(sources.values()).flat().map(({ text }) => text).join("\n")

const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>
}

/** The nouns of the command line with their verbs, from the table of its own tests. */
const verbs = new Map(
  Array.from(
    readFileSync(join(root, "packages/cli/README.md"), "utf8").matchAll(
      /^\| `([a-z-]+)` +\| ((?:`.*`)?) +\|$/gm
    ),
    ([, noun, list]) => [noun!, list!.replaceAll("`", "").split(", ")] as const
  )
)

const isExported = (module: string, member: string): boolean =>
  sources.get(module)!.some(({ text }) =>
    new RegExp(
      String.raw`\b(?:export (?:declare )?(?:const|function|class|interface|type)|readonly) ${member}\b`
    ).test(text) || new RegExp(String.raw`^export (?:type )?\{[^}]*\b${member}\b[^}]*\}`, "m").test(text)
  )

/** Whether a path of a package, such as `/document/Plan`, is public. */
const isPublic = (folder: string, path: string): boolean => {
  const { exports } = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  }
  const isMatched = Object.entries(exports).some(([pattern, target]) =>
    pattern.endsWith("/*") && `.${path}`.startsWith(pattern.slice(0, -1)) && typeof target === "object" &&
    "default" in target
  )
  return Object.hasOwn(exports, `.${path}`) ||
    (isMatched && !path.includes("/internal/") &&
      existsSync(join(root, "packages", folder, "src", `${path}.ts`)))
}

/** Whether a package has a module with that path. */
const isModule = (folder: string, path: string): boolean =>
  sources.get(basename(path))?.some(({ file }) => file === join("packages", folder, "src", `${path}.ts`)) ===
    true

/** The form of a kind of name, and whether something has that name. */
const kinds: ReadonlyArray<readonly [like: RegExp, isThere: (...parts: ReadonlyArray<string>) => boolean]> = [
  [/^((?:packages|examples|docs|test|lab)\/[\w./-]+)$/, (path) => existsSync(join(root, path!))],
  // A test of a package, in its folder `test`.
  [
    /^([a-z-]+\/test\/[\w./-]+)$/,
    (path) => ["packages", "."].some((parent) => existsSync(join(root, parent, path!)))
  ],
  [
    /^(core|wire|sql-storage|http-adapter|graphql-adapter|mcp-adapter|edi|kargo|webhook-adapter|dashboard|server)\/(?!test\/)((?:[\w-]+\/)*[A-Z]\w*)(?:\.(\w+))?/,
    (folder, path, member) =>
      isModule(folder!, path!) && (member === undefined || isExported(basename(path!), member))
  ],
  [
    /^@dockline\/([a-z-]+)((?:\/\w+)+)$/,
    (folder, path) => existsSync(join(root, "packages", folder!)) && isPublic(folder!, path!)
  ],
  [/^([A-Z]\w*)\.ts$/, (module) => sources.has(module!)],
  [/^([A-Z]\w*)\.(?!ts\b)(\w+)/, (module, member) => !sources.has(module!) || isExported(module!, member!)],
  [/^([A-Z]\w*(?:Suite|Laws?))$/, (module) => sources.has(module!)],
  [/^([a-z]\w*Suite)$/, (suite) => everything.includes(`export const ${suite}`)],
  // The settings of Node and of the tests are not in the sources of packages.
  [
    /^(?!NODE_|UPDATE_|CHROMIUM_)([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=|$)/,
    (word) => new RegExp(`\\b${word}\\b`).test(everything)
  ],
  [
    /^(?:npm run dockline -- |dockline )([a-z][a-z-]*) ([a-z][a-zA-Z-]*)/,
    // A command without verbs has "" in place of them.
    (noun, verb) => verbs.get(noun!)?.some((each) => each === "" || each === verb) === true
  ],
  [/^npm run ([\w:-]+)/, (script) => Object.hasOwn(scripts, script!)]
]

const isThere = (name: string): boolean =>
  kinds.every(([like, isThere]) => {
    const parts = like.exec(name)
    return parts === null || isThere(...parts.slice(1))
  })

/** The names in the text of a page, without those in its blocks. */
export const namesOf = (markdown: string): ReadonlyArray<string> =>
  Array.from(markdown.replace(/^```.*?^```/gms, "").matchAll(/`([^`\n]+)`/g), ([, name]) => name!)

/** The names in a page that nothing has. */
export const unknown = (markdown: string): ReadonlyArray<string> =>
  namesOf(markdown).filter((name) => !isThere(name))

/**
 * Programs of this repository, each with everything that it loads in one file, or in a few that several share: they
 * start in a fraction of the time.
 *
 * What looks for something beside itself, such as the assets of a package, finds it: a module in the bundle goes on
 * knowing where its source is.
 */
import { build, stop } from "esbuild"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join, sep } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("../", import.meta.url))

/**
 * A text of a source, whose path is from the root of the repository, that is replaced in the bundle; it must be there exactly once. The source
 * is TypeScript or SQL.
 *
 * @typedef {{ readonly file: string, readonly from: string, readonly to: string }} Replacement
 */

/**
 * A source with its replacements.
 *
 * @param {string} path
 * @param {ReadonlyArray<Replacement>} replacements
 */
const replaced = (path, replacements) =>
  replacements.reduce((text, { file, from, to }) => {
    const found = text.split(from).length - 1
    if (found !== 1) throw new Error(`${file} holds this ${found} times instead of once: ${from}`)
    return text.replace(from, () => to)
  }, readFileSync(path, "utf8"))

/**
 * A module that finds a file of SQL in another place. Programs read these files as they run, so that a replacement in one is written beside
 * the bundle.
 *
 * @param {string} text The module, which names the file as `new URL("…", import.meta.url)`.
 * @param {string} path Where the module is.
 * @param {string} file The path of the file from the root.
 * @param {() => string} other Where the module is to find it.
 */
export const withSqlOf = (text, path, file, other) =>
  text.replaceAll(
    /new URL\("([^"]+\.sql)", import\.meta\.url\)/g,
    (whole, name) =>
      fileURLToPath(new URL(name, pathToFileURL(path))) === root + file.replaceAll("/", sep)
        ? `new URL(${JSON.stringify(pathToFileURL(other()).href)})`
        : whole
  )

/**
 * Our sources: each knows where it is, and those that are to be replaced are; `onReplaced` is told of each.
 *
 * @param {ReadonlyArray<Replacement>} replacements
 * @param {(replacement: Replacement) => void} onReplaced
 * @param {string} beside The path of the bundle.
 * @returns {import("esbuild").Plugin}
 */
const sources = (replacements, onReplaced, beside) => ({
  name: "sources",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (!path.startsWith(root) || path.includes(`${sep}node_modules${sep}`)) return null
      const own = replacements.filter(({ file }) => path === root + file.replaceAll("/", sep))
      own.forEach(onReplaced)
      const location = JSON.stringify(pathToFileURL(path).href)
      const ofSql = Map.groupBy(replacements.filter(({ file }) => file.endsWith(".sql")), ({ file }) => file)
      let text = replaced(path, own)
      for (const [file, own] of ofSql) {
        text = withSqlOf(text, path, file, () => {
          const other = `${beside}.${basename(file)}`
          mkdirSync(dirname(other), { recursive: true })
          writeFileSync(other, replaced(join(root, file), own))
          own.forEach(onReplaced)
          return other
        })
      }
      return { loader: "ts", contents: text.replaceAll("import.meta.url", location) }
    })
})

/**
 * Node's `http` as `require` gives it. An import of it reads each of its members, one of which loads all of Node's `fetch`: 5 MB that no
 * program of this repository uses.
 *
 * @type {import("esbuild").Plugin}
 */
const lazyHttp = {
  name: "lazy http",
  setup: ({ onLoad, onResolve }) => {
    onResolve(
      { filter: /^(?:node:)?http$/ },
      ({ kind }) =>
        kind === "import-statement"
          ? { path: "http", namespace: "lazy" }
          : { path: "node:http", external: true }
    )
    onLoad(
      { filter: /^http$/, namespace: "lazy" },
      () => ({ contents: "module.exports = require(\"node:http\")" })
    )
  }
}

/**
 * Writes what was built, with other characters than those of ASCII escaped: one of them would make Node keep the text of its whole file in
 * two bytes a character. The bundler escapes them in texts; those that it leaves are in regular expressions and comments.
 *
 * @param {import("esbuild").BuildResult<{ readonly write: false }>} result
 */
const write = ({ outputFiles }) => {
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(
      path,
      text.replaceAll(/[\u0080-\uFFFF]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
      { mode: text.startsWith("#!") ? 0o755 : 0o644 }
    )
  }
}

/** @satisfies {import("esbuild").BuildOptions} */
const options = /** @type {const} */ ({
  bundle: true,
  platform: "node",
  format: "esm",
  conditions: ["@dockline/source", "module-sync"],
  // The text of a module stays in memory; names are kept for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: "silent",
  write: false,
  // For what packages in the other form of module require of Node.
  banner: {
    js:
      "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);"
  }
})

/**
 * Bundles the program at the path `entry`; fails when a replacement is not for exactly one place of what is bundled.
 *
 * @param {{ readonly entry: string, readonly outfile: string, readonly replacements?: ReadonlyArray<Replacement> }} bundle
 * `outfile` has the extension `.mjs`.
 */
export const bundle = async ({ entry, outfile, replacements = [] }) => {
  const unused = new Set(replacements)
  const built = await build({
    ...options,
    entryPoints: [entry],
    outfile,
    plugins: [lazyHttp, sources(replacements, (replacement) => unused.delete(replacement), outfile)]
  })
  for (const { file } of unused) throw new Error(`${file} is not a part of ${entry}, and cannot be replaced`)
  write(built)
}

/**
 * Bundles programs into a folder together: what more than one of them loads is there once.
 *
 * @param {ReadonlyArray<{ readonly entry: string, readonly name: string }>} programs The name is that of the file, without the extension.
 * @param {string} folder
 */
export const bundleAll = async (programs, folder) => {
  write(
    await build({
      ...options,
      entryPoints: programs.map(({ entry, name }) => ({ in: entry, out: name })),
      outdir: folder,
      outExtension: { ".js": ".mjs" },
      splitting: true,
      plugins: [lazyHttp, sources([], () => {}, folder)]
    })
  )
}

/** Ends the bundler's own process, which holds 300 MB; nothing may be bundled at the time. */
export const end = stop

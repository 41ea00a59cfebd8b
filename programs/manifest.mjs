/**
 * What a published package.json leaves out: the condition `@dockline/source`, which leads to sources that only this
 * workspace has. `prepack` runs it in the folder of a package, and `postpack` puts back what was there:
 *
 *     node ../../programs/manifest.mjs publish
 *     node ../../programs/manifest.mjs restore
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"

const manifest = "package.json"
const original = ".package.json"

/**
 * The `exports` that installed packages have: a path to sources alone is closed.
 *
 * @param {Record<string, string | Record<string, string>>} exports
 */
const publishedExports = (exports) => {
  /** @type {Record<string, string | Record<string, string> | null>} */
  const published = {}
  for (const [path, target] of Object.entries(exports)) {
    const { "@dockline/source": source, ...conditions } = typeof target === "string" ? {} : target
    if (source === undefined) published[path] = target
    else if (Object.keys(conditions).length > 0) published[path] = conditions
    // `./access/internal/*` has to be closed, as `./*` would open it.
    else if (path !== "./*") published[path] = null
  }
  return published
}

const publish = () => {
  if (existsSync(original)) {
    throw new Error(
      `a pack was interrupted: compare ${original} with ${manifest}, then run manifest.mjs restore`
    )
  }
  const text = readFileSync(manifest, "utf8")
  const fields = JSON.parse(text)
  writeFileSync(original, text)
  writeFileSync(
    manifest,
    `${JSON.stringify({ ...fields, exports: publishedExports(fields.exports) }, null, 2)}\n`
  )
}

const restore = () => {
  if (existsSync(original)) renameSync(original, manifest)
}

if (process.argv[2] === "publish") publish()
else if (process.argv[2] === "restore") restore()
else throw new Error("usage: manifest.mjs publish | restore")

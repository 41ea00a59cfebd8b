/**
 * Copies what a page for browsers loads of other packages, as it is served, into the package that serves the page, with
 * their licences: the last step of its `prepack`. The argument is the module that lists the files.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

const [, , list = ""] = process.argv
const { files, folder, textToServe } = await import(pathToFileURL(resolve(list)).href)

/**
 * The folder of a package on which the package in `from`, or this workspace, depends.
 *
 * @param {string} name
 * @param {string} from
 */
const locate = (name, from) => {
  for (let at = from; at !== dirname(at); at = dirname(at)) {
    const folder = join(at, "node_modules", name)
    if (existsSync(folder)) return folder
  }
  throw new Error(`${name} is not installed for ${from}`)
}

/** @param {...string} path */
const readText = (...path) => readFileSync(join(...path), "utf8").trim()

/** @param {string} file */
const isLicence = (file) => /^(licen[cs]e|notice)(\.(md|txt))?$/i.test(file)

/**
 * Adds the licences of a package, and of all that it depends on: a file for browsers may hold any of it.
 *
 * @param {string} directory
 * @param {Map<string, string>} licences
 */
const collect = (directory, licences) => {
  if (licences.has(directory)) return
  const { name, version, license, dependencies } = JSON.parse(
    readFileSync(join(directory, "package.json"), "utf8")
  )
  const texts = readdirSync(directory).filter(isLicence).map((file) => readText(directory, file))
  licences.set(directory, [`${name} ${version} (${license})`, ...texts].join("\n\n"))
  for (const each of Object.keys(dependencies ?? {})) collect(locate(each, directory), licences)
}

mkdirSync(folder, { recursive: true })
const licences = new Map()
for (const [name, [library, path]] of Object.entries(files)) {
  const directory = locate(library, process.cwd())
  writeFileSync(join(folder, name), textToServe(readFileSync(join(directory, path), "utf8")))
  collect(directory, licences)
  // The licences that a bundler found in what it bundled.
  const file = `${path}.LICENSE.txt`
  if (existsSync(join(directory, file))) licences.set(file, `In ${name}\n\n${readText(directory, file)}`)
}
writeFileSync(
  join(folder, "LICENSES.txt"),
  `${Array.from(licences.values()).join(`\n\n${"-".repeat(80)}\n\n`)}\n`
)

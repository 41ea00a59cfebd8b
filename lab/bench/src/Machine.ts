/**
 * The machine and the versions of a run, in one line, without which figures mean nothing.
 */
import { existsSync, readFileSync, statfsSync } from "node:fs"
import { availableParallelism, cpus, release, totalmem } from "node:os"

const fileSystems: Readonly<Record<number, string>> = {
  0xef53: "ext4",
  0x58465342: "xfs",
  0x9123683e: "btrfs",
  0x01021994: "tmpfs",
  0x794c7630: "overlayfs"
}

/** The file system of a folder, by name if it is known; on `tmpfs` an fsync costs nothing. */
export const fileSystemOf = (directory: string): string => {
  const { type } = statfsSync(directory)
  return fileSystems[type] ?? `0x${type.toString(16)}`
}

/** The version of a library in the lab, or else in the checkout. */
const versionOf = (name: string): string => {
  const files = ["../", "../../../"].map((parent) =>
    new URL(`${parent}node_modules/${name}/package.json`, import.meta.url)
  )
  const file = files.find((each) => existsSync(each))!
  return `${name} ${(JSON.parse(readFileSync(file, "utf8")) as { readonly version: string }).version}`
}

/** CPU, cores, memory, system, Node. */
const hardware = (): ReadonlyArray<string> => [
  `${cpus()[0]?.model.trim() ?? "unknown CPU"}, ${availableParallelism()} cores`,
  `${Math.round(totalmem() / 2 ** 30)} GiB`,
  `${process.platform} ${release()}`,
  `Node ${process.versions.node}`
]

/** CPU, cores, memory, system; Node, PostgreSQL and its durability; the libraries that compete. */
export const describe = (
  { settings }: { readonly settings: Readonly<Record<string, string>> },
  directory: string,
  libraries: ReadonlyArray<string>
): string =>
  [
    ...hardware(),
    `PostgreSQL ${settings["server_version"]} on ${fileSystemOf(directory)}`,
    ...["fsync", "synchronous_commit", "full_page_writes"].map((name) => `${name} ${settings[name]}`),
    ...libraries.map(versionOf)
  ].join("; ")

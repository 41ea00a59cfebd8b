/**
 * A disk of limited size for the data of a run, so that a fault can fill it. The disk is a file system in memory, in a mount namespace of
 * the run's process; the kernel removes it when the process ends for any reason. If the machine does not permit mounts, the data is in an
 * ordinary folder, and `fill` does nothing.
 */
import { execFileSync } from "node:child_process"
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"

/** The size of the disk of a database, in MB: PostgreSQL with the data of a run takes about two thirds. */
const ofDatabase = 192

/** How often freed space is filled again, in milliseconds. */
const refillMillis = 10

/** The command that runs a program with the right to mount. */
const namespace: ReadonlyArray<string> = [
  "unshare",
  ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"]),
  "--mount",
  "--propagation",
  "private",
  "--"
]

/** The environment variable that marks a process in such a namespace. */
const mark = "DOCKLINE_FAULTS_MAY_MOUNT"

/** The prefix of a command, and environment variables. */
export interface Launch {
  readonly prefix: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
}

/** How to start a process that may mount; empty if this machine does not permit it. */
export const launch = (): Launch => {
  try {
    const [command, ...rest] = [...namespace, "sh", "-c", "mount -t tmpfs -o size=1m tmpfs /mnt"]
    execFileSync(command!, rest, { stdio: "ignore", timeout: 10_000 })
    return { prefix: namespace, env: { [mark]: "yes" } }
  } catch {
    return { prefix: [], env: {} }
  }
}

export class Disk {
  readonly folder: string
  readonly data: string
  readonly isLimited = process.env[mark] === "yes"
  readonly #ballastFile: string
  #isRemoved = false
  #ballast: { readonly descriptor: number; readonly timer: NodeJS.Timeout } | undefined

  private constructor(folder: string) {
    this.folder = folder
    this.data = join(folder, "data")
    this.#ballastFile = join(folder, "ballast")
  }

  /** Creates the disk at a path that does not exist. */
  static make(folder: string, opened: AsyncDisposableStack, megabytes = ofDatabase): Disk {
    mkdirSync(folder)
    const disk = new Disk(folder)
    if (disk.isLimited) execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder])
    // PostgreSQL may run as another user, who needs access to its data in the folder.
    chmodSync(folder, 0o711)
    return opened.adopt(disk, (disk) => disk.remove())
  }

  /** Fills all space, and any space that becomes free, until `empty` is called. */
  fill(): void {
    if (!this.isLimited || this.#ballast !== undefined) return
    const descriptor = openSync(this.#ballastFile, "w")
    writeUntilFull(descriptor)
    this.#ballast = { descriptor, timer: setInterval(() => writeUntilFull(descriptor), refillMillis) }
  }

  empty(): void {
    if (this.#ballast === undefined) return
    clearInterval(this.#ballast.timer)
    closeSync(this.#ballast.descriptor)
    rmSync(this.#ballastFile, { force: true })
    this.#ballast = undefined
  }

  remove(): void {
    if (this.#isRemoved) return
    this.#isRemoved = true
    this.empty()
    if (this.isLimited) execFileSync("umount", ["--lazy", this.folder])
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const largest = Buffer.alloc(1024 * 1024)

/** Writes until not even a page of 4 KiB fits. */
const writeUntilFull = (descriptor: number): void => {
  for (let size = largest.length; size >= 4096;) {
    try {
      writeSync(descriptor, largest, 0, size)
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOSPC") throw cause
      size /= 4
    }
  }
}

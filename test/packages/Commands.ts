/**
 * Programs that are run to their end: compilers, npm, Node.
 *
 * Guarantee: what fails says what it was and all that it printed; nothing runs longer than its time.
 */
import { execFile } from "node:child_process"

/** How a program is run. */
export interface Run {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Milliseconds; five minutes unless given: machines of a CI are busy with more than this. */
  readonly timeout?: number
}

/** What a program did. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Without what npm and Vitest tell their own programs: a user's shell has none of it, but may name authorities to trust. */
export const environment = (env: Run["env"] = {}): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      !/^(npm_|NODE_(?!EXTRA_CA_CERTS$)|VITEST|DATABASE_URL)/i.test(name)
    )
  ),
  ...env
})

/** Runs a program to its end, whatever that is. */
export const ends = (program: string, args: ReadonlyArray<string>, { cwd, env, timeout = 300_000 }: Run) =>
  new Promise<Ended>((resolve) => {
    execFile(
      program,
      [...args],
      { cwd, env: environment(env), timeout, killSignal: "SIGKILL", maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1
        resolve({ code, stdout, stderr: code === -1 ? `${stderr}\n${error!.message}` : stderr })
      }
    )
  })

/** Runs a program that has to succeed, and returns what it printed. */
export const run = async (program: string, args: ReadonlyArray<string>, options: Run): Promise<string> => {
  const { code, stdout, stderr } = await ends(program, args, options)
  if (code !== 0) {
    throw new Error(
      `${program} ${args.join(" ")}\nin ${options.cwd} ended with ${code}:\n${stdout}\n${stderr}`
    )
  }
  return stdout
}

/**
 * Programs that run to their end: compilers, npm, Node.
 *
 * Guarantee: a failure names the program and contains its whole output; nothing runs longer than its time limit.
 */
import { execFile } from "node:child_process"

/** Options of running a program. */
export interface Run {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Milliseconds; by default five minutes, because machines of a CI are busy with other work too. */
  readonly timeout?: number
}

/** The result of a program. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** An environment without the variables of npm and Vitest, as in a user's shell, which may name authorities to trust. */
export const environment = (env: Run["env"] = {}): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      !/^(npm_|NODE_(?!EXTRA_CA_CERTS$)|VITEST|DATABASE_URL)/i.test(name)
    )
  ),
  ...env
})

/** Runs a program to its end, whether it succeeds or not. */
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

/** Runs a program that has to succeed, and returns its output. */
export const run = async (program: string, args: ReadonlyArray<string>, options: Run): Promise<string> => {
  const { code, stdout, stderr } = await ends(program, args, options)
  if (code !== 0) {
    throw new Error(
      `${program} ${args.join(" ")}\nin ${options.cwd} ended with ${code}:\n${stdout}\n${stderr}`
    )
  }
  return stdout
}

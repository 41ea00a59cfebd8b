/** The answers of a child process of the benchmark to its parent, over the channel between the two. */

/** A question of the parent. */
export interface Asked<Command> {
  readonly id: number
  readonly command: Command
}

/** A message of a child: the answer to a question, or, unasked, a fault. */
export type Said =
  | { readonly id: number; readonly answer?: unknown; readonly error?: string }
  | { readonly fault: string }

const say = (said: Said): void => {
  if (process.connected) process.send!(said)
}

/** Answers every question, concurrently. */
export const serve = <Command>(obey: (command: Command) => unknown): void => {
  const answer = async (command: Command) => await obey(command)
  process.on("message", (message) => {
    const { command, id } = message as Asked<Command>
    answer(command).then(
      (answer) => say({ id, answer }),
      (error: unknown) => say({ id, error: error instanceof Error ? error.message : String(error) })
    )
  })
}

/** Ends the benchmark because of a fault. */
export const fault = (what: string): void => say({ fault: what })

/** A setting from the environment. */
export const setting = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

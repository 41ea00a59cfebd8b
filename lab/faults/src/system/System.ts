/** The service of a run as clients know it. Each mode has its own, and one more mode is one more of these. */
export interface System {
  /** The addresses of the instances. */
  readonly urls: ReadonlyArray<string>
  /** The one address of the service, which tokens are for. */
  readonly baseUrl: string
  /** The database, past everything that goes wrong. */
  readonly databaseUrl: string
  /** Waits until it is ready; says whether it was in so many milliseconds. */
  readonly isReady: (millis: number) => Promise<boolean>
  /** Moves its clocks forward, where somebody can. */
  readonly advance: (millis: number) => void
}

/**
 * The settings of the dashboard. Only the composing program reads the environment.
 */

/** A client that the sign-in page offers by a button. */
export interface OfferedClient {
  readonly id: string
  readonly secret: string
  /** What somebody who is signed in as this client sees. */
  readonly description: string
}

/** Settings of the dashboard. */
export interface DashboardConfig {
  /** The address that browsers use for the service, without a trailing slash. */
  readonly baseUrl: string
  /** Clients whose secrets everybody knows, for a service with demo data; none when absent. */
  readonly offered?: ReadonlyArray<OfferedClient>
}

/** The path of the dashboard, as the service is asked for it. */
export const root = "/dashboard"

/** The path of the dashboard, as browsers ask for it: a proxy may have cut the path of `baseUrl`. */
export const publicRoot = ({ baseUrl }: DashboardConfig): string =>
  `${new URL(baseUrl).pathname.replace(/\/$/, "")}${root}`

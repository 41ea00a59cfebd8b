/**
 * The settings of the dashboard. Only the composing program reads the environment.
 */

import type { Redacted } from "effect"

/** A client that the sign-in page offers by a button. */
export interface OfferedClient {
  readonly id: string
  readonly secret: string
  /** What somebody who is signed in as this client sees. */
  readonly description: string
}

/** An OpenID Connect provider by which people sign in. */
export interface ProviderConfig {
  /** The issuer, below which its `.well-known/openid-configuration` is; by https, or on the machine itself. */
  readonly issuer: string
  /** The client that the dashboard is at the provider, with `{baseUrl}/dashboard/sign-in/callback` as redirect address. */
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  /** What people call the provider; the host of the issuer unless given. */
  readonly name?: string
}

/** Settings of the dashboard. */
export interface DashboardConfig {
  /** The address that browsers use for the service, without a trailing slash. */
  readonly baseUrl: string
  /** Clients whose secrets everybody knows, for a service with demo data; none when absent. */
  readonly offered?: ReadonlyArray<OfferedClient>
  /** Where people sign in; without it, clients alone do. */
  readonly provider?: ProviderConfig
}

/** The path of the dashboard, as the service is asked for it. */
export const root = "/dashboard"

/** The path of the dashboard, as browsers ask for it: a proxy may have cut the path of `baseUrl`. */
export const publicRoot = ({ baseUrl }: DashboardConfig): string =>
  `${new URL(baseUrl).pathname.replace(/\/$/, "")}${root}`

/**
 * The page for signing in: plain HTML, which works before any script has loaded, and without scripts.
 */
import { escapeHtml } from "@dockline/wire/SitePages"
import type { DashboardConfig, ProviderConfig } from "../DashboardConfig.ts"
import { publicRoot } from "../DashboardConfig.ts"

export interface SignInView {
  /** The path to return to. */
  readonly next: string
  /** A note about an event that is no fault. */
  readonly note?: string
  /** Whether somebody has just signed out. */
  readonly signedOut?: boolean
  /** The fault of the last attempt, in a sentence or two. */
  readonly fault?: string
  /** The client id of the last attempt. */
  readonly clientId?: string
}

export const html = (config: DashboardConfig, tags: string, view: SignInView): string => {
  const root = publicRoot(config)
  const next = escapeHtml(view.next)
  const fault = view.fault === undefined
    ? ""
    : `<p class="fault" role="alert">${escapeHtml(view.fault)}</p>`
  const note = view.note === undefined ? "" : `<p role="status">${escapeHtml(view.note)}</p>`
  return pageOf(
    tags,
    `${
      config.provider === undefined
        ? clientForm(root, next, view, `<h2>Sign in</h2>\n${note}${fault}`)
        : byProvider(config.provider, root, next, view, note + fault)
    }
${offer(config, root, next)}`
  )
}

/** A page for visitors who have not signed in, with the tags of its files. */
export const pageOf = (tags: string, content: string): string =>
  `<!DOCTYPE html>
<html lang="en" class="sign-in">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign in · Dockline</title>
${tags}
</head>
<body>
<main>
<h1><span class="mark" aria-hidden="true"></span>Dockline</h1>
${content}
</main>
</body>
</html>
`

const clientForm = (root: string, next: string, view: SignInView, above: string): string =>
  `<form method="post" action="${root}/sign-in" class="card">
${above}
<input type="hidden" name="next" value="${next}">
<label for="client-id">Client id</label>
<input id="client-id" name="client_id" value="${escapeHtml(view.clientId ?? "")}" autocomplete="username"
  autocapitalize="none" spellcheck="false" maxlength="256" required${above === "" ? "" : " autofocus"}>
<label for="client-secret">Client secret</label>
<input id="client-secret" name="client_secret" type="password" autocomplete="current-password" maxlength="1024" required>
<button class="primary">Sign in</button>
</form>`

/** People sign in at their provider; the fields for a client's secret open on demand. */
const byProvider = (
  { issuer, name = new URL(issuer).host }: ProviderConfig,
  root: string,
  next: string,
  view: SignInView,
  message: string
): string => {
  const provider = escapeHtml(name)
  const leave = view.signedOut === true
    ? `<p role="status">You have signed out. On a shared computer, <a href="${root}/sign-out/provider">sign out at ${provider}</a> too.</p>`
    : ""
  return `<section class="card">
<h2>Sign in</h2>
${leave}${message}
<a class="button primary" href="${root}/sign-in/provider?next=${
    encodeURIComponent(view.next)
  }" autofocus>Continue with ${provider}</a>
</section>
<details${view.clientId === undefined ? "" : " open"}>
<summary>Sign in with a client id</summary>
${clientForm(root, next, view, "")}
</details>`
}

const offer = ({ offered = [] }: DashboardConfig, root: string, next: string): string =>
  offered.length === 0 ? "" : `<section class="card offer" aria-labelledby="offer">
<h2 id="offer">Demo clients</h2>
<p>This service has demo data. Everybody knows the secrets of these clients.</p>
${
    offered.map(({ id, secret, description }) =>
      `<form method="post" action="${root}/sign-in">
<input type="hidden" name="next" value="${next}">
<input type="hidden" name="client_id" value="${escapeHtml(id)}">
<input type="hidden" name="client_secret" value="${escapeHtml(secret)}">
<button><strong>${escapeHtml(id)}</strong><span>${escapeHtml(description)}</span></button>
</form>`
    ).join("\n")
  }
</section>`

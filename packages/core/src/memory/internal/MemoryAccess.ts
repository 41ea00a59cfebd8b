/**
 * The ports of access in memory: clients, people, answers by idempotency key, signing keys, sessions of browsers, and the audit log.
 */
import { Clock, Effect, Result } from "effect"
import { everything, isWithin } from "../../access/Access.ts"
import type { BusinessScope } from "../../access/Access.ts"
import { AuditLog, auditRetentionMillis } from "../../access/AuditLog.ts"
import { SigningKeyStore } from "../../access/Authenticator.ts"
import { answeredMillis, sessionsPerPrincipal, SessionStore } from "../../access/BrowserSessions.ts"
import { IdempotencyStore } from "../../access/Idempotency.ts"
import { ClientStore, identityLimit, PersonStore } from "../../access/Principals.ts"
import type { Client, Person } from "../../access/Principals.ts"
import { cursorOf, cutPage, nextNames } from "../../values/Page.ts"
import type { NamePageRequest, Page } from "../../values/Page.ts"
import * as Timestamp from "../../values/Timestamp.ts"
import { over } from "../MemoryDatabase.ts"
import { agrees, byTime } from "../MemoryLists.ts"

export const clientStore = over(ClientStore, ({ clients }) => ({
  find: (id) => Effect.sync(() => clients.get(id) ?? null),
  list: (scope, page) => Effect.sync(() => pageWithin(clients, scope, page)),
  create: (client) =>
    Effect.sync(() => {
      if (clients.has(client.id)) return false
      clients.set(client.id, client)
      return true
    }),
  update: (id, change) =>
    Effect.suspend(() => {
      const client = clients.get(id)
      if (client === undefined) return Effect.succeed(null)
      return Effect.fromResult(Result.map(change(client), (result): Client => {
        const client = { ...result, id }
        clients.set(id, client)
        return client
      }))
    }),
  put: (entries) => Effect.sync(() => entries.forEach((client) => clients.set(client.id, client)))
}))

const pageWithin = <A extends Pick<Client, "grants" | "id">>(
  all: ReadonlyMap<string, A>,
  scope: BusinessScope,
  page: NamePageRequest
): Page<A> => {
  const matches = Array.from(all.values()).filter((each) => isWithin(each, scope))
  return cutPage(nextNames(matches, ({ id }) => id, page), page.limit, ({ grants, id }) => ({
    id,
    rows: grants.reduce((sum, { facilities }) => sum + (facilities === everything ? 1 : facilities.length), 1)
  }))
}

export const personStore = over(PersonStore, ({ people }) => {
  const withSameIdentity = ({ email, subject }: Pick<Person, "email" | "subject">) => {
    const all = nextNames(Array.from(people.values()), ({ id }) => id, { limit: people.size, after: "" })
    return [
      ...all.filter((person) => subject !== null && person.subject === subject),
      ...all.filter((person) => email !== null && person.email === email)
    ]
  }
  return {
    find: (id) => Effect.sync(() => people.get(id) ?? null),
    findIdentity: (identity) => Effect.sync(() => withSameIdentity(identity).slice(0, identityLimit)),
    list: (scope, page) => Effect.sync(() => pageWithin(people, scope, page)),
    create: (person, isSame) =>
      Effect.sync(() => {
        if (people.has(person.id) || withSameIdentity(person).some(isSame)) return false
        people.set(person.id, person)
        return true
      }),
    update: (id, change) =>
      Effect.suspend(() => {
        const person = people.get(id)
        if (person === undefined) return Effect.succeed(null)
        const others = withSameIdentity(person).filter((other) => other.id !== id)
        return Effect.fromResult(Result.map(change(person, others), ({ grants, name }): Person => {
          const next = { ...person, grants, name }
          people.set(id, next)
          return next
        }))
      }),
    remove: (id, check) =>
      Effect.suspend(() => {
        const person = people.get(id)
        if (person === undefined) return Effect.succeed(false)
        return Effect.fromResult(Result.map(check(person), () => people.delete(id)))
      })
  }
})

export const idempotencyStore = over(IdempotencyStore, ({ answers }) => ({
  keep: Effect.fnUntraced(function*(request, text) {
    const now = yield* Timestamp.now
    const answer = answers.find(request, now)
    if (answer === undefined) {
      answers.put(request, text, now)
      return null
    }
    return answer._tag === "KeptAnswer" ? answer : yield* answer
  })
}))

/** Signing keys in memory, so tokens do not survive the process. */
export const signingKeyStore = over(SigningKeyStore, (database) => ({
  list: Effect.sync(() => database.signingKeys),
  rotate: (key, unlessSince, dropBefore) =>
    Effect.sync(() => {
      const keys = database.signingKeys.some((existing) => existing.createdAt > unlessSince)
        ? database.signingKeys
        : [key, ...database.signingKeys]
      database.signingKeys = keys.filter((each, index) => index === 0 || each.createdAt >= dropBefore)
      return database.signingKeys
    })
}))

export const sessionStore = over(SessionStore, ({ answeredSignIns, sessions }) => ({
  add: ({ id, millis, principalId }) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      for (const [each, { expiresAt }] of sessions) if (expiresAt <= now) sessions.delete(each)
      sessions.set(id, { principalId, expiresAt: now + millis })
      // The map has the sessions in the order in which they began.
      const own = Array.from(sessions).filter(([, session]) => session.principalId === principalId)
      for (const [each] of own.slice(0, -sessionsPerPrincipal)) sessions.delete(each)
    }),
  find: (id) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const session = sessions.get(id)
      return session === undefined || session.expiresAt <= now
        ? null
        : { principalId: session.principalId, leftMillis: session.expiresAt - now }
    }),
  remove: (id) => Effect.sync(() => void sessions.delete(id)),
  markAnswered: (id) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      for (const [each, until] of answeredSignIns) if (until <= now) answeredSignIns.delete(each)
      if (answeredSignIns.has(id)) return false
      answeredSignIns.set(id, now + answeredMillis)
      return true
    })
}))

export const auditLog = over(AuditLog, (database) => ({
  record: (change, recordOf) =>
    Effect.uninterruptible(Effect.gen(function*() {
      const result = yield* change
      const record = recordOf(result)
      const now = record.at ?? (yield* Timestamp.now)
      const expiry = Timestamp.fromMillis(Date.parse(now) - auditRetentionMillis)
      database.audit = [
        ...database.audit.filter(({ at }) => at > expiry),
        { ...record, at: now, id: database.nextId("auditEntry") }
      ]
      return result
    })),
  list: (scope, { clientId, from, subject, to }, { after, limit }) =>
    Effect.sync(() => {
      const matches = database.audit
        .filter((entry) =>
          (scope === everything || scope.includes(entry.business)) &&
          agrees({ clientId, subject }, entry) &&
          (from ?? entry.at) <= entry.at && (to ?? entry.at) >= entry.at &&
          (after === undefined || byTime(entry, after) < 0)
        )
        .sort((left, right) => byTime(right, left))
      const items = matches.slice(0, limit)
      return { items, next: items.length < matches.length ? cursorOf(items.at(-1)!) : null }
    })
}))

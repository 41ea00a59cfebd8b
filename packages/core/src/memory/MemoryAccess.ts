/**
 * The ports of access in memory: clients, people, answers by idempotency key, sessions of browsers, and signing keys.
 */
import { Clock, Effect, Layer, Result } from "effect"
import { everything } from "../access/Access.ts"
import { ClientStore, isWithin } from "../access/ClientStore.ts"
import type { Client } from "../access/ClientStore.ts"
import { IdempotencyStore, retentionMillis } from "../access/IdempotencyStore.ts"
import { PersonStore } from "../access/PersonStore.ts"
import type { Person } from "../access/PersonStore.ts"
import { sessionsPerClient, SessionStore } from "../access/SessionStore.ts"
import { SigningKeyStore } from "../access/SigningKeyStore.ts"
import { cutPage, nextNames } from "../values/Page.ts"
import { IdempotencyKeyInUse, IdempotencyKeyReused } from "../values/RequestErrors.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

export const clientStore: Layer.Layer<ClientStore, never, MemoryDatabase> = Layer.effect(
  ClientStore,
  Effect.map(MemoryDatabase, ({ clients }) =>
    ClientStore.of({
      find: (id) => Effect.sync(() => clients.get(id) ?? null),
      list: (scope, page) =>
        Effect.sync(() => {
          const found = Array.from(clients.values()).filter((client) => isWithin(client, scope))
          return cutPage(nextNames(found, ({ id }) => id, page), page.limit, sizeOf)
        }),
      create: (client) =>
        Effect.sync(() => {
          if (clients.has(client.id)) return false
          clients.set(client.id, client)
          return true
        }),
      update: (id, change) =>
        Effect.suspend(() => {
          const known = clients.get(id)
          if (known === undefined) return Effect.succeed(null)
          return Effect.fromResult(Result.map(change(known), (changed): Client => {
            const client = { ...changed, id }
            clients.set(id, client)
            return client
          }))
        }),
      put: (given) => Effect.sync(() => given.forEach((client) => clients.set(client.id, client)))
    }))
)

const sizeOf = ({ id, grants }: Pick<Client, "id" | "grants">) => ({
  id,
  items: grants.reduce((sum, { facilities }) => sum + (facilities === everything ? 1 : facilities.length), 0)
})

export const personStore: Layer.Layer<PersonStore, never, MemoryDatabase> = Layer.effect(
  PersonStore,
  Effect.map(MemoryDatabase, ({ people }) => {
    const known = ({ email, subject }: Pick<Person, "email" | "subject">) => {
      const all = Array.from(people.values())
      return all.find((person) => subject !== null && person.subject === subject)
        ?? all.find((person) => email !== null && person.email === email)
    }
    return PersonStore.of({
      find: (id) => Effect.sync(() => people.get(id) ?? null),
      findIdentity: (identity) => Effect.sync(() => known(identity) ?? null),
      list: (scope, page) =>
        Effect.sync(() => {
          const found = Array.from(people.values()).filter((person) => isWithin(person, scope))
          return cutPage(nextNames(found, ({ id }) => id, page), page.limit, sizeOf)
        }),
      create: (person) =>
        Effect.sync(() => {
          if (people.has(person.id) || known(person) !== undefined) return false
          people.set(person.id, person)
          return true
        }),
      update: (id, change) =>
        Effect.suspend(() => {
          const person = people.get(id)
          if (person === undefined) return Effect.succeed(null)
          return Effect.fromResult(Result.map(change(person), ({ grants, name }): Person => {
            const changed = { ...person, grants, name }
            people.set(id, changed)
            return changed
          }))
        }),
      remove: (id, check) =>
        Effect.suspend(() => {
          const person = people.get(id)
          if (person === undefined) return Effect.succeed(false)
          return Effect.fromResult(Result.map(check(person), () => people.delete(id)))
        })
    })
  })
)

export const idempotencyStore: Layer.Layer<IdempotencyStore, never, MemoryDatabase> = Layer.effect(
  IdempotencyStore,
  Effect.map(MemoryDatabase, ({ idempotency }) =>
    IdempotencyStore.of({
      once: Effect.fnUntraced(function*(request, first) {
        const id = JSON.stringify([request.clientId, request.key])
        const now = yield* Clock.currentTimeMillis
        dropExpired(idempotency.kept, now)
        const kept = idempotency.kept.get(id)
        if (kept !== undefined && !isExpired(kept, now)) {
          if (kept.fingerprint !== request.fingerprint) return yield* new IdempotencyKeyReused()
          return { answer: kept.answer, replayed: true }
        }
        if (idempotency.running.has(id)) return yield* new IdempotencyKeyInUse()
        const { answer } = yield* Effect.suspend(() => {
          idempotency.running.add(id)
          return first
        }).pipe(
          Effect.tap(({ answer, keep }) =>
            Effect.map(Clock.currentTimeMillis, (keptAt) => {
              if (!keep) return
              idempotency.kept.delete(id)
              idempotency.kept.set(id, { fingerprint: request.fingerprint, answer, keptAt })
            })
          ),
          Effect.ensuring(Effect.sync(() => idempotency.running.delete(id))),
          // Without this, a client that disconnects could leave changes without their stored answer.
          Effect.uninterruptible
        )
        return { answer, replayed: false }
      })
    }))
)

const isExpired = ({ keptAt }: { readonly keptAt: number }, now: number): boolean =>
  keptAt + retentionMillis <= now

/** The map holds answers in the order in which they were kept, so the first answer that has not expired ends the loop. */
const dropExpired = (kept: Map<string, { readonly keptAt: number }>, now: number): void => {
  for (const [id, answer] of kept) {
    if (!isExpired(answer, now)) return
    kept.delete(id)
  }
}

/** Keys in memory: tokens do not survive the process. */
export const signingKeyStore: Layer.Layer<SigningKeyStore, never, MemoryDatabase> = Layer.effect(
  SigningKeyStore,
  Effect.map(MemoryDatabase, (database) =>
    SigningKeyStore.of({
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
)

export const sessionStore: Layer.Layer<SessionStore, never, MemoryDatabase> = Layer.effect(
  SessionStore,
  Effect.map(MemoryDatabase, ({ sessions }) =>
    SessionStore.of({
      add: (session) =>
        Effect.sync(() => {
          sessions.set(session.id, session)
          for (const { id, expiresAt } of sessions.values()) {
            if (expiresAt < session.createdAt) sessions.delete(id)
          }
          const own = Array.from(sessions.values()).filter(({ clientId }) => clientId === session.clientId)
            .sort((one, other) => other.createdAt < one.createdAt ? -1 : 1)
          for (const { id } of own.slice(sessionsPerClient)) sessions.delete(id)
        }),
      find: (id) => Effect.sync(() => sessions.get(id) ?? null),
      remove: (id) => Effect.sync(() => void sessions.delete(id))
    }))
)

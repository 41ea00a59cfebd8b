/**
 * How the functions of a capability that span businesses ask the shards of a cluster, and put their answers together: the slot `spanning` of
 * its part in PostgreSQL (`SqlCapability`). One PostgreSQL runs the functions as they are.
 */
export {
  everyShard,
  first,
  firsts,
  page,
  shardsOfBusinesses,
  shardsOfIds,
  shardsOfScopes,
  values
} from "./cluster/Merging.ts"
export type { ShardsOf as Asked, Text } from "./cluster/Merging.ts"

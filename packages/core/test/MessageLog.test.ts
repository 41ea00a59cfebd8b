import { Directory } from "@dockline/core/Directory"
import { MemoryDatabase } from "@dockline/core/MemoryDatabase"
import { MessageLog } from "@dockline/core/MessageLog"
import { Layer } from "effect"
import { followSuite } from "./FollowSuite.ts"
import { messageLogSuite } from "./MessageLogSuite.ts"

const base = Layer.empty

const stores = Layer.mergeAll(Directory.layerMemory, MessageLog.layerMemory).pipe(
  Layer.provide(MemoryDatabase.layer)
)

messageLogSuite("the message log in memory", base, stores)
followSuite("following the message log in memory", base, stores)

/** Processor time of this process, which does not pass while others have the processor. */
export const cpuMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

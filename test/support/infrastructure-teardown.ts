/** Stops the servers of the setup and removes their data. */
export default async function tearDown(): Promise<void> {
  await globalThis.billingInfrastructure?.stop();
}

/** Stops what the setup started, together with its data. */
export default async function tearDown(): Promise<void> {
  await globalThis.billingInfrastructure?.stop();
}

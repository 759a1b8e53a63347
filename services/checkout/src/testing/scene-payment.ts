import { aScene, finish, type Scene, type SceneProcess } from './scene-store';

/** Pays a scene's session with a card that is entered for that. */
export async function pays(
  process: SceneProcess,
  number: string,
  { context, sessionId, customerId }: Scene,
): Promise<void> {
  const card = { number, expiry: '12/49', code: '123' };
  const paymentMethodId = await process.saver.enterCard({ customerId, card }, context);
  await process.worker.pay(sessionId, { paymentMethodId, returnUrl: '' }, context);
}

/** A session whose first payment has failed here and has succeeded at the provider. */
export async function aContradictedScene(process: SceneProcess): Promise<Scene> {
  const scene = await aScene(process);
  await finish(process, scene);
  await pays(process, '4000000000000002', scene);
  await finish(process, scene);
  const _id = `${scene.invoiceId}:1`;
  await process.db
    .collection<{ _id: string }>('sandboxCharges')
    .updateOne({ _id }, { $set: { failureCode: null } });
  return scene;
}

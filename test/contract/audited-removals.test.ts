import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { newAddress, OperatorClient } from '../support/operator-client';
import { joinTestSystem } from '../support/shared-system';

let api: ApiClient;
let owner: OperatorClient;

beforeAll(async () => {
  const system = await joinTestSystem();
  api = system.sandbox;
  owner = await OperatorClient.owner(system, newAddress());
});

const create = async (path: string, body: object) =>
  String((await api.expect(201, api.post(path, body))).id);

/** The audit entry of the deletion of an object, once it is there. */
function deletionOf(id: string): Promise<any> {
  return eventually(async () => {
    const { data } = (await owner.api('GET', `/audit?targetId=${id}`)).body;
    const found = data.find(({ action }: { action: string }) => action.startsWith('DELETE'));
    expect(found).toBeDefined();
    return found;
  });
}

test('the audit log shows what an API key and an operator have deleted alike', async () => {
  const endpoint = { url: 'https://example.com/hook', description: 'Orders' };
  const [ofKey, ofOperator] = [
    await create('/webhook-endpoints', endpoint),
    await create('/webhook-endpoints', endpoint),
  ];
  await api.expect(204, api.delete(`/webhook-endpoints/${ofKey}`));
  const byKey = await deletionOf(ofKey);
  const path = `/webhook-endpoints/${ofOperator}`;
  const deleted = await owner.in(String(byKey.environmentId)).v1('DELETE', path);
  expect(deleted.status).toBe(204);
  const byOperator = await deletionOf(ofOperator);
  const removed = { url: { from: endpoint.url }, description: { from: 'Orders' } };
  expect(byKey).toMatchObject({ actor: { type: 'API_KEY' }, changes: removed });
  expect(byOperator).toMatchObject({ actor: { type: 'OPERATOR' }, changes: removed });
  expect(byKey.changes).toEqual(byOperator.changes);
});

test('the audit log names the personal fields of a deleted customer without their values', async () => {
  const email = newAddress();
  const id = await create('/customers', { email, name: 'Ada', currency: 'EUR' });
  await api.expect(204, api.delete(`/customers/${id}`));
  const entry = await deletionOf(id);
  expect(entry.changes).toMatchObject({ email: {}, name: {}, currency: { from: 'EUR' } });
  expect(entry.changes.email).toEqual({});
  expect(JSON.stringify(entry)).not.toContain(email);
});

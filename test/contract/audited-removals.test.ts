import { eventually } from '@billing/chassis/testing';
import type { ApiClient } from '../support/api-client';
import { newAddress, OperatorClient } from '../support/operator-client';
import { joinTestSystem } from '../support/shared-system';

let api: ApiClient;
let live: ApiClient;
let owner: OperatorClient;

beforeAll(async () => {
  const system = await joinTestSystem();
  api = system.sandbox;
  live = system.live;
  owner = await OperatorClient.owner(system, newAddress());
});

const create = async (path: string, body: object) =>
  String((await api.expect(201, api.post(path, body))).id);

/** The audit entry of the deletion of an object, once it is there. */
function deletionOf(id: string): Promise<any> {
  return entryOfMethod(id, 'DELETE');
}

function entryOfMethod(id: string, method: string): Promise<any> {
  return eventually(async () => {
    const { data } = (await owner.api('GET', `/audit?targetId=${id}`)).body;
    const found = data.find(({ action }: { action: string }) => action.startsWith(method));
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

test('the audit log shows a meter that was changed and deleted', async () => {
  const id = await create('/meters', { name: 'Calls', unit: 'calls' });
  await api.expect(200, api.request('PATCH', `/meters/${id}`, { body: { name: 'Requests' } }));
  const entryOf = (method: string) => entryOfMethod(id, method);
  expect((await entryOf('PATCH')).changes).toEqual({ name: { from: 'Calls', to: 'Requests' } });
  await api.expect(204, api.delete(`/meters/${id}`));
  const removed = { name: { from: 'Requests' }, unit: { from: 'calls' }, active: { from: true } };
  expect((await entryOf('DELETE')).changes).toMatchObject(removed);
});

test('the audit log shows an API key that was revoked, without its secret', async () => {
  const scopes = ['invoices:read'];
  const { id, key, last4 } = await api.expect(201, api.post('/api-keys', { name: 'CI', scopes }));
  await api.expect(204, api.delete(`/api-keys/${id as string}`));
  const entry = await deletionOf(id);
  const removed = { name: { from: 'CI' }, scopes: { from: scopes }, last4: { from: last4 } };
  expect(entry).toMatchObject({ target: { type: 'api_key', name: 'CI' }, changes: removed });
  expect(JSON.stringify(entry)).not.toContain(key);
});

test('the audit log shows a sandbox that was renamed and deleted', async () => {
  const { id } = await live.expect(201, live.post('/sandboxes', { name: 'Trial' }));
  const path = `/sandboxes/${id as string}`;
  await live.expect(200, live.request('PATCH', path, { body: { name: 'Demo' } }));
  const renamed = await entryOfMethod(id, 'PATCH');
  expect(renamed.changes).toEqual({ name: { from: 'Trial', to: 'Demo' } });
  await live.expect(204, live.delete(path));
  const removed = { name: { from: 'Demo' }, clock: { from: 'REAL' } };
  expect((await deletionOf(id)).changes).toMatchObject(removed);
});

test('the audit log shows a suppression that was deleted, without the address', async () => {
  const email = newAddress();
  const customerId = await create('/customers', { email });
  const lines = [{ description: 'Setup', amount: 100 }];
  const terms = { currency: 'USD', collectionMethod: 'SEND_INVOICE', finalize: true };
  await create('/invoices', { customerId, lines, ...terms });
  const [{ id: emailId }] = await eventually(async () => {
    const found = await api.all(`/emails?customerId=${customerId}`);
    expect(found).toHaveLength(1);
    return found as [{ id: string }];
  });
  await api.expect(200, api.post(`/emails/${emailId}/bounce`, { type: 'COMPLAINT' }));
  const [{ id }] = await api.all(`/email-suppressions?email=${email}`);
  await api.expect(204, api.delete(`/email-suppressions/${id as string}`));
  const entry = await deletionOf(id);
  const removed = { email: {}, reason: { from: 'COMPLAINT' }, emailId: {} };
  expect(entry.changes).toEqual(removed);
  expect(JSON.stringify(entry)).not.toContain(email);
});

test('a DELETE of an unknown object has an entry without fields', async () => {
  const id = '0197a000-0000-7000-8000-0000000000aa';
  for (const path of ['meters', 'api-keys', 'email-suppressions']) {
    const { status } = await api.delete(`/${path}/${id}`);
    expect([path, status]).toEqual([path, 404]);
  }
  const entries = await eventually(async () => {
    const { data } = (await owner.api('GET', `/audit?targetId=${id}`)).body;
    expect(data).toHaveLength(3);
    return data as { changes: object }[];
  });
  expect(entries.map(({ changes }) => changes)).toEqual([{}, {}, {}]);
});

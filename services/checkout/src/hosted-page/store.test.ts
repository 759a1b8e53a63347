import type { Db } from 'mongodb';
import { tokenHash, tokenOf } from './hosted-page';
import { HostedPageStore } from './store';

const resourceId = '0197a000-0000-7000-8000-000000000001';
const before = 'o'.repeat(32);
const now = 'n'.repeat(32);
const url = 'https://pay.example';
const tenantFields = { organizationId: 'o', environmentId: 'e', live: true, timeline: 'real' };

/** Every collection has the resource, found by its id or by its page's hash. */
function storeWith({ secret, oldSecrets }: { secret: string; oldSecrets: string[] }) {
  const pageHash = tokenHash(tokenOf({ kind: 'CHECKOUT_SESSION', resourceId }, before));
  const findOne = (filter: { _id?: string; pageHash?: string }) =>
    Promise.resolve(
      filter._id === resourceId || filter.pageHash === pageHash
        ? { _id: resourceId, ...tenantFields }
        : null,
    );
  const db = { collection: () => ({ findOne }) } as unknown as Db;
  return { store: new HostedPageStore(db, { url, secret, oldSecrets }), pageHash };
}

test.each(['CHECKOUT_SESSION', 'CHECKOUT_LINK', 'INVOICE'] as const)(
  'an address of a %s with the former secret still opens its page',
  async (kind) => {
    const token = tokenOf({ kind, resourceId }, before);
    const { store } = storeWith({ secret: now, oldSecrets: [before] });
    expect(await store.find(token)).toMatchObject({ kind, resourceId });
  },
);

test('an address of a link or invoice becomes invalid with the removal of its secret', async () => {
  const token = tokenOf({ kind: 'INVOICE', resourceId }, before);
  expect(await storeWith({ secret: now, oldSecrets: [] }).store.find(token)).toBeUndefined();
});

test('new addresses use the new secret, and a stored session keeps its own', () => {
  const { store, pageHash } = storeWith({ secret: now, oldSecrets: [before] });
  const session = { kind: 'CHECKOUT_SESSION', resourceId } as const;
  expect(store.urlOf(session)).toBe(`${url}/checkout/${tokenOf(session, now)}`);
  expect(store.urlOf(session, pageHash)).toBe(`${url}/checkout/${tokenOf(session, before)}`);
});

import { inspect } from 'node:util';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { newId } from '@billing/chassis/ids';
import { type RunningService, Service } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { aReadySession } from '../testing/session';
import type { Session, SessionRecord } from './session';
import { listSessions, offeredSessions, sessionDefinition } from './session-store';

const configuration = testServiceConfiguration('sessionlists');
const context = testContext({ now: new Date('2026-01-31T10:00:00Z') });
const phases = ['CREATING', 'READY', 'PAYING', 'COMPLETE', 'EXPIRED'] as const;

let running: RunningService;
let sessions: AggregateCollection<SessionRecord>;
/** Ids of the sessions of each phase, newest first. */
const stored = new Map<Session['phase'], string[]>();

beforeAll(async () => {
  const service = await Service.open('checkout', configuration);
  sessions = service.aggregates(sessionDefinition);
  running = await service.serve([]);
  for (let second = 0; second < 15; second += 1) {
    const phase = phases[second % phases.length] ?? 'READY';
    const total = phase === 'CREATING' ? undefined : 2_900n;
    const state: Session = { ...aReadySession(), id: newId(), phase, total };
    const now = new Date(context.now.getTime() + second * 1_000);
    await sessions.within({ ...context, now }).insert({ state, events: [], commands: [] });
    stored.set(phase, [state.id, ...(stored.get(phase) ?? [])]);
  }
});

afterAll(async () => {
  await running.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

const open = () => {
  const [ready = [], paying = []] = [stored.get('READY'), stored.get('PAYING')];
  // Each session that is paid was created a second after one that is ready.
  return paying.flatMap((id, index) => [id, ready[index] ?? '']);
};

test('open sessions are a list of those that are ready and those that are being paid', async () => {
  const list = async (page: number, oldestFirst = false) => {
    const filters = offeredSessions({ status: 'OPEN' });
    const asked = { page, perPage: 4, oldestFirst };
    const { data, total } = await listSessions(sessions.within(context), filters, asked);
    return [data.map(({ state }) => state.id), total];
  };
  expect(await list(1)).toEqual([open().slice(0, 4), 6]);
  expect(await list(2)).toEqual([open().slice(4), 6]);
  expect(await list(3)).toEqual([[], 6]);
  expect(await list(1, true)).toEqual([open().toReversed().slice(0, 4), 6]);
});

test('sessions that were never offered are in no list of a status', async () => {
  const listed = async (asked: Parameters<typeof offeredSessions>[0]) => {
    const page = { page: 1, perPage: 20, oldestFirst: false };
    const found = await listSessions(sessions.within(context), offeredSessions(asked), page);
    return found.data.map(({ state }) => state.id);
  };
  expect(await listed({ status: 'COMPLETE' })).toEqual(stored.get('COMPLETE'));
  expect(await listed({ status: 'EXPIRED' })).toEqual(stored.get('EXPIRED'));
  expect(await listed({})).toHaveLength(12);
});

test('the list of a product has the sessions in which any item is of it', async () => {
  const [productId, other] = [newId(), newId()];
  const item = { productDescription: undefined, priceId: newId(), price: '', quantity: 1 };
  const state: Session = {
    ...{ ...aReadySession(), id: newId(), productId },
    otherItems: [{ ...item, productId: other, productName: 'Seats' }],
  };
  const later = { ...context, tenant: { ...context.tenant, environmentId: newId() } };
  await sessions.within(later).insert({ state, events: [], commands: [] });
  const page = { page: 1, perPage: 20, oldestFirst: false };
  for (const asked of [{ productId }, { productId: other, status: 'OPEN' as const }]) {
    const { data, total } = await listSessions(
      sessions.within(later),
      offeredSessions(asked),
      page,
    );
    expect([data.map(({ state: { id } }) => id), total]).toEqual([[state.id], 1]);
  }
  const none = await listSessions(
    sessions.within(later),
    offeredSessions({ productId: newId() }),
    page,
  );
  expect(none.total).toBe(0);
});

test('lists of a status are read from the index of phases', async () => {
  for (const filter of offeredSessions({ status: 'OPEN' })) {
    const { environmentId } = context.tenant;
    const query = { ...filter, environmentId, createdAt: { $lte: context.now } };
    const cursor = sessions.documents.find(query).sort({ createdAt: -1, _id: -1 });
    const plan = await cursor.limit(20).explain();
    expect(inspect(plan, { depth: null })).toMatch(/index ?name'?: 'phase'/i);
  }
});

import {
  aScene,
  endOf,
  finish,
  processOn,
  type Scene,
  sceneEnd,
  type SceneEnd,
  type SceneProcess,
} from '../testing/scene-store';
import { asSession } from '../testing/session';
import { Stopped, stoppingAfter } from '../testing/stop-store';
import { openReplicas, type Replicas } from '../testing/store';

// A process does one thing and is stopped before its first write, its second, and so on; another
// process resumes and is stopped too; a third one completes everything.

type Act = (process: SceneProcess, scene: Scene) => Promise<unknown>;

const stopsMax = 15;
// Number of stops of the resuming process, at another place for each of the first stops.
const resumedWrites = 5;

let replicas: Replicas;
let healthy: SceneProcess;

beforeAll(async () => {
  replicas = await openReplicas();
  healthy = processOn(replicas.db);
  await healthy.sessions.ensureIndexes();
});

afterAll(() => replicas.close());

function pays(number: string): Act {
  return async ({ worker }, { context, sessionId, customerId }) => {
    const card = { number, expiry: '12/49', code: '123' };
    const paymentMethodId = await healthy.saver.enterCard({ customerId, card }, context);
    return worker.pay(sessionId, { paymentMethodId, returnUrl: '' }, context);
  };
}

const challenging = pays('4000002500003155');
const answers: Act = ({ worker }, { context, sessionId }) =>
  worker.answerChallenge(sessionId, { attempt: 1, approved: true }, context);
const expires: Act = ({ worker }, { context, sessionId }) =>
  worker.expireDue(sessionId, { ...context, now: sceneEnd });

test.each<{ what: string; before: Act[]; act: Act; ends: string[] }>([
  {
    what: 'a payment',
    before: [],
    act: pays('4242424242424242'),
    ends: ['READY OPEN, nothing', 'COMPLETE PAID, SUCCEEDED'],
  },
  {
    what: 'a payment that is declined',
    before: [],
    act: pays('4000000000000002'),
    ends: ['READY OPEN, nothing', 'READY OPEN, FAILED'],
  },
  {
    what: 'a payment that needs its payer',
    before: [],
    act: challenging,
    ends: ['READY OPEN, nothing', 'READY OPEN, challenge'],
  },
  {
    what: 'an answer',
    before: [challenging],
    act: answers,
    ends: ['READY OPEN, challenge', 'COMPLETE PAID, SUCCEEDED'],
  },
  {
    what: 'another card in the place of a challenge',
    before: [challenging],
    act: pays('4242424242424242'),
    ends: ['READY OPEN, challenge', 'COMPLETE PAID, FAILED, SUCCEEDED'],
  },
  {
    what: 'an expiry',
    before: [],
    act: expires,
    ends: ['READY OPEN, nothing', 'EXPIRED VOID, nothing'],
  },
  {
    what: 'an expiry that meets a challenge',
    before: [challenging],
    act: expires,
    // The scanner returns until the session has ended.
    ends: ['READY OPEN, challenge', 'READY OPEN, FAILED', 'EXPIRED VOID, FAILED'],
  },
])('$what, stopped anywhere and resumed, reaches a final state', async ({ before, act, ends }) => {
  const reached = new Set<string>();
  for (let writes = 0, isStopped = true; isStopped; writes += 1) {
    expect(writes).toBeLessThan(stopsMax);
    const scene = await aScene(healthy);
    await finish(healthy, scene);
    for (const earlier of before) await earlier(healthy, scene);

    isStopped = await stopped(writes, (process) => act(process, scene));
    await stopped(writes % resumedWrites, (process) => finish(process, scene));
    await finish(healthy, scene);

    const end = await endOf(healthy, scene);
    expect(ends).toContain(describeEnd(end));
    expect(problemsOf(end)).toEqual([]);
    reached.add(describeEnd(end));
  }
  // All states from the beginning to the end, and no others.
  expect([...reached].sort()).toEqual([...ends].sort());
});

test('creation, stopped anywhere and resumed, creates the session', async () => {
  for (let writes = 0, isStopped = true; isStopped; writes += 1) {
    expect(writes).toBeLessThan(stopsMax);
    const scene = await aScene(healthy);
    isStopped = await stopped(writes, (process) => finish(process, scene));
    await stopped(writes % resumedWrites, (process) => finish(process, scene));
    await finish(healthy, scene);
    expect(describeEnd(await endOf(healthy, scene))).toBe('READY OPEN, nothing');
  }
});

test('a payment before the invoice exists is made once it exists', async () => {
  const scene = await aScene(healthy);
  await expect(pays('4242424242424242')(healthy, scene)).rejects.toThrow('Invoice not found');
  await finish(healthy, scene);
  expect(describeEnd(await endOf(healthy, scene))).toBe('COMPLETE PAID, SUCCEEDED');
});

test('creation, stopped anywhere or slow while the session expires, leaves nothing to pay and no number without an invoice', async () => {
  for (let writes = 0, isStopped = true; isStopped; writes += 1) {
    expect(writes).toBeLessThan(stopsMax);
    const scene = await aScene(healthy);
    const { context, sessionId, invoiceId } = scene;
    const session = asSession((await healthy.sessions.within(context).get(sessionId)).state);
    isStopped = await stopped(writes, ({ preparer }) => preparer.openInvoice(session, context));
    await expires(healthy, scene);
    await stopped(writes % resumedWrites, (process) => finish(process, scene));
    await finish(healthy, scene);
    // It was not stopped after all.
    await healthy.preparer.openInvoice(session, context);

    const { phase } = asSession((await healthy.sessions.within(context).get(sessionId)).state);
    const { state } = await healthy.invoices.within(context).get(invoiceId);
    expect([phase, state]).toMatchObject(['EXPIRED', { status: 'VOID', number: 'INV-000001' }]);
    expect(await takenNumbers(scene)).toBe(1);
  }
});

/**
 * Runs something in a process that is stopped after a number of writes; returns true if it was
 * stopped.
 */
async function stopped(
  writes: number,
  act: (process: SceneProcess) => Promise<unknown>,
): Promise<boolean> {
  try {
    await act(processOn(stoppingAfter(replicas.db, writes)));
    return false;
  } catch (error) {
    if (error instanceof Stopped) return true;
    throw error;
  }
}

function takenNumbers({ context: { tenant } }: Scene): Promise<number> {
  const { environmentId } = tenant;
  return replicas.db.collection('invoiceNumbers').countDocuments({ environmentId });
}

function describeEnd({ session: { phase, challenge }, invoice: { status, payments } }: SceneEnd) {
  const attempts = [
    ...payments.map((payment) => payment.status),
    ...(challenge === undefined ? [] : ['challenge']),
  ];
  return `${phase} ${status}, ${attempts.length === 0 ? 'nothing' : attempts.join(', ')}`;
}

/** Lists every violated invariant. */
function problemsOf({ session, invoice, charges }: SceneEnd): string[] {
  const { attempt, payments, paidAt } = invoice;
  const attempts = payments.length + (attempt === undefined ? 0 : 1);
  const facts: [string, boolean][] = [
    ['one charge an attempt', charges === attempts],
    ['complete when it was paid', session.completedAt?.getTime() === paidAt?.getTime()],
    ['one challenge for both', session.challenge?.attempt === attempt?.number],
    ['nothing runs any more', session.payment === undefined && attempt?.status !== 'PENDING'],
  ];
  return facts.filter(([, holds]) => !holds).map(([name]) => name);
}

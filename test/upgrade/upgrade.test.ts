import { eventually } from '@billing/chassis/testing';
import { expectInvariants } from '../invariants/expectation';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver';
import { differences } from './differences';
import { Installation, type RunningInstallation } from './installation';
import { KnownFields } from './known-fields';
import { beginLife, continueLife, type Life, signIn } from './life';
import { readEnvironment } from './reading';
import { formerRelease, presentRelease, type Release } from './releases';

jest.setTimeout(600_000);

/** The upgrade to this working copy, back, and again, on one data folder. */
describe('data that one release after another runs on', () => {
  let former: Release;
  let installation: Installation;
  let system: RunningInstallation | undefined;
  let receiver: WebhookReceiver;
  let life: Life;
  /** The document of the former release, and what it answered last. */
  let document: any;
  let answers: ReadonlyMap<string, unknown>;
  /** The former release cannot show fields that are newer than itself. */
  const shownByFormer = new KnownFields();
  let indexes: readonly string[];

  beforeAll(async () => {
    former = formerRelease();
    installation = await Installation.create();
    receiver = await startWebhookReceiver();
  });

  afterAll(async () => {
    await system?.stop();
    await receiver.close();
    await installation.remove();
  });

  /** Only after the step before has succeeded. */
  async function launch(release: Release): Promise<RunningInstallation> {
    if (system !== undefined) throw new Error('The step before has failed');
    system = await installation.launch(release);
    return system;
  }

  /** Ends the present system once it is at rest, and remembers what it answers. */
  async function leave(signal: NodeJS.Signals): Promise<void> {
    if (system === undefined) throw new Error('Nothing runs');
    await expectInvariants(system, system.client(life.key), { receivers: [receiver] });
    answers = (await readEnvironment(system.client(life.key), document, life)).answers;
    await system.stop(signal);
    system = undefined;
  }

  async function changedAnswers(of: RunningInstallation): Promise<string[]> {
    const now = await readEnvironment(of.client(life.key), document, life);
    const before = shownByFormer.only(Object.fromEntries(answers));
    return differences(before, Object.fromEntries(now.answers));
  }

  test('the former release fills every kind of resource', async () => {
    const running = await launch(former);
    life = await beginLife(running, receiver);
    document = await (await fetch(`${running.gatewayUrl}/openapi.json`)).json();
    const read = await readEnvironment(running.client(life.key), document, life);
    shownByFormer.learn(Object.fromEntries(read.answers));
    // No payment is disputed.
    expect(read.unread).toEqual(['/disputes/{id}']);
    await leave('SIGTERM');
    indexes = await installation.indexes();
  });

  test('this release reads all of it equal, keeps its indexes, renews, charges and delivers', async () => {
    const running = await launch(presentRelease);
    expect(await changedAnswers(running)).toEqual([]);
    const kept = new Set(await installation.indexes());
    expect(indexes.filter((index) => !kept.has(index))).toEqual([]);
    await signIn(running);
    await continueLife(running, life, '2026-04-30T00:00:00Z');
    await expectNoGaps(running);
    await leave('SIGKILL');
  });

  test('the former release reads, renews and writes what this one left when it was killed', async () => {
    const running = await launch(former);
    expect(await changedAnswers(running)).toEqual([]);
    await signIn(running);
    await continueLife(running, life, '2026-05-31T00:00:00Z');
    await expectNoGaps(running);
    await leave('SIGTERM');
  });

  test('this release goes on after the return, and breaks no invariant', async () => {
    const running = await launch(presentRelease);
    expect(await changedAnswers(running)).toEqual([]);
    await continueLife(running, life, '2026-06-30T00:00:00Z');
    await expectNoGaps(running);
    await expectInvariants(running, running.client(life.key), { receivers: [receiver] });
  });

  test('neither release logged an error or set a message aside', async () => {
    expect(await installation.poisoned()).toEqual([]);
    expect(await installation.loggedErrors()).toEqual([]);
  });

  /** Each resource's webhooks have arrived in order, from the first to the last one. */
  async function expectNoGaps(of: RunningInstallation): Promise<void> {
    const api = of.client(life.key);
    const [endpoint] = await api.all('/webhook-endpoints');
    await eventually(
      async () => {
        const path = `/webhook-endpoints/${String(endpoint.id)}/gaps?since=2026-01-01T00:00:00Z`;
        expect(await api.expect(200, api.get(path))).toEqual([]);
        expect(outOfOrder(receiver)).toEqual([]);
      },
      { everyMs: 250 },
    );
  }
});

/** Sequences of subscriptions that did not arrive as 1, 2, 3 and so on, repetitions aside. */
function outOfOrder({ received }: WebhookReceiver): string[] {
  const sequences = new Map<string, Set<number>>();
  for (const { body } of received) {
    const id = String(body.data.subscriptionId);
    if (!String(body.type).startsWith('subscription.')) continue;
    sequences.set(id, (sequences.get(id) ?? new Set()).add(Number(body.sequence)));
  }
  return [...sequences]
    .map(([id, numbers]) => [id, [...numbers]] as const)
    .filter(([, numbers]) => numbers.some((number, index) => number !== index + 1))
    .map(([id, numbers]) => `${id}: ${numbers.join()}`);
}

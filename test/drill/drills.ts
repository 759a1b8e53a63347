import { eventually } from '@billing/chassis/testing';
import { isShort } from '../support/rounds';
import { withoutPeriodOf } from './compare';
import { older } from './copies';
import type { AllBooks, DrillSystem } from './drill-system';
import { pausedBackup } from './paused-backup';
import { type Step, steps } from './recovery';
import { created } from './scene';

/** A drill on a system that others have used before it. */
interface Drill {
  readonly name: string;
  readonly run: (system: DrillSystem) => Promise<void>;
}

/** Drills of databases that are older than the others, in the order of the sandbox's time. */
export const drills: readonly Drill[] = [
  {
    name: 'D8: a database that is older by ten minutes is refused, and nothing changes',
    run: refuseOlderDatabase,
  },
  { name: 'D3: a backup under load pauses writes', run: pausedBackup },
  { name: 'D4: checkout is older', run: checkoutBehind },
  { name: 'D5: subscription is older', run: subscriptionBehind },
];

const tenMinutesMs = 600_000;

async function refuseOlderDatabase(system: DrillSystem): Promise<void> {
  const { machine, copies } = system;
  const saved = await system.saveBeforeRenewals(['checkout'], { count: 5 });
  await system.untilRenewed(saved.renewing);
  await machine.stop();
  const current = await copies.save(['checkout']);
  await copies.putBack(
    new Map([...saved.copies].map(([service, copy]) => [service, older(copy, tenMinutesMs)])),
  );
  const before = await copies.save(machine.services);
  const instant = new Date(saved.at.getTime() - tenMinutesMs).toISOString();
  const refused = await machine.run(['restore', '--restored', instant]);
  const text = `_(?!checkout)\\w+ was not restored to ${instant}: restore all databases to one instant`;
  expect(refused).toMatchObject({ code: 78, stderr: expect.stringMatching(new RegExp(text)) });
  expect(await copies.save(machine.services)).toEqual(before);
  await copies.putBack(current);
  await machine.start();
}

async function checkoutBehind(system: DrillSystem): Promise<void> {
  const { scene, machine } = system;
  const { live, sandbox } = scene;
  const session = await scene.openSession();
  const refunded = await scene.buy();
  const [paid] = await live.all(`/invoices?subscriptionId=${String(refunded.id)}`);
  const saved = await system.saveBeforeRenewals(['checkout'], { count: 1 });
  await scene.pay(session);
  for (let bought = 0; bought < 2; bought += 1) await scene.buy();
  await sandbox.advanceTo('2026-02-01T00:00:00Z');
  const credit = { invoiceId: paid.id, amount: 100, reason: 'OTHER', settle: 'REFUND' };
  const note = await created(live, '/credit-notes', credit);
  await eventually(() => {
    expect(machine.stripe.account.refunds).toMatchObject([{ amount: 100 }]);
  });
  await system.untilRenewed(saved.renewing);

  // The provider knows the refund, but not the note.
  const expected = ({ live: books, ...others }: AllBooks) => {
    const creditNotes = new Map(books.creditNotes);
    creditNotes.delete(note.id);
    return { ...others, live: { ...books, creditNotes } };
  };
  // The period of a session's invoice begins when checkout records the payment, and after a restore
  // at the charge.
  const { invoice: ofSession } = await live.expect(200, live.get(`/checkout/${session.sessionId}`));
  const compared = ({ live: books, ...others }: AllBooks) => {
    return { ...others, live: withoutPeriodOf(ofSession.id, books) };
  };
  const kills: readonly Step[] = isShort ? [] : steps;
  await system.restore(saved, { kills, expected, compared });
  const shown = await live.expect(200, live.get(`/checkout/${session.sessionId}`));
  expect(shown).toMatchObject({ status: 'COMPLETE', invoice: { status: 'PAID' } });
}

async function subscriptionBehind(system: DrillSystem): Promise<void> {
  const { scene } = system;
  const { live, sandbox } = scene;
  await sandbox.advanceTo('2026-02-27T00:00:00Z');
  const session = await scene.openSession();
  const late = await scene.subscribe({}, '4000000000000002');
  expect(late.status).toBe('PAST_DUE');
  const canceled = await scene.buy();
  const saved = await system.saveBeforeRenewals(['subscription'], { count: 3 });
  await scene.pay(session);
  await live.expect(200, live.post(`/subscriptions/${String(canceled.id)}/cancel`));
  await sandbox.advanceTo('2026-03-02T00:00:00Z');
  await system.untilRenewed(saved.renewing);

  // The cancellation was written after the save.
  const expected = ({ live: books, ...others }: AllBooks) => {
    const subscriptions = new Map(books.subscriptions);
    subscriptions.set(canceled.id, saved.books.live.subscriptions.get(canceled.id));
    return { ...others, live: { ...books, subscriptions } };
  };
  const kills: readonly Step[] = isShort ? ['reassert', 'catchUp'] : steps;
  await system.restore(saved, { kills, expected });
}

import { newId } from '@billing/chassis/ids';
import { testContext } from '@billing/chassis/testing';
import { asked, all } from '../testing/credit-note';
import { processOn, type SceneProcess } from '../testing/scene-store';
import { advancingClock, openReplicas, type Replicas } from '../testing/store';
import { issueCreditNote } from './issue-credit-note';

let replicas: Replicas;
let process: SceneProcess;

beforeAll(async () => {
  replicas = await openReplicas();
  process = processOn(replicas.db);
});

afterAll(() => replicas.close());

test('a refund is sent after its credit note has a number, however long that takes', async () => {
  const context = testContext();
  const id = await replicas.insertDraft(context, {
    authorizedTransactionId: 'txn_4242424242424242',
  });
  await process.collection.open(id, context);
  const creditNoteId = newId();
  const note = { ...asked(all, 'REFUND'), id: creditNoteId };
  const facts = {
    ...{
      methods: { methodId: undefined },
      realNow: advancingClock.now(),
      refundIdOf: () => newId(),
    },
  };
  await process.invoices
    .within(context)
    .mutate(id, (record, now) => issueCreditNote(record, note, { ...facts, now }));
  const resume = async () => {
    // The clock of the process advances by more than a lease each time.
    await process.refunds.resume(id, context);
    return (await replicas.read(id, context)).refunds;
  };
  const recoverAt = async () => (await process.invoices.documents.findOne({ _id: id }))?.recoverAt;
  // Its command waits behind another one of the invoice that is refused.
  expect(await resume()).toMatchObject([{ status: 'PENDING', providerRefundId: undefined }]);
  expect(await recoverAt()).toBeNull();
  expect(await replicas.db.collection('sandboxRefunds').countDocuments()).toBe(0);

  await process.creditNotes.complete({ invoiceId: id, creditNoteId }, context);
  expect(await recoverAt()).toEqual(expect.any(Date));
  expect(await resume()).toMatchObject([{ status: 'SUCCEEDED', amount: 2900n }]);
});

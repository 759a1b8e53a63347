import type { CallContext } from '@billing/chassis/call-context';
import type { Attempt } from '../invoice/attempt';
import { aLineItem, anOpened, savedMethod } from '../testing/invoice';
import { type CreditNoteDependencies, CreditNoteWorker } from './credit-note-worker';
import type { NewCreditNote } from './issue-credit-note';

const now = new Date('2026-01-02T00:00:00.000Z');
const context = { tenant: { environmentId: 'env' }, now } as unknown as CallContext;
const opened = { ...anOpened({}, savedMethod), lineItems: [aLineItem({ id: 'a', amount: 100n })] };

const asked = (change: Partial<NewCreditNote>): NewCreditNote => ({
  ...{ id: 'note', reason: 'OTHER', memo: undefined, metadata: {}, settle: 'BALANCE' },
  amounts: { kind: 'ALL' },
  ...change,
});
const lines = (lineItemId: string, amount: bigint) =>
  asked({ amounts: { kind: 'LINES', lines: [{ lineItemId, amount }] } });

// Stops at the release: what comes after it is not reached by a refusal.
function issue(status: Attempt['status'], note: NewCreditNote) {
  const state = { ...opened, attempt: { ...opened.attempt, status } };
  const release = jest.fn(() => Promise.reject(new Error('Released')));
  const dependencies = {
    invoices: { within: () => ({ get: () => Promise.resolve({ state }) }) },
    methods: { choiceFor: () => Promise.resolve({ methodId: undefined }) },
    attempts: { release },
    isCustomerDeleted: () => Promise.resolve(false),
    clock: { now: () => now },
  } as unknown as CreditNoteDependencies;
  const issued = new CreditNoteWorker(dependencies).issue('invoice', note, context);
  return { issued, release };
}

describe.each(['PENDING', 'REQUIRES_ACTION'] as const)('with an attempt %s', (status) => {
  test.each([
    [
      'an unknown line',
      lines('b', 1n),
      { fields: { lines: ['0.lineItemId: Line item not found'] } },
    ],
    [
      'too much of a line',
      lines('a', 101n),
      { fields: { lines: ['0.amount: More than what is left'] } },
    ],
    [
      'too much',
      asked({ amounts: { kind: 'AMOUNT', amount: 101n } }),
      { reason: 'CREDIT_TOO_HIGH' },
    ],
  ])('a credit note of %s is refused before the attempt is touched', async (_case, note, error) => {
    const { issued, release } = issue(status, note);
    await expect(issued).rejects.toMatchObject(error);
    expect(release).not.toHaveBeenCalled();
  });
});

test.each([
  ['PENDING', 'A payment of the invoice is in progress', 0],
  ['REQUIRES_ACTION', 'Released', 1],
] as const)('a sound credit note with an attempt %s: %s', async (status, message, releases) => {
  const { issued, release } = issue(status, asked({}));
  await expect(issued).rejects.toThrow(message);
  expect(release).toHaveBeenCalledTimes(releases);
});

describe('a credit note that is refunded', () => {
  const numbered = { number: 'CN-000001' };

  /** Issues a note whose number is taken or not by the end of the wait. */
  function refunding(change: Partial<typeof numbered>, wait?: () => Promise<never>) {
    const note = { id: 'note', number: undefined, lines: [], ...change };
    const state = { ...opened, attempt: undefined, creditNotes: [note] };
    const sendNew = jest.fn(() => Promise.resolve({ state }));
    const warn = jest.fn();
    const stored = { state: { ...state, creditNotes: [{ ...note, number: undefined }] } };
    const invoices = {
      get: () => Promise.resolve({ state }),
      mutate: () => Promise.resolve(stored),
    };
    const dependencies = {
      invoices: { within: () => invoices, waitFor: wait ?? (() => Promise.resolve({ state })) },
      methods: { choiceFor: () => Promise.resolve({ methodId: undefined }) },
      refunds: { sendNew },
      isCustomerDeleted: () => Promise.resolve(false),
      clock: { now: () => now },
      logger: { warn },
    } as unknown as CreditNoteDependencies;
    const deadline = new Date(now.getTime() + 60_000);
    const issued = new CreditNoteWorker(dependencies).issue('invoice', asked({}), {
      ...context,
      deadline,
    });
    return { issued, sendNew, warn };
  }

  test('is sent once it has a number, within 8 s of the call', async () => {
    const { issued, sendNew } = refunding(numbered);
    await issued;
    const until = new Date(now.getTime() + 8_000);
    expect(sendNew).toHaveBeenCalledWith(
      expect.objectContaining({}),
      expect.objectContaining({ until }),
      expect.objectContaining({ deadline: expect.any(Date) }),
    );
  });

  test('is answered as stored if the wait for its number cannot read the database', async () => {
    const lost = () => Promise.reject(new Error('connection closed'));
    const { issued, sendNew, warn } = refunding({}, lost);
    expect((await issued).state).toMatchObject({ creditNotes: [{ id: 'note' }] });
    expect(sendNew).not.toHaveBeenCalled();
    expect(warn).toHaveBeenCalledTimes(1);
  });

  test('is left to the worker that resumes it if its number takes longer', async () => {
    const { issued, sendNew } = refunding({});
    await issued;
    expect(sendNew).not.toHaveBeenCalled();
  });
});

import { newId } from '@billing/chassis/ids';
import { connectMongo, type MongoConnection } from '@billing/chassis/mongo';
import { dropTestDatabase, testServiceConfiguration } from '@billing/chassis/testing';
import type {
  ChargeOutcome,
  ChargeRequest,
  ProviderSource,
  TypedCard,
} from '../port/payment-provider';
import { sandboxOf } from '../../testing/store';
import { ensureSandboxIndexes } from './store';

const configuration = testServiceConfiguration('checkout');
let mongo: MongoConnection;

beforeAll(async () => {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'checkout', maxPoolSize: 32 });
  await ensureSandboxIndexes(mongo.db);
});

afterAll(async () => {
  await mongo.close();
  await dropTestDatabase(configuration);
});

const now = new Date('2026-01-15T00:00:00.000Z');
const returnUrl = 'https://shop.example/back';

function aSandbox() {
  const environmentId = newId();
  const open = () => sandboxOf(mongo.db, environmentId);
  const customerId = newId();
  const charge = (
    source: ProviderSource,
    { key = newId(), amount = 2900n, returnUrl }: Partial<ChargeRequest> = {},
  ) => {
    const request = {
      key,
      amount,
      currency: 'USD' as const,
      customerId,
      source,
      startedAt: now,
      returnUrl,
    };
    return open().charge({ ...request, invoiceId: newId() });
  };
  const capture = (authorizedTransactionId: string, key?: string, amount?: bigint) =>
    charge({ kind: 'AUTHORIZATION', authorizedTransactionId }, { key, amount });
  const save = async (authorizedTransactionId: string): Promise<ProviderSource> => {
    const method = await open().resolveAuthorization({ authorizedTransactionId, customerId });
    return { kind: 'METHOD', providerMethodId: method!.providerMethodId };
  };
  const enter = async (number: string, key = newId()): Promise<ProviderSource> => {
    const { cardEntry } = open();
    if (cardEntry.kind !== 'FORM') throw new Error('The sandbox takes cards in a form');
    const card: TypedCard = { number, expiry: '12/40', code: '123' };
    const method = await cardEntry.save({ key, customerId, card, now });
    return { kind: 'METHOD', providerMethodId: method.providerMethodId };
  };
  return { open, customerId, charge, capture, save, enter };
}

function codeOf(outcome: ChargeOutcome): string {
  if (outcome.status === 'REQUIRES_ACTION') return 'challenge';
  return outcome.status === 'SUCCEEDED' ? 'ok' : outcome.failureCode;
}

test.each([
  ['txn_4242424242424242', 'ok', ['ok', 'ok']],
  ['any text', 'ok', ['ok', 'ok']],
  ['txn_4000000000000069_x', 'expired_card', ['expired_card', 'expired_card']],
  ['txn_4000000000000341', 'ok', ['card_declined', 'card_declined', 'card_declined']],
  ['txn_4000000000005126', 'ok', ['card_declined', 'card_declined', 'ok', 'ok']],
  ['txn_4000002500003155', 'authentication_required', ['authentication_required']],
])('the card of %s is captured: %s, and charged when saved: %j', async (id, captured, saved) => {
  const sandbox = aSandbox();
  expect(codeOf(await sandbox.capture(id))).toBe(captured);
  const method = await sandbox.save(id);
  const outcomes: string[] = [];
  for (let turn = 0; turn < saved.length; turn += 1) {
    outcomes.push(codeOf(await sandbox.charge(method)));
  }
  expect(outcomes).toEqual(saved);
});

test('20 racing charges under one key are one charge, with one outcome', async () => {
  const sandbox = aSandbox();
  const key = newId();
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => sandbox.capture('txn_1', key)),
  );

  expect(new Set(outcomes.map((outcome) => outcome.providerPaymentId)).size).toBe(1);
  expect(await mongo.db.collection('sandboxCharges').countDocuments({ _id: key as never })).toBe(1);
  expect(await sandbox.open().findCharge({ key, customerId: sandbox.customerId })).toEqual(
    outcomes[0],
  );
});

test('of 20 racing charges of a card that fails twice, exactly two fail', async () => {
  const sandbox = aSandbox();
  const method = await sandbox.save('txn_4000000000005126');
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => sandbox.charge(method)));

  expect(outcomes.filter(({ status }) => status === 'FAILED')).toHaveLength(2);
});

test('a card that fails twice fails twice for each save', async () => {
  const sandbox = aSandbox();
  for (const id of ['txn_4000000000005126_a', 'txn_4000000000005126_b']) {
    const method = await sandbox.save(id);
    expect(codeOf(await sandbox.charge(method))).toBe('card_declined');
  }
});

test('a charge that was never made is not found', async () => {
  const { open, customerId } = aSandbox();
  expect(await open().findCharge({ key: newId(), customerId })).toBeUndefined();
});

test('a key never identifies two charges', async () => {
  const sandbox = aSandbox();
  const key = newId();
  await sandbox.capture('txn_1', key, 2900n);
  await expect(sandbox.capture('txn_1', key, 2901n)).rejects.toThrow('used for another charge');
});

describe('an authorization', () => {
  test('pays once, even with several charges', async () => {
    const sandbox = aSandbox();
    expect(codeOf(await sandbox.capture('txn_4242424242424242'))).toBe('ok');
    const again = newId();
    expect(codeOf(await sandbox.capture('txn_4242424242424242', again))).toBe('authorization_used');
    expect(codeOf(await sandbox.capture('txn_4242424242424242', again))).toBe('authorization_used');
  });

  test('of another customer pays nothing and gives no card', async () => {
    const sandbox = aSandbox();
    await sandbox.save('txn_1');
    const source = { kind: 'AUTHORIZATION', authorizedTransactionId: 'txn_1' } as const;
    const other = { customerId: newId(), key: newId(), amount: 100n, currency: 'USD' as const };
    const request = { ...other, source, invoiceId: newId(), startedAt: now, returnUrl: undefined };
    expect(codeOf(await sandbox.open().charge(request))).toBe('authorization_used');
    const { customerId } = other;
    const asked = { authorizedTransactionId: 'txn_1', customerId };
    expect(await sandbox.open().resolveAuthorization(asked)).toBeUndefined();
  });

  test('whose capture failed may be captured for another invoice of its customer', async () => {
    const sandbox = aSandbox();
    expect(codeOf(await sandbox.capture('txn_4000000000000002'))).toBe('card_declined');
    expect(codeOf(await sandbox.capture('txn_4000000000000002'))).toBe('card_declined');
  });

  test('pays one of 20 racing invoices', async () => {
    const sandbox = aSandbox();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => sandbox.capture('txn_1')));
    const paid = outcomes.filter(({ status }) => status === 'SUCCEEDED');
    expect(paid).toHaveLength(1);
    expect(new Set(outcomes.map(codeOf))).toEqual(new Set(['ok', 'authorization_used']));
  });
});

test('a token that is resolved twice gives the same method, or none for an unknown card', async () => {
  const { open, customerId } = aSandbox();
  const resolve = (authorizedTransactionId: string) =>
    open().resolveAuthorization({ authorizedTransactionId, customerId });

  const first = await resolve('txn_5555555555554444');
  expect(first).toMatchObject({ brand: 'mastercard', last4: '4444' });
  expect(await resolve('txn_5555555555554444')).toEqual(first);
  expect(await resolve('txn_4111111111111111')).toBeUndefined();
});

test("the number of a card is in none of the sandbox's books", async () => {
  const sandbox = aSandbox();
  await sandbox.capture('txn_4000000000000341');
  await sandbox.charge(await sandbox.save('txn_4000000000000341'));

  await sandbox.enter('4000 0000 0000 0341');
  for (const books of ['sandboxCharges', 'sandboxMethods', 'sandboxAuthorizations']) {
    const documents = await mongo.db.collection(books).find().toArray();
    expect(
      JSON.stringify(documents, (_key, value: unknown) =>
        typeof value === 'bigint' ? value.toString() : value,
      ),
    ).not.toContain('4000000000000341');
  }
});

describe('a payer who is present', () => {
  const outcomesOf = async (sandbox: ReturnType<typeof aSandbox>, method: ProviderSource) => {
    const outcomes: string[] = [];
    for (const there of [returnUrl, undefined, undefined, undefined]) {
      outcomes.push(codeOf(await sandbox.charge(method, { returnUrl: there })));
    }
    return outcomes;
  };

  test.each([
    ['4242 4242 4242 4242', ['ok', 'ok', 'ok', 'ok']],
    ['4000000000000002', ['card_declined', 'card_declined', 'card_declined', 'card_declined']],
    ['4000000000000341', ['ok', 'card_declined', 'card_declined', 'card_declined']],
    ['4000000000005126', ['ok', 'card_declined', 'card_declined', 'ok']],
    [
      '4000002500003155',
      [
        'challenge',
        'authentication_required',
        'authentication_required',
        'authentication_required',
      ],
    ],
    [
      '4000008400001629',
      [
        'challenge',
        'authentication_required',
        'authentication_required',
        'authentication_required',
      ],
    ],
  ])('pays with %s, with these outcomes of later renewals: %j', async (number, expected) => {
    const sandbox = aSandbox();
    expect(await outcomesOf(sandbox, await sandbox.enter(number))).toEqual(expected);
  });

  test.each([
    ['4000002500003155', true, 'ok', 'ok'],
    ['4000002500003155', false, 'authentication_required', 'authentication_required'],
    ['4000008400001629', true, 'card_declined', 'authentication_required'],
    ['4000008400001629', false, 'authentication_required', 'authentication_required'],
  ])(
    'answers the challenge of %s with %s: %s, and a renewal then: %s',
    async (number, approved, then, later) => {
      const sandbox = aSandbox();
      const method = await sandbox.enter(number);
      const reference = { key: newId(), customerId: sandbox.customerId };
      await sandbox.charge(method, { ...reference, returnUrl });
      const first = await sandbox.open().continueCharge({ ...reference, approved });
      const opposite = await sandbox.open().continueCharge({ ...reference, approved: !approved });
      const cancelled = await sandbox.open().cancelCharge(reference);

      expect(codeOf(first)).toBe(then);
      expect([opposite, cancelled, await sandbox.open().findCharge(reference)]).toEqual([
        first,
        first,
        first,
      ]);
      expect(codeOf(await sandbox.charge(method))).toBe(later);
    },
  );

  test('without an answer is still awaited', async () => {
    const sandbox = aSandbox();
    const method = await sandbox.enter('4000002500003155');
    const reference = { key: newId(), customerId: sandbox.customerId };
    const waiting = await sandbox.charge(method, { ...reference, returnUrl });

    expect(waiting).toMatchObject({ status: 'REQUIRES_ACTION', redirectUrl: undefined });
    expect(await sandbox.open().continueCharge({ ...reference, approved: undefined })).toEqual(
      waiting,
    );
  });

  test('with an answer that races a cancellation gets the same outcome', async () => {
    const sandbox = aSandbox();
    const method = await sandbox.enter('4000002500003155');
    const reference = { key: newId(), customerId: sandbox.customerId };
    await sandbox.charge(method, { ...reference, returnUrl });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? sandbox.open().continueCharge({ ...reference, approved: true })
          : sandbox.open().cancelCharge(reference),
      ),
    );
    expect(new Set(outcomes.map((outcome) => codeOf(outcome))).size).toBe(1);
  });
});

describe('a card form', () => {
  test.each([
    ['number', { number: '4111 1111 1111 1111' }],
    ['number', { number: '' }],
    ['expiry', { expiry: '12/25' }],
    ['expiry', { expiry: '13/30' }],
    ['expiry', { expiry: 'soon' }],
    ['code', { code: '12' }],
    ['code', { code: '12345' }],
  ])('with an invalid %s is refused under it: %j', async (field, wrong) => {
    const { open, customerId } = aSandbox();
    const { cardEntry } = open();
    const card = { number: '4242424242424242', expiry: '01/26', code: '1234', ...wrong };
    const save = () =>
      cardEntry.kind === 'FORM'
        ? cardEntry.save({ key: newId(), customerId, card, now })
        : Promise.reject(new Error('The sandbox takes cards in a form'));
    await expect(save()).rejects.toMatchObject({ fields: { [field]: [expect.any(String)] } });
  });

  test('that is sent twice under one key saves one card', async () => {
    const sandbox = aSandbox();
    const key = newId();
    const [first, second] = [
      await sandbox.enter('4242424242424242', key),
      await sandbox.enter('5555555555554444', key),
    ];
    expect(second).toEqual(first);
  });
});

test('a charge is refunded once, and only a successful one', async () => {
  const sandbox = aSandbox();
  const { customerId } = sandbox;
  const [paid, failed] = [newId(), newId()];
  await sandbox.capture('txn_1', paid);
  await sandbox.capture('txn_4000000000000002', failed);
  const part = { amount: 100n, currency: 'USD', now } as const;
  const refund = { key: newId(), charge: { key: paid, customerId }, ...part };
  await sandbox.open().refund(refund);
  await sandbox.open().refund(refund);

  expect(await mongo.db.collection('sandboxRefunds').countDocuments({ chargeKey: paid })).toBe(1);
  await expect(
    sandbox.open().refund({ key: newId(), charge: { key: failed, customerId }, ...part }),
  ).rejects.toThrow('No charge with key');
});

import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { newId } from '@billing/chassis/ids';
import { PoisonMessages } from '@billing/chassis/poison-messages';
import { type RunningService, Service } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { only } from '@billing/kernel/transition';
import { Customer } from '@billing/proto/billing/customer/v1/customer';
import { ErasureStep } from '@billing/proto/billing/erasure/v1/erasure';
import { anEmail } from '../testing/an-email';
import type { Email } from '../mail/email';
import { emailDefinition } from '../mail/email-document';
import { SuppressionStore } from '../mail/suppression-store';
import { MessageStore } from '../message/message-store';
import { erasingRecipients } from './erase-customer';

describe('the suppressions of a deleted customer', () => {
  const configuration = testServiceConfiguration('erased_suppressions');
  const context = testContext();
  const { environmentId } = context.tenant;
  const step = ErasureStep.ERASURE_STEP_DATA;
  let service: Service;
  let running: RunningService;
  let emails: AggregateCollection<Email>;
  let suppressions: SuppressionStore;
  let customerId: string;

  beforeAll(async () => {
    service = await Service.open('notifier', configuration);
    emails = service.aggregates(emailDefinition);
    suppressions = new SuppressionStore(service.db);
    running = await service.serve([]);
  });

  beforeEach(() => {
    customerId = newId();
  });

  afterAll(async () => {
    await running.stop();
    await dropTestDatabase(configuration);
    await dropTestStream(configuration);
  });

  const eraseWith = (store: SuppressionStore, email = 'new@example.com') => {
    const { clock, db } = service;
    const erasing = erasingRecipients({
      ...{ emails, suppressions: store, clock },
      messages: new MessageStore(db),
      poison: new PoisonMessages(db, clock),
      owners: [],
      restoreCodes: () => [],
    });
    const customer = Customer.fromPartial({ id: customerId, email });
    return erasing.eraseData({ customerId, step, customer }, context);
  };

  const suppress = (email: string, emailId: string) =>
    suppressions.add(environmentId, {
      ...{ email, emailId, customerId },
      reason: 'HARD_BOUNCE',
      createdAt: service.clock.now(),
    });

  const bouncedMailTo = async (to: string) => {
    const bounced = { status: 'BOUNCED', reason: 'hard_bounce' } as const;
    const email = anEmail({ id: newId(), customerId, to, ...bounced });
    await emails.within(context).insert(only(email));
    await suppress(to, email.id);
  };

  const left = async () => {
    const page = { page: 1, perPage: 10, oldestFirst: true, email: undefined, id: undefined };
    return (await suppressions.list(environmentId, page)).data;
  };

  test('go although the erasure is interrupted before it has removed them', async () => {
    await bouncedMailTo('old@example.com');
    await bouncedMailTo('new@example.com');
    let failuresLeft = 1;
    const failing = new Proxy(suppressions, {
      get: (store, name) => {
        const value: unknown = Reflect.get(store, name);
        if (typeof value !== 'function') return value;
        return (...parameters: unknown[]) => {
          if (String(name).startsWith('remove') && failuresLeft > 0) {
            failuresLeft -= 1;
            return Promise.reject(new Error('The database is away'));
          }
          return Reflect.apply(value, store, parameters) as unknown;
        };
      },
    });
    await expect(eraseWith(failing)).rejects.toThrow('The database is away');
    await eraseWith(failing);
    expect(await left()).toEqual([]);
  });

  test('go although the mails that they are of were deleted before', async () => {
    await suppress('old@example.com', newId());
    await eraseWith(suppressions);
    expect(await left()).toEqual([]);
  });

  test('go with the second look if a late answer brought one back', async () => {
    await bouncedMailTo('old@example.com');
    await eraseWith(suppressions);
    await suppress('old@example.com', newId());
    await eraseWith(suppressions);
    expect(await left()).toEqual([]);
  });
});

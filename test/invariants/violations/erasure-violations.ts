import type { Picture } from '../picture/picture';
import { mail, receipt } from '../mail/testing';
import { aCustomer, anEvent, aSubscription, session, usageEvent } from '../testing';

const erased = { customerId: 'erased-2' };
const unnamed = { email: null, name: null };

/** Data of erased customers that a system must not keep. */
export const erasureViolations: [id: string, what: string, changes: Partial<Picture>][] = [
  [
    'I23',
    'a subscription that names its erased customer',
    { subscriptions: [aSubscription({ ...erased, customer: { ...unnamed, name: 'Ada' } })] },
  ],
  [
    'I23',
    'metadata of a subscription of an erased customer',
    { subscriptions: [aSubscription({ ...erased, customer: unnamed, metadata: { note: 1 } })] },
  ],
  ['I23', 'a session of an erased customer', { sessions: [{ ...session, ...erased }] }],
  [
    'I23',
    'properties of usage of an erased customer',
    { usageEvents: [{ ...usageEvent, ...erased, properties: { user: 'ada' } }] },
  ],
  [
    'I23',
    'the address of an erased customer on a mail',
    { mail: { ...mail, emails: [{ ...receipt, ...erased, subject: null, content: null }] } },
  ],
  [
    'I23',
    'a suppression of the address of an erased customer',
    {
      mail: {
        ...mail,
        emails: [{ ...receipt, ...erased, to: null, subject: null, content: null }],
        suppressions: [{ id: 'suppression-1', emailId: receipt.id }],
      },
    },
  ],
  [
    'I23',
    'an event that names a customer erased 30 days ago',
    { events: [anEvent(1, { customerIds: ['erased-1'] }), anEvent(2)] },
  ],
  [
    'I23',
    'an erased customer that is listed',
    {
      exports: [
        {
          ...{ resource: 'customers', rows: [{ ...aCustomer, id: 'erased-2' }], position: 2 },
          present: [{ ...aCustomer, id: 'erased-2' }],
        },
      ],
    },
  ],
];

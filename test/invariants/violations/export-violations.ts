import type { Picture } from '../picture/picture';
import { aCustomer } from '../testing';

const otherCustomer = { ...aCustomer, name: 'Other' };

/** Violations by exports that a system must not show. */
export const exportViolations: [id: string, what: string, changes: Partial<Picture>][] = [
  [
    'I85',
    'an object that an export lacks',
    { exports: [{ resource: 'customers', rows: [], position: 2, present: [aCustomer] }] },
  ],
  [
    'I85',
    'an object that is gone',
    { exports: [{ resource: 'customers', rows: [aCustomer], position: 2, present: [] }] },
  ],
  [
    'I85',
    'an object with another field',
    {
      exports: [
        { resource: 'customers', rows: [otherCustomer], position: 2, present: [aCustomer] },
      ],
    },
  ],
];

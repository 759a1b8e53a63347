import { Customer } from '@billing/proto/billing/customer/v1/customer';
import { billedLines } from './customer-text';
import { english } from './testing/english';

const email = 'ada@example.com';

test.each([
  [{ email }, [email]],
  [{ email, name: '', address: {} }, [email]],
  [
    {
      email,
      name: 'Ada Lovelace',
      address: { line1: 'Bahnhofstrasse 1', postalCode: '8001', city: 'Zürich', country: 'CH' },
    },
    ['Ada Lovelace', email, 'Bahnhofstrasse 1', '8001 Zürich', 'Switzerland'],
  ],
])('%#: a customer is billed with the known lines and the name of the country', (fields, lines) => {
  expect(english(billedLines(Customer.fromPartial(fields)))).toEqual(lines);
});

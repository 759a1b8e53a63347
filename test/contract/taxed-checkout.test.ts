import { eventually } from '@billing/chassis/testing';
import { card, Payer } from '../support/payer';
import { joinTestSystem, type TestSystem } from '../support/shared-system';
import {
  aCustomer,
  aProduct,
  aTaxedShop,
  invoicesOf,
  renewedAt,
  seller,
  startsAt,
} from './taxed-shop';

let system: TestSystem;

beforeAll(async () => {
  system = await joinTestSystem();
});

const aShop = (changes?: object) => aTaxedShop(system, changes);

test.each([
  ['EXCLUDE_TAX', '€29.00 plus tax every month'],
  ['INCLUDE_TAX', '€29.00 including tax every month'],
  [undefined, '€29.00 every month'],
])('under %s the page of a link says %s', async (prices, text) => {
  const api = await aShop({ tax: prices === undefined ? null : { ...seller.tax, prices } });
  const body = { label: 'Pro', productIds: [await aProduct(api)] };
  const { url } = await api.expect(201, api.post('/checkout-links', body));
  expect((await new Payer(system.gatewayUrl).open(url)).text).toContain(text);
});

describe('the invoice of a checkout session', () => {
  test.each([
    ['EXCLUDE_TAX', 3451, 551],
    ['INCLUDE_TAX', 2900, 463],
  ])('under %s costs %i with tax, as its page says', async (prices, total, tax) => {
    const api = await aShop({ tax: { ...seller.tax, prices } });
    const customerId = await aCustomer(api);
    const body = { customerId, productId: await aProduct(api), successUrl: 'https://a.test/' };
    const session = await api.expect(201, api.post('/checkout', body));
    const [invoice] = await invoicesOf(api, customerId);
    expect(invoice).toMatchObject({ total, tax, amountDue: total, taxStatus: 'ESTIMATED' });
    expect(invoice.finalizedAt).toBeNull();
    const payer = new Payer(system.gatewayUrl);
    const page = await payer.open(session.checkoutUrl);
    expect(page.text).toContain(`Pay €${(total / 100).toFixed(2)}`);
    expect(page.text).toContain(`VAT 19% on €${((total - tax) / 100).toFixed(2)}`);
    await api.complete(() => payer.submit(page, card('4242424242424242')));
    const [paid] = await invoicesOf(api, customerId);
    expect(paid).toMatchObject({
      ...{ status: 'PAID', total, tax, amountPaid: total, taxStatus: 'FINAL' },
      ...{ finalizedAt: startsAt, taxes: invoice.taxes, payments: [{ amount: total }] },
    });
  });

  test('must not exceed the maximum amount with tax: nothing is stored', async () => {
    const api = await aShop();
    const customerId = await aCustomer(api);
    const most = 99_999_999_999;
    const buy = async (amount: number) =>
      api.post('/checkout', { customerId, productId: await aProduct(api, amount) });
    const error = { quantity: ['The total with tax exceeds the maximum amount'] };
    expect(await buy(most)).toMatchObject({ status: 400, body: { error } });
    expect(await invoicesOf(api, customerId)).toEqual([]);
    expect(await buy(84_033_613_445)).toMatchObject({ status: 400, body: { error } });
    expect(await buy(84_033_613_444)).toMatchObject({ status: 201 });
    expect(await invoicesOf(api, customerId)).toMatchObject([{ total: most - 1 }]);
  });

  test('of a customer without country asks for it first, and fills the customer', async () => {
    const api = await aShop();
    const customerId = await aCustomer(api, { address: null, name: null });
    const body = { customerId, productId: await aProduct(api), successUrl: 'https://a.test/' };
    const { checkoutUrl } = await api.expect(201, api.post('/checkout', body));
    const payer = new Payer(system.gatewayUrl);
    const asking = await payer.open(checkoutUrl);
    expect(asking.text).toContain('VAT 19% on €29.00');
    expect(asking.root.querySelector('input[name=number]')).toBeNull();
    // The card is not taken before the country is known.
    const unpaid = await payer.post(checkoutUrl, { number: '4242424242424242', amount: '3451' });
    expect(unpaid.root.querySelector('select[name=country]')).not.toBeNull();

    const wrong = await payer.submit(asking, { taxId: 'FR1', name: 'Bob' });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('Required');
    const invalid = await payer.submit(wrong, { country: 'France', taxId: 'FR1' });
    expect(invalid.status).toBe(400);
    expect(invalid.text).toContain('Invalid VAT or tax id');
    expect(invalid.root.querySelector('input[name=taxId]')?.getAttribute('value')).toBe('FR1');

    const typed = { country: 'France', state: 'Bretagne', name: 'Bob', taxId: '' };
    const french = await payer.submit(invalid, typed);
    expect([french.status, french.url]).toEqual([200, checkoutUrl]);
    expect(french.text).toContain('VAT 20% on €29.00');
    expect(french.text).toContain('Pay €34.80');
    expect(french.root.querySelector('select[name=country]')).toBeNull();
    const added = await payer.post(`${checkoutUrl}/tax`, { taxId: 'fr 40303265045' });
    expect(added.text).toContain('Reverse charge, Art. 196 Directive 2006/112/EC');
    expect(added.text).toContain('Pay €29.00');
    expect(added.root.querySelector('input[name=taxId]')).toBeNull();
    // A known country stays, and so does the tax id of the country.
    const same = await payer.post(`${checkoutUrl}/tax`, { country: 'DE', taxId: 'DE136695976' });
    expect(same.text).toContain('Pay €29.00');

    // The page that was open before shows another total.
    const changed = await payer.submit(french, card());
    expect(changed.status).toBe(200);
    expect(changed.text).toContain('The total has changed.');
    expect((await invoicesOf(api, customerId))[0]).toMatchObject({ status: 'OPEN', payments: [] });
    const paidPage = await api.complete(() => payer.submit(changed, card()));
    expect(paidPage.left).toBe('https://a.test/');

    const [paid] = await invoicesOf(api, customerId);
    expect(paid).toMatchObject({
      ...{ status: 'PAID', total: 2900, tax: 0, amountPaid: 2900, taxStatus: 'FINAL' },
      taxes: [{ reason: 'REVERSE_CHARGE', country: 'FR' }],
      buyer: { name: 'Bob', taxIds: [{ type: 'EU_VAT', value: 'FR40303265045' }] },
      taxEvidence: [
        { kind: 'ADDRESS', value: 'FR' },
        { kind: 'TAX_ID', value: 'FR40303265045' },
        { kind: 'CARD_COUNTRY', value: 'US' },
      ],
    });
    const customer = await eventually(async () => {
      const found = await api.expect(200, api.get(`/customers/${customerId}`));
      expect(found.name).toBe('Bob');
      return found;
    });
    expect(customer).toMatchObject({
      address: { country: 'FR', state: 'Bretagne' },
      taxIds: [{ type: 'EU_VAT', value: 'FR40303265045' }],
    });
    await api.advanceTo(renewedAt);
    const [renewal] = await invoicesOf(api, customerId);
    expect(renewal).toMatchObject({ total: 2900, taxes: [{ reason: 'REVERSE_CHARGE' }] });
  });

  test('of a customer with a country shows it, and takes a tax id', async () => {
    const api = await aShop({ tax: { ...seller.tax, prices: 'INCLUDE_TAX' } });
    const customerId = await aCustomer(api, { address: { country: 'FR' } });
    const body = { customerId, productId: await aProduct(api) };
    const { checkoutUrl } = await api.expect(201, api.post('/checkout', body));
    const payer = new Payer(system.gatewayUrl);
    const page = await payer.open(checkoutUrl);
    expect(page.text).toContain('France');
    expect(page.text).toContain('Includes VAT 20% on €24.17');
    expect(page.root.querySelector('select[name=country]')).toBeNull();
    const refused = await payer.post(`${checkoutUrl}/tax`, { taxId: 'FR40303265046' });
    expect([refused.status, refused.text.includes('Invalid VAT or tax id')]).toEqual([400, true]);
    const business = await payer.post(`${checkoutUrl}/tax`, { taxId: 'FR40303265045' });
    // A price with tax stays what is paid.
    expect(business.text).toContain('Pay €29.00');
    expect(business.text).toContain('Reverse charge');
  });

  test('without tax asks for no country', async () => {
    const api = await system.live.manualSandbox(startsAt);
    const customerId = await aCustomer(api, { address: null });
    const body = { customerId, productId: await aProduct(api) };
    const { checkoutUrl } = await api.expect(201, api.post('/checkout', body));
    const payer = new Payer(system.gatewayUrl);
    const page = await payer.open(checkoutUrl);
    expect(page.text).not.toContain('Country');
    expect(page.text).toContain('Pay €29.00');
    const after = await payer.post(`${checkoutUrl}/tax`, { country: 'FR' });
    expect([after.status, after.text.includes('Pay €29.00')]).toEqual([200, true]);
  });
});

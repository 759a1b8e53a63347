import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ApiClient } from '../support/api-client';
import { unknownId } from '../support/patterns';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const startsAt = '2026-01-31T00:00:00.000Z';
const logos = join(__dirname, '../../services/checkout/vectors/logos');
const image = readFileSync(join(logos, 'rgb.png'));
const logo = `data:image/png;base64,${image.toString('base64')}`;

let system: TestSystem;
let api: ApiClient;

beforeAll(async () => {
  system = await joinTestSystem();
  api = await system.live.manualSandbox(startsAt);
});

const change = (client: ApiClient, path: string, body: object, headers?: object) =>
  client.request('PATCH', path, { body, ...(headers && { headers: { ...headers } }) });

const off = {
  ...{ legalName: null, contactName: null, email: null, phone: null, address: null, taxIds: [] },
  ...{ registrationNumber: null, registrationText: null, footer: null, bankAccount: null },
  ...{ logo: null, invoicePrefix: 'INV-', netDays: 30, tax: null, version: 0, updatedAt: null },
};

describe('the seller', () => {
  test('is off before the first change, and is changed by field', async () => {
    const first = await api.get('/seller');
    expect([first.status, first.headers.get('etag'), first.body]).toEqual([200, '"0"', off]);
    const changes = {
      legalName: 'Ada GmbH',
      address: { line1: 'Hauptstr. 1', city: 'Berlin', postalCode: '10115', country: 'DE' },
      taxIds: [{ type: 'EU_VAT', value: 'de 136 695 976' }],
      bankAccount: { holder: 'Ada GmbH', iban: 'de89 3704 0044 0532 0130 00' },
      footer: 'Line 1\nLine 2',
      tax: { prices: 'EXCLUDE_TAX', registrations: ['DE', 'EU'] },
    };
    const changed = await change(api, '/seller', changes, { 'If-Match': '"0"' });
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"1"']);
    expect(changed.body).toEqual({
      ...off,
      ...changes,
      address: { ...changes.address, line2: null, state: null },
      taxIds: [{ type: 'EU_VAT', value: 'DE136695976' }],
      bankAccount: { holder: 'Ada GmbH', iban: 'DE89370400440532013000', bic: null },
      ...{ version: 1, updatedAt: startsAt },
    });
    expect(await api.expect(200, api.get('/seller'))).toEqual(changed.body);
    await api.expect(412, change(api, '/seller', { footer: null }, { 'If-Match': '"0"' }));
    const cleared = await api.expect(200, change(api, '/seller', { footer: null }));
    expect(cleared).toMatchObject({ footer: null, legalName: 'Ada GmbH', version: 2 });
  });

  test('is refused for all invalid fields at once', async () => {
    const answer = await api.expect(
      400,
      change(api, '/seller', {
        taxIds: [{ type: 'EU_VAT', value: 'DE136695978' }],
        bankAccount: { holder: 'x', iban: 'DE89370400440532013001' },
        invoicePrefix: 'CN-',
        netDays: 366,
        logo: 'data:image/svg+xml;base64,AAAA',
      }),
    );
    expect(answer).toEqual({
      error: {
        taxIds: ['0.value: Invalid EU VAT id'],
        bankAccount: ['iban: Invalid IBAN'],
        invoicePrefix: ['Invalid prefix'],
        netDays: [expect.any(String)],
        logo: ['Invalid image'],
      },
    });
  });

  test('needs a name and a country to be taxed, and a registration at home', async () => {
    const other = await system.live.manualSandbox(startsAt);
    const tax = { prices: 'INCLUDE_TAX', registrations: ['FR'] };
    expect(await other.expect(400, change(other, '/seller', { tax }))).toEqual({
      error: { tax: ['Needs legalName and address.country'] },
    });
    const named = { legalName: 'Ada', address: { country: 'DE' }, tax };
    expect(await other.expect(400, change(other, '/seller', named))).toEqual({
      error: { tax: ['registrations must contain DE'] },
    });
    expect(await other.expect(200, other.get('/seller'))).toEqual(off);
  });

  test('has a logo that pages show by its hash', async () => {
    const sha256 = createHash('sha256').update(image).digest('hex');
    const { logo: stored } = await api.expect(200, change(api, '/seller', { logo }));
    expect(stored).toEqual({
      ...{ contentType: 'image/png', width: 37, height: 21, size: image.length, sha256 },
    });
    const shown = await fetch(`${system.gatewayUrl}/logos/${sha256}`);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(image);
    await api.expect(200, change(api, '/seller', { logo: null }));
    expect((await fetch(`${system.gatewayUrl}/logos/${sha256}`)).status).toBe(200);
    expect((await fetch(`${system.gatewayUrl}/logos/${'0'.repeat(64)}`)).status).toBe(404);
    expect((await fetch(`${system.gatewayUrl}/logos/x`)).status).toBe(404);
  });

  test.each([
    ['truncated', image.subarray(0, 100)],
    ['followed by a script', Buffer.concat([image, Buffer.from('<script>')])],
    ['too large', Buffer.alloc(128 * 1024 + 1)],
  ])('has no logo that is %s', async (_name, bytes) => {
    const sent = { logo: `data:image/png;base64,${bytes.toString('base64')}` };
    const answer = await api.expect(400, change(api, '/seller', sent));
    expect(answer).toEqual({ error: { logo: ['Invalid image'] } });
  });

  test('has no logo with the name of another format', async () => {
    const sent = { logo: logo.replace('image/png', 'image/jpeg') };
    const answer = await api.expect(400, change(api, '/seller', sent));
    expect(answer).toEqual({ error: { logo: ['Invalid image'] } });
  });
});

describe('tax rates', () => {
  test('are listed with those of the system, and changed by name and end', async () => {
    const other = await system.live.manualSandbox(startsAt);
    const shipped = await other.expect(200, other.get('/tax-rates?country=EE'));
    expect(shipped.data).toMatchObject([
      { source: 'SHIPPED', percent: '20', validFrom: null, validTo: '2024-01-01' },
      { source: 'SHIPPED', percent: '22', validFrom: '2024-01-01', validTo: '2025-07-01' },
      { source: 'SHIPPED', percent: '24', validFrom: '2025-07-01', validTo: null },
    ]);
    const input = { country: 'EE', category: 'ebook', percent: 9, name: 'Reduced' };
    const answer = await other.post('/tax-rates', { ...input, validFrom: '2026-01-01' });
    expect([answer.status, answer.headers.get('location')]).toEqual([
      201,
      `/v1/tax-rates/${answer.body.id}`,
    ]);
    expect(answer.body).toEqual({
      ...{ ...input, id: expect.any(String), source: 'OWN', state: null, percent: '9' },
      ...{ validFrom: '2026-01-01', validTo: null, createdAt: startsAt, updatedAt: startsAt },
    });
    const path = `/tax-rates/${answer.body.id}`;
    expect(await other.expect(200, other.get(path))).toEqual(answer.body);
    const own = await other.expect(200, other.get('/tax-rates?country=EE&source=OWN'));
    expect(own).toMatchObject({ data: [answer.body], total: 1 });
    const changes = { name: 'VAT', validTo: '2027-01-01' };
    expect(await other.expect(200, change(other, path, changes))).toEqual({
      ...answer.body,
      ...changes,
    });
    expect(await other.expect(409, other.post('/tax-rates', input))).toEqual({
      error: 'Tax rate overlaps another',
    });
    const [{ id }] = shipped.data;
    expect(await other.expect(200, other.get(`/tax-rates/${id}`))).toEqual(shipped.data[0]);
    expect(await other.expect(409, change(other, `/tax-rates/${id}`, { name: 'x' }))).toEqual({
      error: 'Shipped tax rates cannot be changed',
    });
    expect(await other.expect(404, other.get(`/tax-rates/${unknownId}`))).toEqual({
      error: 'Tax rate not found',
    });
  });
});

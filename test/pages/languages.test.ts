import type { ApiClient } from '../support/api-client';
import { product } from '../support/patterns';
import { parsePage } from '../support/payer';
import { joinTestSystem } from '../support/shared-system';

const startsAt = '2026-01-31T00:00:00.000Z';
const nbsp = '\u00a0';

let api: ApiClient;

beforeAll(async () => {
  const system = await joinTestSystem();
  api = await system.live.manualSandbox(startsAt);
});

const make = (path: string, body: object): Promise<any> => api.expect(201, api.post(path, body));

/** Creates a session of a new customer for a new product. */
async function begin(price: object, customer: object = {}): Promise<any> {
  const { id: customerId } = await make('/customers', { email: 'ada@example.com', ...customer });
  const { id: productId } = await make('/products', { ...product, ...price });
  return make('/checkout', { customerId, productId });
}

/** A page, with the spaces of its texts as they are. */
async function open(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  expect(response.status).toBe(200);
  const root = parsePage(await response.text());
  return {
    lang: root.querySelector('html')?.getAttribute('lang'),
    text: root.querySelector('main')?.textContent ?? '',
    headers: response.headers,
  };
}

describe.each<[currency: string, amount: number, shown: [locale: string, text: string][]]>([
  [
    'USD',
    2900,
    [
      ['en', '$29.00'],
      ['ja', '$29.00'],
      ['de', `29,00${nbsp}$`],
      ['fr', `29,00${nbsp}$US`],
      ['it', `29,00${nbsp}USD`],
      ['pl', `29,00${nbsp}USD`],
      ['es', `29,00${nbsp}US$`],
      ['pt', `US$${nbsp}29,00`],
      ['nl', `US$${nbsp}29,00`],
      ['zh', 'US$29.00'],
    ],
  ],
  [
    'EUR',
    123450,
    [
      ['de', `1.234,50${nbsp}€`],
      ['it', `1234,50${nbsp}€`],
      ['es', `1234,50${nbsp}€`],
      ['pl', `1234,50${nbsp}€`],
      ['fr', `1\u202f234,50${nbsp}€`],
    ],
  ],
  [
    'JPY',
    2900,
    [
      ['de', `2.900${nbsp}¥`],
      ['ja', '￥2,900'],
    ],
  ],
])('%s of %d', (currency, amount, shown) => {
  let session: any;

  beforeAll(async () => {
    session = await begin({ currency, amount });
  });

  test.each(shown)('are written in %s as %s, on pages and in emails', async (locale, text) => {
    const page = await open(`${String(session.checkoutUrl)}?locale=${locale}`);
    expect(page.lang).toBe(locale);
    expect(page.text).toContain(text);
    const sample = { kind: 'RECEIPT', language: locale, subject: '{{invoice.total}}' };
    const body = { ...sample, invoiceId: session.invoice.id };
    const preview = await api.expect(200, api.post('/email-templates/preview', body));
    expect(preview.subject).toContain(text);
  });
});

describe('the language of a page', () => {
  const browser = { 'Accept-Language': 'zh-TW, pl;q=0.8, de;q=0.9' };

  test.each<[what: string, customer: object, query: string, expected: string]>([
    ['is the one of the browser that it prefers and that is supported', {}, '', 'de'],
    ['is the one of the customer', { locale: 'ja' }, '', 'ja'],
    ['is the one that its address names', { locale: 'ja' }, '?locale=fr', 'fr'],
    ['is no unsupported one that its address names', { locale: 'ja' }, '?locale=xx', 'ja'],
  ])('%s', async (_what, customer, query, expected) => {
    const { checkoutUrl } = await begin({ currency: 'USD' }, customer);
    const { lang, headers } = await open(`${String(checkoutUrl)}${query}`, browser);
    expect(lang).toBe(expected);
    expect(headers.get('content-language')).toBe(expected);
    expect(headers.get('vary')).toContain('Accept-Language');
  });
});

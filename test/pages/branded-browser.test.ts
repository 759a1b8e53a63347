import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { desktop, expectAccessible, expectToFit, phone, visit } from '../support/browser-visit';
import { ensureChromium, launchChromium } from '../support/chromium';
import { PortalScene } from '../support/portal-scene';
import { inTurn } from '../support/rounds';
import { joinTestSystem, type TestSystem } from '../support/shared-system';

const program = ensureChromium();
const testInChromium = program === undefined ? test.skip : test;
const timeoutMs = 1_800_000;
/** In `npm run test:all` the one of the day. */
const languages = inTurn(['en', 'de', 'fr', 'it', 'es', 'pt', 'nl', 'pl', 'ja', 'zh']);
const wide = { viewport: { width: 1440, height: 900 } };
const narrow = { ...phone, viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

let system: TestSystem;
let browser: Browser | undefined;

beforeAll(async () => {
  if (program === undefined) return;
  system = await joinTestSystem();
  browser = await launchChromium(program);
}, timeoutMs);

afterAll(async () => {
  await browser?.close();
});

/** Pages that payers open without signing in, and the link that signs in to the portal. */
async function pagesOf(scene: PortalScene): Promise<{ pages: string[]; portalUrl: string }> {
  const customerId = await scene.customer();
  await scene.subscribe(customerId);
  const { id: productId } = await scene.create('/products', {
    ...{ name: 'Pro', type: 'FLAT', currency: 'usd', amount: 2900 },
    billingInterval: 'MONTHLY',
  });
  const { checkoutUrl } = await scene.create('/checkout', { customerId, productId });
  const link = await scene.create('/checkout-links', { label: 'Plans', productIds: [productId] });
  const lines = [{ description: 'Setup', amount: 5_000 }];
  const terms = { collectionMethod: 'SEND_INVOICE', finalize: true };
  const invoice = await scene.create('/invoices', { customerId, lines, ...terms });
  const { portalSignInUrl } = await scene.read('/branding');
  const { url: portalUrl } = await scene.create('/portal/sessions', { customerId });
  return { pages: [checkoutUrl, link.url, invoice.hostedUrl, portalSignInUrl], portalUrl };
}

const portalPaths = ['', '/invoices', '/payment-methods', '/details'].map(
  (path) => `/portal${path}`,
);

/** A color as computed styles have it. */
function computed(color: string): string {
  const channels = [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16));
  return `rgb(${channels.join(', ')})`;
}

const button = 'main button:not(.quiet, .plain), main .button:not(.quiet)';

const colorsShown = `(() => {
  const styleOf = (selector) => getComputedStyle(document.querySelector(selector));
  const { backgroundColor: accent, color: onAccent } = styleOf('${button}');
  const focus = styleOf(':focus-visible').outlineColor;
  return { accent, onAccent, link: styleOf('a').color, focus };
})()`;

/** Colors of the first button, of the first link, and of the outline of the focus. */
async function colorsOn(page: Page): Promise<unknown> {
  await page.locator(button).first().focus();
  await page.keyboard.press('Tab');
  return page.evaluate(colorsShown);
}

describe.each(['#2447C9', '#FFD400', '#777777'])('with the accent %s', (accentColor) => {
  let scene: PortalScene;
  let pages: string[];
  let colors: Readonly<Record<string, string>>;

  beforeAll(async () => {
    if (program === undefined) return;
    scene = await PortalScene.begin(system);
    const change = scene.api.request('PATCH', '/branding', { body: { accentColor } });
    ({ colors } = await scene.api.expect(200, change));
    ({ pages } = await pagesOf(scene));
  }, timeoutMs);

  testInChromium.each([
    ['light', 'linkOnLight'],
    ['dark', 'linkOnDark'],
  ] as const)(
    'pages have its four colors in %s (needs Chromium)',
    async (colorScheme, link) => {
      const { accent = '', onAccent = '', [link]: linkColor = '' } = colors;
      const expected = {
        ...{ accent: computed(accent), onAccent: computed(onAccent) },
        ...{ link: computed(linkColor), focus: computed(linkColor) },
      };
      await visit(browser!, { ...desktop, colorScheme }, async (page) => {
        for (const url of pages) {
          await page.goto(url);
          expect([url, await colorsOn(page)]).toEqual([url, expected]);
        }
      });
    },
    timeoutMs,
  );
});

describe('emails', () => {
  testInChromium.each(['light', 'dark'] as const)(
    'of each kind pass axe in %s (needs Chromium)',
    async (colorScheme) => {
      const { api } = await PortalScene.begin(system);
      const { kinds } = await api.expect(200, api.get('/email-settings'));
      await visit(browser!, { ...desktop, colorScheme }, async (page) => {
        for (const kind of Object.keys(kinds as object)) {
          for (const language of languages) {
            const body = { kind, language };
            const preview = api.post('/email-templates/preview', body);
            const { html } = await api.expect(200, preview);
            await page.setContent(html as string);
            expect(await page.locator('html').getAttribute('lang')).toBe(language);
            await expectAccessible(page);
          }
        }
      });
    },
    timeoutMs,
  );
});

describe.each<[string, BrowserContextOptions]>(
  inTurn<[string, BrowserContextOptions]>([
    ['on a desk', wide],
    ['on a phone in the dark', narrow],
  ]),
)('pages %s', (_place, options) => {
  testInChromium(
    'fit, pass axe and are in the language of the reader (needs Chromium)',
    async () => {
      const scene = await PortalScene.begin(system);
      const { pages, portalUrl } = await pagesOf(scene);
      await visit(browser!, options, async (page) => {
        await page.goto(portalUrl);
        await page.locator('main form button').click();
        const all = [...pages, ...portalPaths.map((path) => `${system.gatewayUrl}${path}`)];
        for (const url of all) {
          const english = await textIn(page, url, 'en');
          for (const language of languages) {
            const text = await textIn(page, url, language);
            expect([url, language, text === english]).toEqual([url, language, language === 'en']);
            await expectToFit(page);
            await expectAccessible(page);
          }
        }
      });
    },
    timeoutMs,
  );

  /** Opens a page in a language, and returns its text. */
  async function textIn(page: Page, url: string, language: string): Promise<string> {
    await page.goto(`${url}?locale=${language}`);
    expect([url, await page.locator('html').getAttribute('lang')]).toEqual([url, language]);
    return page.locator('main').innerText();
  }
});

import { Branding } from '@billing/proto/billing/checkout/v1/branding';
import { brandColors } from '@billing/kernel/brand-colors';
import { html } from './html';
import { defaultLook, lookOf } from './look';
import { shownAnswer, shownPage } from './testing/shown-page';

const seller = { legalName: 'Ada GmbH', email: 'ada@example.com', logo: undefined };
const branding = Branding.fromPartial({
  accentColor: '#FFD400',
  colors: brandColors('#FFD400'),
  defaultLocale: 'de',
});
const page = { title: 'Title', content: html`<p>Content</p>` };

test('a look takes from the seller what the branding lacks', () => {
  expect(lookOf({ branding, seller })).toMatchObject({
    name: 'Ada GmbH',
    supportEmail: 'ada@example.com',
    defaultLocale: 'de',
  });
  const own = { ...branding, displayName: 'Ada', supportEmail: 'help@example.com' };
  expect(lookOf({ branding: own, seller })).toMatchObject({
    name: 'Ada',
    supportEmail: 'help@example.com',
  });
});

test('a page shows colors, name, logo and documents of its look, all within its policy', () => {
  const look = {
    ...lookOf({ branding, seller }),
    logo: 'a'.repeat(64),
    termsUrl: 'https://ada.example/terms?a=1&b',
    privacyUrl: 'https://ada.example/privacy',
  };
  const answer = shownAnswer(page, { look });
  const markup = String(answer.body);
  expect(markup).toContain('--accent:#FFD400;--on-accent:#000000;--link:#806A00');
  expect(markup).toContain(`<img class="logo" src="/logos/${look.logo}" alt="" /> Ada GmbH`);
  expect(markup).toContain('href="https://ada.example/terms?a=1&amp;b"');
  expect(markup).toContain('href="mailto:ada@example.com"');
  expect(answer.headers?.['Content-Security-Policy']).toContain("img-src 'self'");
  expect(markup.replace(/<style>.*?<\/style>/gs, '')).not.toMatch(/style=/);
});

test('a page without a look has the default colors and names no seller', () => {
  const markup = shownPage(page, { look: defaultLook });
  expect(markup).toContain('--accent:#2447C9');
  expect(markup).not.toContain('<header');
  expect(shownAnswer(page).headers).toMatchObject({
    'Content-Language': 'en',
    Vary: 'Accept-Language',
  });
});

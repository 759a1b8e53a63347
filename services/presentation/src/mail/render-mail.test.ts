import fc from 'fast-check';
import { brandColors } from '@billing/kernel/brand-colors';
import { languages } from '../catalogue/locale';
import { mailKinds, type MailValues, variablesOf } from '../catalogue/mail-kind';
import { renderMail } from './render-mail';

const link = 'https://billing.example/i/secret?a=1&b=2';

function valuesOf(value: string): MailValues {
  return {
    ...Object.fromEntries(mailKinds.flatMap(variablesOf).map((name) => [name, value])),
    link,
  };
}

const invoice: MailValues = {
  'seller.name': 'Acme & Sons',
  'seller.supportEmail': 'help@acme.example',
  'customer.name': 'Ada',
  'invoice.number': 'INV-000001',
  'invoice.amountDue': '$29.00',
  'invoice.description': 'Pro',
  link,
};

const renderInvoice = (values: MailValues, isTest = false) =>
  renderMail({ kind: 'INVOICE_ISSUED', locale: 'en', values, isTest });

const linksOf = (html: string) => [...html.matchAll(/<a /g)].length;

describe('a rendered mail', () => {
  test('has a subject, a complete text and HTML with one button', () => {
    const { subject, text, html } = renderInvoice(invoice);
    expect(subject).toBe('Invoice INV-000001 from Acme & Sons: $29.00');
    expect(text).toBe(`Invoice INV-000001

Hello Ada,

Your invoice for $29.00 is ready.

- Pro

View and pay the invoice: ${link}

--

Acme & Sons sends this email automatically.
Questions? Write to help@acme.example.
`);
    expect(html).toContain('<html lang="en">');
    expect(html).toContain('<title>Invoice INV-000001 from Acme &amp; Sons: $29.00</title>');
    expect(html).toContain('href="https://billing.example/i/secret?a=1&amp;b=2"');
    expect(linksOf(html)).toBe(1);
    expect(html).not.toMatch(/<(script|img|link|style|iframe|object)|url\(|@import/i);
  });

  test('shows a section where there is a value, and not where there is none', () => {
    const due = renderInvoice({ ...invoice, 'invoice.dueDate': 'March 3, 2026' });
    expect(due.text).toContain('is ready. Please pay it by March 3, 2026.');
    expect(renderInvoice({ ...invoice, 'invoice.dueDate': ' ' }).text).not.toContain('pay it by');
    const nameless = renderInvoice({ ...invoice, 'seller.name': '' });
    expect(nameless.subject).toBe('Invoice INV-000001: $29.00');
    expect(nameless.text).toContain('We send this email automatically.');
  });

  test('says TEST in both forms if it belongs to a sandbox', () => {
    const { text, html } = renderInvoice(invoice, true);
    expect(text).toMatch(/^TEST: /);
    expect(html).toContain('TEST: this email');
    expect(renderInvoice(invoice).html).not.toContain('TEST');
  });

  test.each(mailKinds)('of kind %s needs no value but its link', (kind) => {
    for (const values of [{}, { link }, valuesOf('v')]) {
      const mail = renderMail({ kind, locale: 'en', values, isTest: false });
      expect(mail.subject).not.toBe('');
      expect(`${mail.subject}${mail.text}${mail.html}`).not.toMatch(/[{}\uE000\uE001]|undefined/);
    }
  });
});

describe('a value', () => {
  const hostile = [
    '{{link}}',
    '{{#seller.name}}x{{/seller.name}}',
    '**bold**',
    '<script>alert(1)</script>',
    '](http://evil.example)',
    '[pay](http://evil.example)',
    '"><a href="http://evil.example">',
    '# heading',
    '\uE0000\uE001',
  ];

  test.each(hostile)('such as %j is text, and adds no link', (value) => {
    const { html, text, subject } = renderInvoice({ ...invoice, 'customer.name': value });
    expect(linksOf(html)).toBe(1);
    expect(html).not.toContain('<script');
    expect(html).not.toContain('<strong>');
    expect(text).toContain(`Hello ${value},`);
    expect(subject).toBe('Invoice INV-000001 from Acme & Sons: $29.00');
  });

  test('stays on one line, in reading direction', () => {
    const name = 'Acme\r\nBcc: all@example.com\u2028x\u202Eabc\u2066';
    const { subject, text } = renderInvoice({ ...invoice, 'seller.name': name });
    expect(subject).toBe('Invoice INV-000001 from Acme Bcc: all@example.com xabc: $29.00');
    expect(text).toContain('\nAcme Bcc: all@example.com xabc sends this email');
  });

  test('of 10,000 characters shortens the subject only', () => {
    const name = '\u{1F600}'.repeat(10_000);
    const { subject, text } = renderInvoice({ ...invoice, 'seller.name': name });
    expect(Array.from(subject)).toHaveLength(200);
    expect(subject.isWellFormed()).toBe(true);
    expect(text).toContain(name);
  });

  test('of any content never adds markup, a line to the subject, or an error', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc
        .array(fc.constantFrom(...hostile, '\n', ' ', 'a'), { maxLength: 5 })
        .map((x) => x.join('')),
    );
    fc.assert(
      fc.property(fc.constantFrom(...mailKinds), value, (kind, any) => {
        const request = { kind, locale: 'en', isTest: false };
        const mail = renderMail({ ...request, values: valuesOf(any) });
        const plain = renderMail({ ...request, values: valuesOf('v') });
        const empty = renderMail({ ...request, values: { link } });
        const tags = [plain, empty].map(({ html }) => tagsOf(html));
        expect(tags).toContainEqual(tagsOf(mail.html));
        expect(mail.subject).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
      { numRuns: process.env.TEST_TIER === 'nightly' ? 10_000 : 2_000 },
    );
  });
});

const tagsOf = (html: string) => html.replace(/>[^<]*/g, '>');

test('a mail has the colors and the documents of its brand', () => {
  const { html, text } = renderMail({
    ...{ kind: 'INVOICE_ISSUED', locale: 'en', isTest: false },
    values: invoice,
    brand: {
      colors: brandColors('#FFD400'),
      supportUrl: 'https://acme.example/help',
      termsUrl: 'https://acme.example/terms',
      privacyUrl: undefined,
    },
  });
  expect(html).toContain('background:#FFD400;color:#000000;border:1px solid #806A00');
  expect(html).toContain('<a href="https://acme.example/terms" style="color:#806A00">Terms</a>');
  expect(text).toContain('Support: https://acme.example/help\nTerms: https://acme.example/terms\n');
  expect(text).not.toContain('Privacy');
});

test('a mail shows the logo of its seller, which is a part of it, and loads nothing', () => {
  const brand = {
    colors: brandColors('#2447C9'),
    ...{ supportUrl: undefined, termsUrl: undefined, privacyUrl: undefined },
    logo: { sha256: 'ab'.repeat(32), width: 800, height: 120 },
  };
  const request = { kind: 'INVOICE_ISSUED', locale: 'en', isTest: false, brand } as const;
  const name = 'Acme "& <Sons>';
  const { html, text } = renderMail({ ...request, values: { ...invoice, 'seller.name': name } });
  const source = `src="cid:${brand.logo.sha256}@logo"`;
  expect(html).toContain(
    `<img ${source} alt="Acme &quot;&amp; &lt;Sons&gt;" width="160" height="24"`,
  );
  expect(html.match(/(src|background|poster|srcset)=|url\(/g)).toEqual(['src=']);
  expect(text).not.toContain('cid:');
});

test('every language of the catalogue links mails about subscriptions to the portal', () => {
  for (const locale of languages) {
    for (const kind of ['TRIAL_STARTED', 'TRIAL_ENDING', 'RENEWAL_UPCOMING'] as const) {
      const values = { 'subscription.trialEnd': 'x', 'subscription.upcomingAt': 'x', link };
      const { html } = renderMail({ kind, locale, values, isTest: false });
      expect(html.split(`href="${link.replace('&', '&amp;')}"`)).toHaveLength(2);
    }
  }
});

test('every language of the catalogue renders every mail in its locale', () => {
  for (const locale of languages) {
    const { html } = renderMail({ kind: 'RECEIPT', locale, values: invoice, isTest: false });
    expect(html).toContain(`<html lang="${locale}">`);
  }
});

import { href, html, local, withLocale } from './html';

const reader = { locale: 'en' };

const hostile = `</p><script>alert("1")</script><img src='x' onerror=alert(1)>&amp;`;

test('a text is escaped in every position', () => {
  const markup = html`<p title="${hostile}">${hostile}</p>`.for(reader);
  const text =
    '&lt;/p&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&lt;img src=&#39;x&#39; onerror=alert(1)&gt;&amp;amp;';
  expect(markup).toBe(`<p title="${text}">${text}</p>`);
});

test('markup inside markup is escaped once', () => {
  const inner = html`<b>${'a & b'}</b>`;
  expect(html`<p>${inner}</p>`.for(reader)).toBe('<p><b>a &amp; b</b></p>');
});

test('lists are joined, and absent values render nothing', () => {
  const items = ['a', html`<i>b</i>`, undefined, false as const];
  expect(html`<p>${items}${undefined}</p>`.for(reader)).toBe('<p>a<i>b</i></p>');
});

test('an object that looks like markup is escaped', () => {
  const forged = { toString: () => '<script>' } as unknown as string;
  expect(() => html`${forged}`.for(reader)).toThrow(TypeError);
});

test.each(['https://shop.example', 'http://localhost:1', '/invoice/x/pdf'])(
  'a link may have the target %s',
  (address) => {
    expect(href(address)).toBe(address);
  },
);

test.each(['javascript:alert(1)', ' javascript:alert(1)', 'data:text/html,x', 'vbscript:x', ''])(
  'a link never has the target %j',
  (address) => {
    expect(href(address)).toBe('about:blank');
  },
);

test('a value is composed for its reader', () => {
  const markup = html`<p>${({ locale }) => `<${locale}>`}</p>`;
  expect(markup.for({ locale: 'de' })).toBe('<p>&lt;de&gt;</p>');
});

test.each([
  ['/portal', '/portal?locale=de-CH'],
  ['/portal?done=kept', '/portal?done=kept&locale=de-CH'],
  ['/portal#main', '/portal?locale=de-CH#main'],
])('a chosen locale is kept by a link to %s', (address, kept) => {
  expect(withLocale(address, 'de-CH')).toBe(kept);
  expect(local(address)({ locale: 'fr', chosenLocale: 'de-CH' })).toBe(kept);
  expect(local(address)({ locale: 'fr' })).toBe(address);
});

import { href, html } from './html';

const hostile = `</p><script>alert("1")</script><img src='x' onerror=alert(1)>&amp;`;

test('a text is escaped in every position', () => {
  const markup = html`<p title="${hostile}">${hostile}</p>`.toString();
  const text =
    '&lt;/p&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&lt;img src=&#39;x&#39; onerror=alert(1)&gt;&amp;amp;';
  expect(markup).toBe(`<p title="${text}">${text}</p>`);
});

test('markup inside markup is escaped once', () => {
  const inner = html`<b>${'a & b'}</b>`;
  expect(html`<p>${inner}</p>`.toString()).toBe('<p><b>a &amp; b</b></p>');
});

test('lists are joined, and absent values render nothing', () => {
  const items = ['a', html`<i>b</i>`, undefined, false as const];
  expect(html`<p>${items}${undefined}</p>`.toString()).toBe('<p>a<i>b</i></p>');
});

test('an object that looks like markup is escaped', () => {
  const forged = { toString: () => '<script>' } as unknown as string;
  expect(() => html`${forged}`).toThrow(TypeError);
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

import { createHash } from 'node:crypto';
import type { ApiAnswer } from '../../http/answer';

/** A script of pages of payers. Everything works without it. */
export interface PayerScript {
  readonly source: string;
  /** Another script has another path. */
  readonly path: string;
}

/**
 * Script of pages that take a card: it groups the digits of the number, names the brand, and types
 * the slash of an expiry date.
 */
export const cardScript = scriptOf(
  'card',
  `(() => {
'use strict';
const byId = (id) => document.getElementById(id);
const digitsOf = (text) => text.replace(/\\D/g, '');
const brands = [
  [/^4/, 'Visa'],
  [/^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, 'Mastercard'],
  [/^3[47]/, 'American Express'],
  [/^(6011|64[4-9]|65)/, 'Discover'],
  [/^35(2[89]|[3-8])/, 'JCB'],
  [/^3(0[0-5]|[689])/, 'Diners Club'],
  [/^62/, 'UnionPay'],
];
const grouped = (digits) =>
  (/^3[47]/.test(digits)
    ? [digits.slice(0, 4), digits.slice(4, 10), digits.slice(10, 15)]
    : digits.slice(0, 19).match(/.{1,4}/g) || []
  ).filter(Boolean).join(' ');
const dated = (digits, isDeleting, typed) => {
  // A month of one digit, such as 1/28.
  const isShort = /^\\s*[1-9]\\s*[/.-]/.test(typed);
  if (isShort && isDeleting) return typed;
  const all = isShort || /^[2-9]/.test(digits) ? '0' + digits : digits;
  if (all.length < 2 || (all.length === 2 && isDeleting)) return all;
  return all.slice(0, 2) + '/' + all.slice(2, all.slice(2, 4) === '20' ? 6 : 4);
};
// Formats while keeping the caret behind the same digit.
const format = (input, formatted) => {
  const rewrite = (event) => {
    const { value } = input;
    if (/[^\\d\\s/.-]/.test(value)) return;
    const isDeleting = ((event && event.inputType) || '').startsWith('delete');
    const text = formatted(digitsOf(value), isDeleting, value);
    if (text === value) return;
    const isAtEnd = input.selectionStart === value.length;
    let left = digitsOf(value.slice(0, input.selectionStart)).length;
    input.value = text;
    let caret = 0;
    while (caret < text.length && left > 0) if (/\\d/.test(text[caret++])) left -= 1;
    if (isAtEnd) caret = text.length;
    input.setSelectionRange(caret, caret);
  };
  input.addEventListener('input', rewrite);
  rewrite();
};
const number = byId('number');
if (number) {
  const brand = document.createElement('span');
  brand.className = 'brand';
  brand.setAttribute('role', 'status');
  number.before(brand);
  const name = () => {
    const found = brands.find(([pattern]) => pattern.test(digitsOf(number.value)));
    const text = found ? found[1] : '';
    if (brand.textContent !== text) brand.textContent = text;
  };
  format(number, grouped);
  number.addEventListener('input', name);
  name();
}
const expiry = byId('expiry');
if (expiry) format(expiry, dated);
})();
`,
);

/** Script of pages of links: it shows the prices of a quantity on each change. */
export const priceScript = scriptOf(
  'price',
  `(() => {
'use strict';
const byId = (id) => document.getElementById(id);
const prices = byId('prices');
if (prices) {
  let timer;
  let asked = 0;
  const show = async () => {
    const mine = ++asked;
    const body = new URLSearchParams(new FormData(prices.form));
    const answer = await fetch(prices.formAction, { method: 'POST', body });
    if (!answer.ok || mine !== asked) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelectorAll('.live');
    document.querySelectorAll('.live').forEach((old, index) => {
      const text = fresh[index] ? fresh[index].textContent : '';
      if (text && old.textContent !== text) old.textContent = text;
    });
  };
  prices.hidden = true;
  byId('quantity').addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => show().catch(() => { prices.hidden = false; }), 300);
  });
}
})();
`,
);

/** All scripts of pages of payers. */
export const payerScripts: readonly PayerScript[] = [cardScript, priceScript];

/** Response with a script, which browsers cache permanently. */
export function payerScriptAnswer({ source }: PayerScript): ApiAnswer {
  return {
    status: 200,
    body: Buffer.from(source),
    headers: {
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
    },
  };
}

/** The script without its comments and indentation. */
function scriptOf(name: string, text: string): PayerScript {
  const source = text.replace(/\n\s*(\/\/.*)?(?=\n)/g, '').replace(/\n\s+/g, '\n');
  const tag = createHash('sha256').update(source).digest('base64url').slice(0, 16);
  return { source, path: `/pages/payer-${name}-${tag}.js` };
}

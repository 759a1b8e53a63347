import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

// The same font on every machine, so that texts have the same width.
const font = readFileSync(
  join(__dirname, '../../services/documents/node_modules/dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
).toString('base64');
const style = `
  @font-face { font-family: Reference; src: url(data:font/ttf;base64,${font}) }
  :root { --sans: Reference; --mono: Reference }
  * { font-family: Reference !important }
  ::-webkit-scrollbar { display: none }`;

/** A text that differs from run to run, and the one that is shown instead. */
export type Mask = readonly [text: string, shown: string];

const masks: readonly Mask[] = [
  ['[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', '01900000-0000-7000-8000-000000000000'],
  ['\\b[0-9a-f]{8}…[0-9a-f]{4}\\b', '01900000…0000'],
  ['\\b[0-9a-f]{32}\\b', '0'.repeat(32)],
  ['\\b(?=[0-9a-f]*\\d)[0-9a-f]{8}\\b', '01900000'],
  ['127\\.0\\.0\\.1:\\d+', '127.0.0.1:3000'],
  ['/[\\w-]{40,}', `/${'x'.repeat(43)}`],
  ['^\\d+(\\.\\d+)? m?s$', '12 ms'],
  ['^[\\d,]+ MiB$', '256 MiB'],
  ['billing_(test|live)_…\\w{4}', 'billing_test_…1234'],
  // Real times; those of the shop are later.
  ['[A-Z][a-z]{2} \\d{1,2}, 20(2\\d|3[0-2]), [\\d:]+\\s[AP]M', 'Feb 10, 2033, 3:00:00 PM'],
  ['[A-Z][a-z]{2} \\d{1,2}, 20(2\\d|3[0-2])', 'Feb 10, 2033'],
  ['20(2\\d|3[0-2])-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d(:\\d\\d)?(\\.\\d+)?', '2033-02-10 15:00:00'],
];

/** Draws the page in the same font and with the same texts as in every other run. */
export async function fixPage(page: Page, more: readonly Mask[]): Promise<void> {
  await page.locator('.skeleton-line, progress:not([max])').first().waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
  const given = JSON.stringify({ masks: [...more, ...masks], style });
  await page.evaluate(`(${fixed})(${given})`);
}

// Runs in the browser, which also reaches the frames of emails: they run no scripts of their own.
const fixed = `async ({ masks, style }) => {
  const fix = (text) =>
    masks.reduce((shown, [found, other]) => shown.replaceAll(new RegExp(found, 'g'), other), text);
  const frames = [...document.querySelectorAll('iframe')].map((frame) => frame.contentDocument);
  for (const one of [document, ...frames.filter((frame) => frame !== null)]) {
    one.head.append(Object.assign(one.createElement('style'), { textContent: style }));
    await one.fonts.load('14px Reference');
    // One text may be several nodes.
    one.body.normalize();
    const texts = one.createTreeWalker(one.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const node = texts.currentNode;
      const shown = fix(node.data);
      if (shown !== node.data) node.data = shown;
    }
  }
  for (const field of document.querySelectorAll('input, textarea')) {
    if (!['checkbox', 'radio', 'file'].includes(field.type)) field.value = fix(field.value);
  }
}`;

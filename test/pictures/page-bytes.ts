import type { Page } from 'playwright-core';

/** Bytes that a page loads over the wire, headers included. */
export interface PageBytes {
  readonly total: number;
  /** Those of calls by scripts. */
  readonly calls: number;
}

/** Counts what a page loads in a browser that has no files of it yet. */
export async function bytesOf(page: Page, load: () => Promise<void>): Promise<PageBytes> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.clearBrowserCache');
  const calls = new Set<string>();
  const bytes = { total: 0, calls: 0 };
  session.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Fetch') calls.add(requestId);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes.total += encodedDataLength;
    if (calls.has(requestId)) bytes.calls += encodedDataLength;
  });
  await load();
  await page.waitForLoadState('networkidle');
  await session.detach();
  return bytes;
}

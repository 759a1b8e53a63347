import type { Page } from 'playwright-core';

/** Bytes that a page loads over the wire. */
export interface PageBytes {
  /** All bytes, headers included. */
  readonly total: number;
  /** Bodies of scripts and styles, compressed. */
  readonly code: number;
  /** Bytes of calls by scripts, headers included. */
  readonly calls: number;
}

/** Counts what a page loads in a browser that has no files of it yet. */
export async function bytesOf(page: Page, load: () => Promise<void>): Promise<PageBytes> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.clearBrowserCache');
  const responses = new Map<string, { readonly type: string; readonly headerBytes: number }>();
  const bytes = { total: 0, code: 0, calls: 0 };
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    responses.set(requestId, { type, headerBytes: response.encodedDataLength });
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes.total += encodedDataLength;
    const { type, headerBytes } = responses.get(requestId) ?? { type: '', headerBytes: 0 };
    if (type === 'Script' || type === 'Stylesheet') bytes.code += encodedDataLength - headerBytes;
    if (type === 'Fetch') bytes.calls += encodedDataLength;
  });
  await load();
  await page.waitForLoadState('networkidle');
  await session.detach();
  return bytes;
}

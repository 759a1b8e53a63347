import type { Express } from 'express';
import type { CallContext } from '@billing/chassis/call-context';
import { admitAddress, mountPages, type PageAddress } from '../http/page-mount';
import type { PageSite } from './site';

// The address names the bytes, so they never change.
const headers = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/** Serves the logos of sellers, which pages show, by the hash of their bytes. */
export function addLogos(app: Express, site: Omit<PageSite, 'looks'>): void {
  const route: PageAddress = { method: 'GET', path: '/logos/:sha256' };
  mountPages(app, [route], {
    dependencies: site,
    workOf:
      () =>
      async (call, { request }) => {
        admitAddress(request, call, site.pageRate);
        const sha256 = String(request.params.sha256);
        const logo = await site.peers.seller.getLogo({ sha256 }, call as CallContext);
        const body = Buffer.from(logo.data);
        return { status: 200, body, headers: { ...headers, 'Content-Type': logo.contentType } };
      },
    showError: ({ status, body, code, headers: refusal = {} }) => ({
      status,
      body,
      headers: { ...refusal, 'Error-Code': code },
    }),
  });
}

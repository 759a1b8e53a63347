import type { Express } from 'express';
import { describeWebhooks } from '../asyncapi/document';
import { describeApi } from './document';
import { documentationPolicy } from './frame';
import { type Guide, guides, renderGuide } from './guide-page';
import { renderReferencePage } from './reference-page';
import type { ApiAnswer } from '../http/answer';
import { contentTag, unlessMatched } from '../http/conditions';
import type { ExchangeDependencies } from '../http/exchange';
import { addGet } from '../http/respond';
import type { Route } from '../api/routes/route';

const json = { 'Content-Type': 'application/json; charset=utf-8' };
const html = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': documentationPolicy,
  'Referrer-Policy': 'no-referrer',
};

/** Dependencies of the documents. */
export interface DocumentationDependencies extends ExchangeDependencies {
  /** Release of the gateway. */
  readonly version: string;
  /** Public URL of the gateway. */
  readonly siteUrl: string;
}

/** Serves the documents of the API and of the webhooks, their reference page and the guides. */
export function addDocumentation(
  app: Express,
  routes: readonly Route[],
  dependencies: DocumentationDependencies,
): void {
  for (const [path, render] of renderers(routes, dependencies)) {
    // Rendered on the first request, and each alone: one that fails takes no other with it.
    let rendered: ApiAnswer | undefined;
    addGet(app, path, dependencies, (request) =>
      unlessMatched(request.header('if-none-match'), (rendered ??= render())),
    );
  }
}

/**
 * Renderers of the OpenAPI 3.1 and AsyncAPI 3 documents, the reference page of both, and the
 * guides, by path.
 */
function renderers(
  routes: readonly Route[],
  { version, siteUrl }: DocumentationDependencies,
): ReadonlyMap<string, () => ApiAnswer> {
  const described = () => describeApi(routes, { version, url: siteUrl });
  return new Map([
    ['/openapi.json', () => fixed(JSON.stringify(described()), json)],
    ['/asyncapi.json', () => fixed(JSON.stringify(describeWebhooks()), json)],
    ['/docs', () => fixed(renderReferencePage(described(), describeWebhooks()), html)],
    ...guides.map((guide) => [pathOf(guide), () => fixed(renderGuide(guide), html)] as const),
  ]);
}

function pathOf({ name }: Guide): string {
  return `/docs/${name}`;
}

function fixed(text: string, headers: Readonly<Record<string, string>>): ApiAnswer {
  const body = Buffer.from(text);
  // The response is the same for every caller; clients cache it and revalidate.
  const kept = { 'Cache-Control': 'no-cache', ETag: `"${contentTag(body)}"` };
  return { status: 200, body, headers: { ...headers, ...kept } };
}

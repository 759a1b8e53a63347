import type { Express } from 'express';
import { describeWebhooks } from '../asyncapi/document';
import { describeApi } from './document';
import type { ApiAnswer } from '../http/answer';
import { contentTag, unlessMatched } from '../http/conditions';
import type { ExchangeDependencies } from '../http/exchange';
import { addGet } from '../http/respond';
import type { Route } from '../api/routes/route';

const json = { 'Content-Type': 'application/json; charset=utf-8' };

/** Dependencies of the documents. */
export interface DocumentationDependencies extends ExchangeDependencies {
  /** Release of the gateway. */
  readonly version: string;
  /** Public URL of the gateway. */
  readonly siteUrl: string;
}

/** Serves the documents of the API and of the webhooks. */
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

/** Renderers of the OpenAPI 3.1 and AsyncAPI 3 documents, by path. */
function renderers(
  routes: readonly Route[],
  { version, siteUrl }: DocumentationDependencies,
): ReadonlyMap<string, () => ApiAnswer> {
  return new Map([
    ['/openapi.json', () => fixed(JSON.stringify(describeApi(routes, { version, url: siteUrl })))],
    ['/asyncapi.json', () => fixed(JSON.stringify(describeWebhooks()))],
  ]);
}

function fixed(text: string): ApiAnswer {
  const body = Buffer.from(text);
  // The response is the same for every caller; clients cache it and revalidate.
  const kept = { 'Cache-Control': 'no-cache', ETag: `"${contentTag(body)}"` };
  return { status: 200, body, headers: { ...json, ...kept } };
}

import { createHash } from 'node:crypto';
import type { Express } from 'express';
import { describeWebhooks } from '../asyncapi/document';
import { describeApi } from './document';
import { referencePagePolicy, renderReferencePage } from './reference-page';
import type { ApiAnswer } from '../http/answer';
import { unlessMatched } from '../http/conditions';
import type { ExchangeDependencies } from '../http/exchange';
import { addGet } from '../http/respond';
import type { Route } from '../api/routes/route';

const json = { 'Content-Type': 'application/json; charset=utf-8' };

/** Serves the documents of the API and of the webhooks, and their reference page. */
export function addDocumentation(
  app: Express,
  routes: readonly Route[],
  dependencies: ExchangeDependencies,
): void {
  const documentation = new Documentation(routes);
  const documents = {
    '/openapi.json': () => documentation.api(),
    '/asyncapi.json': () => documentation.webhooks(),
    '/docs': () => documentation.page(),
  };
  for (const [path, document] of Object.entries(documents)) {
    addGet(app, path, dependencies, (request) =>
      unlessMatched(request.header('if-none-match'), document()),
    );
  }
}

interface Documents {
  readonly api: ApiAnswer;
  readonly webhooks: ApiAnswer;
  readonly page: ApiAnswer;
}

/**
 * Routes of the OpenAPI and AsyncAPI documents and the reference page, generated on the first
 * request.
 */
class Documentation {
  private made: Documents | undefined;

  constructor(private readonly routes: readonly Route[]) {}

  /** OpenAPI 3.1 document. */
  api(): ApiAnswer {
    return this.make().api;
  }

  /** AsyncAPI 3 document. */
  webhooks(): ApiAnswer {
    return this.make().webhooks;
  }

  /** Reference page of both documents. */
  page(): ApiAnswer {
    return this.make().page;
  }

  private make(): Documents {
    if (this.made === undefined) {
      const document = describeApi(this.routes);
      const webhooks = describeWebhooks();
      this.made = {
        api: fixed(JSON.stringify(document), json),
        webhooks: fixed(JSON.stringify(webhooks), json),
        page: fixed(renderReferencePage(document, webhooks), {
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': referencePagePolicy,
          'Referrer-Policy': 'no-referrer',
        }),
      };
    }
    return this.made;
  }
}

function fixed(text: string, headers: Readonly<Record<string, string>>): ApiAnswer {
  const body = Buffer.from(text);
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  // The response is the same for every caller; clients cache it and revalidate.
  const kept = { 'Cache-Control': 'no-cache', ETag: `"${tag}"` };
  return { status: 200, body, headers: { ...headers, ...kept } };
}

import { createHash } from 'node:crypto';
import { describeWebhooks } from './asyncapi/document';
import { describeApi } from './openapi/document';
import { referencePagePolicy, renderReferencePage } from './openapi/reference-page';
import type { ApiAnswer } from './answer';
import type { Route } from './route';

const json = { 'Content-Type': 'application/json; charset=utf-8' };

interface Documents {
  readonly api: ApiAnswer;
  readonly webhooks: ApiAnswer;
  readonly page: ApiAnswer;
}

/**
 * Routes of the OpenAPI and AsyncAPI documents and the reference page, generated on the first
 * request.
 */
export class Documentation {
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

import { createHash } from 'node:crypto';
import { describeApi } from './openapi/document';
import { referencePagePolicy, renderReferencePage } from './openapi/reference-page';
import type { ApiAnswer, Route } from './route';

/** The description of the API for programs and for people, made when it is first asked for. */
export class Documentation {
  private made: { readonly json: ApiAnswer; readonly page: ApiAnswer } | undefined;

  constructor(private readonly routes: readonly Route[]) {}

  /** OpenAPI 3.1. */
  json(): ApiAnswer {
    return this.make().json;
  }

  /** The reference page. */
  page(): ApiAnswer {
    return this.make().page;
  }

  private make() {
    if (this.made === undefined) {
      const document = describeApi(this.routes);
      this.made = {
        json: fixed(JSON.stringify(document), {
          'Content-Type': 'application/json; charset=utf-8',
        }),
        page: fixed(renderReferencePage(document), {
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
  // The same for everybody: kept, and asked for again.
  const kept = { 'Cache-Control': 'no-cache', ETag: `"${tag}"` };
  return { status: 200, body, headers: { ...headers, ...kept } };
}

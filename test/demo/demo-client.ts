import { Billing } from '@billing/client';

// As many as bridge a restart of the system.
const maxRetries = 7;

/** A client of the demo's sandbox that counts the responses. */
export class DemoClient {
  /** Responses so far, with those of pages. */
  requests = 0;
  readonly api: Billing;

  constructor(
    readonly url: string,
    key: string,
  ) {
    const counted: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      this.requests += 1;
      return response;
    };
    this.api = new Billing({ apiKey: key, baseUrl: url, maxRetries, fetch: counted });
  }
}

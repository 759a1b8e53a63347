/** A request to repeat. */
export interface ReplayedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string | null;
  readonly requestBody: { readonly json: string; readonly isShortened: boolean } | null;
}

/** Placeholder of the API key in a command. */
const keyPlaceholder = 'YOUR_KEY';

/** Command that sends a request again, with placeholders for the API key and for a long body. */
export function replayCommand(
  { method, path, query, requestBody }: ReplayedRequest,
  origin: string,
): string {
  const body = requestBody?.isShortened === true ? '@body.json' : requestBody?.json;
  const lines = [
    `curl -X ${quoted(method)} ${quoted(`${origin}${addressOf({ path, query })}`)}`,
    `  -H ${quoted(`Authorization: Bearer ${keyPlaceholder}`)}`,
    ...(body === undefined
      ? []
      : [`  -H ${quoted('Content-Type: application/json')}`, `  --data-binary ${quoted(body)}`]),
  ];
  return lines.join(' \\\n');
}

/** Path and query of a request. */
export function addressOf({ path, query }: Pick<ReplayedRequest, 'path' | 'query'>): string {
  return query === null ? path : `${path}?${query}`;
}

/** Lists the parts to complete before a command works: the key, and parts that the log lacks. */
export function missingIn({
  query,
  requestBody,
}: Pick<ReplayedRequest, 'query' | 'requestBody'>): string[] {
  const isRedacted = [query, requestBody?.json].some((text) => text?.includes('[redacted]'));
  return [
    `Replace ${keyPlaceholder} with an API key.`,
    ...(requestBody?.isShortened === true
      ? ['Save the whole body as body.json: the log keeps 16 kB of it.']
      : []),
    ...(query?.endsWith('…') === true ? ['Complete the query: the log keeps 4 kB of it.'] : []),
    ...(isRedacted ? ['Replace [redacted] with the secrets, which the log does not keep.'] : []),
  ];
}

/** A text as one argument of a POSIX shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

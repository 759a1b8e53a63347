/** A request to repeat. */
export interface ReplayedRequest {
  readonly method: string;
  readonly path: string;
  readonly requestBody: { readonly json: string; readonly isShortened: boolean } | null;
}

/** Placeholder of the API key in a command. */
const keyPlaceholder = 'YOUR_KEY';

/** Command that sends a request again, with placeholders for the API key and for a long body. */
export function replayCommand(
  { method, path, requestBody }: ReplayedRequest,
  origin: string,
): string {
  const body = requestBody?.isShortened === true ? '@body.json' : requestBody?.json;
  const lines = [
    `curl -X ${quoted(method)} ${quoted(`${origin}${path}`)}`,
    `  -H ${quoted(`Authorization: Bearer ${keyPlaceholder}`)}`,
    ...(body === undefined
      ? []
      : [`  -H ${quoted('Content-Type: application/json')}`, `  --data-binary ${quoted(body)}`]),
  ];
  return lines.join(' \\\n');
}

/** Lists the parts to complete before a command works: the key, and parts that the log lacks. */
export function missingIn({ requestBody }: Pick<ReplayedRequest, 'requestBody'>): string[] {
  return [
    `Replace ${keyPlaceholder} with an API key.`,
    ...(requestBody?.isShortened === true
      ? ['Save the whole body as body.json: the log keeps 16 kB of it.']
      : []),
    ...(requestBody?.json.includes('[redacted]') === true
      ? ['Replace [redacted] with the secrets, which the log does not keep.']
      : []),
  ];
}

/** A text as one argument of a POSIX shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
